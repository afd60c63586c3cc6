/* field.c - reads required members of a document. */
#include "core/runtime/portable/field.h"

#include <inttypes.h>

ck_status ck_field_read(ck_bytes *out, ck_bytes object, const char *name, const ck_field *how,
                        ck_error *err) {
  *out = ck_json_get(object, name);
  if (!out->len) return ck_error_set(err, CK_E_PARSE, "missing required field: %s", how->path);
  if (ck_json_type_of(*out) == how->type) return CK_OK;
  return ck_error_set(err, CK_E_PARSE, "field %s must be %s", how->path, how->wanted);
}

ck_status ck_field_read_count(int64_t *out, ck_bytes object, const char *name, const char *path,
                              int64_t most, ck_error *err) {
  ck_bytes value = {0};
  ck_field how = {path, CK_JSON_NUMBER, "a whole number"};
  ck_status status = ck_field_read(&value, object, name, &how, err);
  if (status != CK_OK) return status;
  if (ck_json_read_int(out, value) && *out >= 0 && *out <= most) return CK_OK;
  return ck_error_set(err, CK_E_PARSE, "field %s must be a whole number from 0 to %" PRId64, path,
                      most);
}
