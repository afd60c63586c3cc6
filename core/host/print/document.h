/* document.h - one JSON document of the program's own, built with cJSON; stored text passes the
 * redactor. */
#ifndef CK_HOST_PRINT_DOCUMENT_H
#define CK_HOST_PRINT_DOCUMENT_H

#include "core/host/print/output.h"

struct cJSON;

/* Building never fails itself; ck_document_print returns the failure. */
typedef struct ck_document {
  ck_output *output;
  struct cJSON *root; /* an object */
  bool failed;
} ck_document;

/* Begins with the version, CK_OUTPUT_VERSION. */
void ck_document_init(ck_document *self, ck_output *output);
/* Without it: a document of another system's, or the rest of one that has begun. */
void ck_document_init_bare(ck_document *self, ck_output *output);
void ck_document_clear(ck_document *self);

/* A new object or array under `at` (NULL: the root); `name` is NULL inside an array. Borrowed; NULL
 * after a failure. */
struct cJSON *ck_document_put_object(ck_document *self, struct cJSON *at, const char *name);
struct cJSON *ck_document_put_array(ck_document *self, struct cJSON *at, const char *name);
/* NULL text is left out. Bytes that are not UTF-8 become U+FFFD. */
void ck_document_put_text(ck_document *self, struct cJSON *at, const char *name, const char *text);
/* Exact for all 64 bits. */
void ck_document_put_int(ck_document *self, struct cJSON *at, const char *name, int64_t number);
void ck_document_put_number(ck_document *self, struct cJSON *at, const char *name,
                            double number); /* finite */
/* In dollars, exact to the micro-dollar (0.075264); `name` ends in "_usd". */
void ck_document_put_money(ck_document *self, struct cJSON *at, const char *name, int64_t micros);
/* In milliseconds, exact to the microsecond (171.367); `name` ends in "_ms". */
void ck_document_put_duration(ck_document *self, struct cJSON *at, const char *name, int64_t us);
void ck_document_put_null(ck_document *self, struct cJSON *at, const char *name);
void ck_document_put_bool(ck_document *self, struct cJSON *at, const char *name, bool truth);
/* "2026-01-31T23:59:59.123Z"; 0 is unknown and left out. */
void ck_document_put_time(ck_document *self, struct cJSON *at, const char *name, int64_t wall_ms);
/* The text of a JSON string; another value is left out. */
void ck_document_put_string(ck_document *self, struct cJSON *at, const char *name, ck_bytes json);
/* A user's value, byte for byte as it is stored (after redaction), but for line breaks between its
 * tokens, which become spaces; NULL is left out. */
void ck_document_put_value(ck_document *self, struct cJSON *at, const char *name,
                           const ck_value *value);

/* The members of an object, as ck_document_put_value. */
CK_CHECKED ck_status ck_document_put_members(ck_document *self, struct cJSON *at, ck_bytes object,
                                             ck_error *err);

/* Appends it as one line. */
CK_CHECKED ck_status ck_document_write(ck_buffer *out, ck_document *self, ck_error *err);
/* One line to stdout. */
CK_CHECKED ck_status ck_document_print(ck_document *self, ck_error *err);
/* The same with the opening brace left out: the caller has written the beginning of the object,
 * with a comma. */
CK_CHECKED ck_status ck_document_print_rest(ck_document *self, ck_error *err);

#endif
