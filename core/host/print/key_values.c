/* key_values.c - a few named values: one JSON object, or lines of name and value. */
#include "core/host/print/key_values.h"

static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};

void ck_key_values_init(ck_key_values *self, ck_output *output) {
  *self = (ck_key_values){.json = output->json};
  ck_document_init(&self->document, output);
  ck_table_init(&self->table, output, columns);
}

void ck_key_values_clear(ck_key_values *self) {
  ck_document_clear(&self->document);
  ck_table_clear(&self->table);
}

void ck_key_values_put_text(ck_key_values *self, const char *name, const char *text) {
  if (!text || !*text) return;
  if (self->json) {
    ck_document_put_text(&self->document, NULL, name, text);
    return;
  }
  ck_table_put_word(&self->table, name);
  ck_table_put_text(&self->table, ck_bytes_text(text));
}

void ck_key_values_put_count(ck_key_values *self, const char *name, int64_t count) {
  if (self->json) {
    ck_document_put_int(&self->document, NULL, name, count);
    return;
  }
  ck_table_put_word(&self->table, name);
  ck_table_put_count(&self->table, count);
}

void ck_key_values_put_bytes(ck_key_values *self, const char *name, int64_t bytes) {
  if (self->json) {
    ck_document_put_int(&self->document, NULL, name, bytes);
    return;
  }
  ck_table_put_word(&self->table, name);
  ck_table_put_bytes(&self->table, bytes);
}

struct cJSON *ck_key_values_put_array(ck_key_values *self, const char *name) {
  return self->json ? ck_document_put_array(&self->document, NULL, name) : NULL;
}

ck_status ck_key_values_print(ck_key_values *self, ck_error *err) {
  return self->json ? ck_document_print(&self->document, err) : ck_table_print(&self->table, err);
}
