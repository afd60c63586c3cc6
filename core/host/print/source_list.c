/* source_list.c - prints which policies or profiles there are. */
#include "core/host/print/source_list.h"

#include "core/host/print/document.h"

void ck_source_list_init(ck_source_list *self, ck_output *output, const ck_column *columns) {
  self->output = output;
  self->others = (ck_buffer){0};
  ck_table_init(&self->table, output, columns);
}

void ck_source_list_clear(ck_source_list *self) {
  ck_table_clear(&self->table);
  ck_buffer_clear(&self->others);
}

static ck_status print_json(ck_output *output, ck_bytes about, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_status status = ck_document_put_members(&document, NULL, about, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static void append_parts(ck_buffer *to, const ck_source_list *self, ck_bytes about) {
  ck_json_iterator it = ck_json_iterate(ck_json_get(about, self->parts));
  while (ck_json_next(&it)) {
    if (to->len) ck_buffer_append_char(to, ' ');
    ck_json_read_string(to, self->part ? ck_json_get(it.value, self->part) : it.value);
  }
}

ck_status ck_source_list_take(void *to, ck_bytes json, ck_error *err) {
  ck_source_list *self = to;
  ck_buffer cells[3] = {{0}};
  if (self->output->json) return print_json(self->output, json, err);
  ck_json_read_string(&cells[0], ck_json_get(json, "reference"));
  append_parts(&cells[1], self, json);
  ck_json_read_string(&cells[2], ck_json_get(json, "summary"));
  bool other = ck_json_get(json, "problem").len > 0;
  if (other)
    ck_buffer_append_format(&self->others, "%s%s", self->others.len ? ", " : "", cells[0].data);
  for (int i = 0; i < 3; i++) {
    if (!other) ck_table_put_text(&self->table, ck_buffer_bytes(&cells[i]));
    ck_buffer_clear(&cells[i]);
  }
  return ck_buffer_check(&self->others, err);
}

ck_status ck_source_list_print(ck_source_list *self, ck_error *err) {
  if (self->output->json) return CK_OK;
  ck_status status = ck_table_print(&self->table, err);
  if (status == CK_OK && self->others.len)
    ck_output_notice(self->output, "not listed, 'ckrun %s check FILE' tells why: %s", self->kind,
                     self->others.data);
  return status;
}
