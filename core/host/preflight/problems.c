/* problems.c - collects the obstacles to a resume. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/host/preflight/preflight.h"

void ck_preflight_add(ck_preflight *self, ck_status status, const char *format, ...) {
  char text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ck_buffer_append(&self->problems, text, strlen(text) + 1);
  self->problem_count++;
  bool integrity = ck_status_exit(status) == ck_status_exit(CK_E_CORRUPT);
  bool first = self->verdict == CK_OK, only_secrets = self->verdict == CK_E_SECRET_MISSING;
  if (integrity)
    self->verdict = status;
  else if (status == CK_E_SECRET_MISSING && first)
    self->verdict = status;
  else if (status != CK_E_SECRET_MISSING && (first || only_secrets))
    self->verdict = CK_E_REFUSED;
}

ck_status ck_preflight_take(ck_preflight *self, ck_status status, const ck_error *failure,
                            ck_error *err) {
  if (status == CK_OK) return CK_OK;
  if (status == CK_E_NO_MEMORY || ck_status_exit(status) == ck_status_exit(CK_E_IO))
    return ck_error_set(err, status, "%s", failure->text);
  ck_preflight_add(self, status, "%s", failure->text);
  return CK_OK;
}
