/* confirm.c - asks a person before something is lost. */
#include "core/host/print/confirm.h"

#include <string.h>
#include <unistd.h>

ck_status ck_confirm(ck_output *output, const char *question, ck_error *err) {
  char answer[16] = "";
  ck_buffer line = {0};
  if (output->json || !output->terminal || !isatty(STDIN_FILENO)) return CK_OK;
  ck_output_append_safe(output, &line, ck_bytes_text(question));
  ck_buffer_append_text(&line, " [y/N] ");
  ck_output_write(output, ck_buffer_bytes(&line));
  output->failed |= line.failed;
  ck_buffer_clear(&line);
  ck_status status = ck_output_flush(output, err);
  if (status != CK_OK) return status;
  bool given = fgets(answer, sizeof answer, stdin) != NULL;
  answer[strcspn(answer, "\n")] = 0;
  if (given && (strcmp(answer, "y") == 0 || strcmp(answer, "yes") == 0)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED, "nothing was deleted; --yes does not ask");
}
