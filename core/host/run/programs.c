/* programs.c - lends the driver of programs what only the host knows. */
#include "core/host/run/programs.h"

#include <stdlib.h>

#include "core/runtime/session/secret.h"

/* Whatever it may be echoed to knows it before the program does. */
static ck_status resolve(void *to, ck_buffer *out, const char *ref, ck_error *err) {
  ck_programs *self = to;
  ck_status status = ck_secret_register(self->output->redactor, ref, ref, err);
  if (status == CK_OK) status = ck_session_learn_secret(self->session, ref, ref, err);
  if (status == CK_OK) status = ck_output_guard_log(self->output, err);
  return status == CK_OK ? ck_secret_read(out, ref, err) : status;
}

ck_status ck_programs_open_driver(ck_effect_driver **out, ck_programs *self, ck_loop *loop,
                                  const char *directory, ck_error *err) {
  ck_exec_options options = {
      .loop = loop,
      .directory = directory,
      .spill = {.directory = self->spills,
                .session = ck_session_id(self->session),
                .redactor = self->output->redactor},
      .resolve = resolve,
      .to = self,
  };
  return ck_exec_driver_new(out, &options, err);
}

void ck_programs_clear(ck_programs *self) {
  free(self->spills);
  *self = (ck_programs){0};
}
