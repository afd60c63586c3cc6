/* not_begun.c - puts what workers have said of a session into documents and tables. */
#include "core/host/inspect/not_begun.h"

#include "core/base/clock.h"
#include "core/host/print/format.h"

void ck_not_begun_put(ck_document *document, const ck_refusals *self) {
  if (!self->count) return;
  struct cJSON *list = ck_document_put_array(document, NULL, "not_begun");
  for (size_t i = 0; i < self->count; i++) {
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_time(document, at, "at", self->list[i].at_ms);
    ck_document_put_text(document, at, "by", self->list[i].by);
    ck_document_put_text(document, at, "why", self->list[i].text);
  }
}

void ck_not_begun_append(ck_buffer *out, const ck_refusal *of) {
  ck_clock clock = ck_clock_system();
  ck_buffer_append_format(out, "not begun by %s, ", of->by);
  ck_format_age(out, of->at_ms, clock.wall_ms(clock.self));
  ck_buffer_append_format(out, ": %s", of->text);
}

void ck_not_begun_put_rows(ck_table *table, const ck_refusals *self) {
  for (size_t i = 0; i < self->count; i++) {
    ck_buffer text = {0};
    ck_not_begun_append(&text, &self->list[i]);
    ck_table_put_word(table, "not_begun");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    table->text.failed |= text.failed;
    ck_buffer_clear(&text);
  }
}
