/* programs.c - lends the driver of programs what only the host knows. */
#include "core/host/programs.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/secret.h"

ck_status ck_programs_find_spills(char **out, const char *store_url, ck_error *err) {
  static const char scheme[] = "sqlite:";
  size_t len = sizeof scheme - 1;
  *out = NULL;
  if (strncmp(store_url, scheme, len) != 0) return CK_OK;
  if (asprintf(out, "%s.spill", store_url + len) >= 0) return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

ck_status ck_programs_remove_spills(const char *store_url, const char *session, ck_error *err) {
  char *folder;
  ck_status status = ck_programs_find_spills(&folder, store_url, err);
  if (status == CK_OK && folder) status = ck_spill_remove(folder, session, err);
  free(folder);
  return status;
}

/* Whatever it may be echoed to knows it before the program does. */
static ck_status resolve(void *to, ck_buffer *out, const char *ref, ck_error *err) {
  ck_programs *self = to;
  ck_status status = ck_secret_tell(self->output->redactor, ref, ref, err);
  if (status == CK_OK) status = ck_session_learn_secret(self->session, ref, ref, err);
  if (status == CK_OK) status = ck_output_guard_log(self->output, err);
  return status == CK_OK ? ck_secret_read(out, ref, err) : status;
}

ck_status ck_programs_open_driver(ck_effect_driver **out, ck_programs *self, ck_loop *loop, const char *directory, ck_error *err) {
  ck_exec_options options = {
    .loop = loop,
    .directory = directory,
    .spill = {.directory = self->spills, .session = ck_session_id(self->session), .redactor = self->output->redactor},
    .resolve = resolve,
    .to = self,
  };
  return ck_exec_driver_new(out, &options, err);
}

void ck_programs_clear(ck_programs *self) {
  free(self->spills);
  *self = (ck_programs){0};
}
