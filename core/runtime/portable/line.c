/* line.c - redacts a document and puts it on a line. */
#include "core/runtime/portable/line.h"

ck_status ck_portable_append_line(ck_buffer *out, ck_redactor *redactor, const ck_value *document,
                                  ck_error *err) {
  ck_value *kept = NULL;
  ck_status status = ck_redactor_apply(&kept, redactor, CK_SINK_EXPORT, NULL, document, err);
  if (status == CK_OK && kept) ck_buffer_append_bytes(out, ck_value_bytes(kept));
  ck_buffer_append_char(out, '\n');
  ck_value_free(kept);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}
