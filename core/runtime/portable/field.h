/* field.h - required members of a document, with errors that name the field. */
#ifndef CK_RUNTIME_PORTABLE_FIELD_H
#define CK_RUNTIME_PORTABLE_FIELD_H

#include "core/base/json.h"

typedef struct ck_field {
  const char *path; /* as messages name it */
  ck_json_type type;
  const char *wanted; /* "a string" */
} ck_field;

/* CK_E_PARSE: "missing required field: PATH", or "field PATH must be WANTED". */
CK_CHECKED ck_status ck_field_read(ck_bytes *out, ck_bytes object, const char *name,
                                   const ck_field *how, ck_error *err);
/* A whole number from 0 to `most`. */
CK_CHECKED ck_status ck_field_read_count(int64_t *out, ck_bytes object, const char *name,
                                         const char *path, int64_t most, ck_error *err);

#endif
