/* facts.h - a few named values: one JSON object, or lines of name and value. */
#ifndef CK_HOST_PRINT_FACTS_H
#define CK_HOST_PRINT_FACTS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"

typedef struct ck_facts {
  ck_document document;
  ck_table table;
  bool json;
} ck_facts;

void ck_facts_init(ck_facts *self, ck_output *output);
void ck_facts_clear(ck_facts *self);
/* NULL and "" are left out. */
void ck_facts_put_text(ck_facts *self, const char *name, const char *text);
void ck_facts_put_count(ck_facts *self, const char *name, int64_t count);
void ck_facts_put_bytes(ck_facts *self, const char *name, int64_t bytes);
/* For JSON only: an array of objects; in the table each is a line of its own, put by ck_facts_put_text. NULL without JSON. */
struct cJSON *ck_facts_put_array(ck_facts *self, const char *name);
CK_CHECKED ck_status ck_facts_print(ck_facts *self, ck_error *err);

#endif
