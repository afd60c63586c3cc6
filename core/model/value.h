/* value.h - an immutable JSON value, shared by reference count between threads. */
#ifndef CK_MODEL_VALUE_H
#define CK_MODEL_VALUE_H

#include "core/base/json.h"

/* The bytes are kept exactly; a value never changes, so sharing it costs one reference. */
typedef struct ck_value ck_value;

/* Checks that `json` is one strict JSON value (CK_E_PARSE with offset otherwise) and copies it. */
CK_CHECKED ck_status ck_value_new(ck_value **out, ck_bytes json, ck_error *err);
/* For bytes that are known to be valid JSON: built by ck_json_writer, or spans of checked text.
 * Copies. */
CK_CHECKED ck_status ck_value_copy(ck_value **out, ck_bytes json, ck_error *err);
/* The same, from a buffer that failed or not: its failure is reported here. Copies; the buffer
 * stays the caller's. */
CK_CHECKED ck_status ck_value_from(ck_value **out, const ck_buffer *json, ck_error *err);
/* A JSON string from plain text. */
CK_CHECKED ck_status ck_value_text(ck_value **out, ck_bytes text, ck_error *err);

/* Takes a reference; returns `self` (NULL stays NULL). Thread-safe. */
ck_value *ck_value_share(const ck_value *self);
/* Drops a reference; the last one frees. Thread-safe; NULL is fine. */
void ck_value_free(ck_value *self);

/* Borrowed; NUL-terminated after the last byte. */
ck_bytes ck_value_bytes(const ck_value *self);

/* Adds a member to *self, an object that has one at least: *self becomes another value. */
CK_CHECKED ck_status ck_value_add_member(ck_value **self, const char *name, const ck_value *value,
                                         ck_error *err);

/* ---- within ckrun ---- */

/* A JSON string of a secret: its bytes lie in locked memory, and are wiped with the last reference.
 */
CK_CHECKED ck_status ck_value_secret(ck_value **out, ck_bytes text, ck_error *err);

#endif
