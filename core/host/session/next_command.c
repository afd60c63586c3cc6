/* next_command.c - the command line that continues with a session. */
#include "core/host/session/next_command.h"

#include <string.h>

/* A value that a shell would change is replaced by "…". */
static void append_word(ck_buffer *out, const char *option, const char *value) {
  bool plain = !value[strcspn(value, " '\"\\$`!*?[]()<>|&;#~\n\t")];
  ck_buffer_append_format(out, "%s %s ", option, plain ? value : "…");
}

void ck_next_command_append(ck_buffer *out, const ck_host *host, const char *words) {
  ck_buffer_append_text(out, "ckrun ");
  if (host->store) append_word(out, "--store", host->store);
  if (host->key && strcmp(host->key, "env:CKRUN_KEY") != 0) append_word(out, "--key", host->key);
  ck_buffer_append_text(out, words);
}
