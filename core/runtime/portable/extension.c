/* extension.c - the member of a document that is ckrun's own. */
#include "core/runtime/portable/extension.h"

ck_bytes ck_extension_input(const ck_session_record *session) {
  return session->input ? ck_json_get(ck_value_bytes(session->input), "input") : (ck_bytes){0};
}

void ck_extension_write_input(ck_json_writer *w, const ck_session_record *session) {
  ck_bytes input = ck_extension_input(session);
  if (input.len) ck_json_member_raw(w, "input", input);
}

ck_status ck_extension_read(ck_bytes *out, ck_bytes document, ck_error *err) {
  *out = ck_json_get(document, CK_EXTENSION);
  if (!out->len || ck_json_type_of(*out) == CK_JSON_OBJECT) return CK_OK;
  *out = (ck_bytes){0};
  return ck_error_set(err, CK_E_PARSE, "field " CK_EXTENSION " must be an object");
}
