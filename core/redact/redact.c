/* redact.c - the place where everything passes; without rules it passes as it is. */
#include "core/redact/redact.h"

#include <stdlib.h>

struct ck_redactor {
  size_t rule_count; /* nothing adds a rule yet */
};

ck_status ck_redactor_new(ck_redactor **out, ck_error *err) {
  *out = calloc(1, sizeof **out);
  return *out ? CK_OK : ck_error_no_memory(err);
}

void ck_redactor_free(ck_redactor *self) {
  free(self);
}

ck_status ck_redactor_apply(ck_value **out, ck_redactor *self, ck_sink sink, const char *key, const ck_value *value,
                            ck_error *err) {
  (void)self, (void)sink, (void)key, (void)err;
  *out = ck_value_share(value);
  return CK_OK;
}

ck_status ck_redactor_apply_text(ck_buffer *out, ck_redactor *self, ck_sink sink, ck_bytes text, ck_error *err) {
  (void)self, (void)sink;
  ck_buffer_append_bytes(out, text);
  return ck_buffer_check(out, err);
}
