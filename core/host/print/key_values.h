/* key_values.h - a few named values: one JSON object, or lines of name and value. */
#ifndef CK_HOST_PRINT_KEY_VALUES_H
#define CK_HOST_PRINT_KEY_VALUES_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"

typedef struct ck_key_values {
  ck_document document;
  ck_table table;
  bool json;
} ck_key_values;

void ck_key_values_init(ck_key_values *self, ck_output *output);
void ck_key_values_clear(ck_key_values *self);
/* NULL and "" are left out. */
void ck_key_values_put_text(ck_key_values *self, const char *name, const char *text);
void ck_key_values_put_count(ck_key_values *self, const char *name, int64_t count);
void ck_key_values_put_bytes(ck_key_values *self, const char *name, int64_t bytes);
/* For JSON only: an array of objects; in the table each is a line of its own, put by
 * ck_key_values_put_text. NULL without JSON. */
struct cJSON *ck_key_values_put_array(ck_key_values *self, const char *name);
CK_CHECKED ck_status ck_key_values_print(ck_key_values *self, ck_error *err);

#endif
