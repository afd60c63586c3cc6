/* saving.c - reads failed saves from the transcript and the session's lock, and words them. */
#include "core/host/session/saving.h"

#include <inttypes.h>

void ck_saving_take(ck_saving_view *self, const ck_event *event) {
  int64_t late = 0;
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_json_is_text(ck_json_get(body, "what"), "saved")) return;
  ck_json_read_int(&late, ck_json_get(body, "checkpoints"));
  self->times++;
  self->late += late;
}

void ck_saving_append_count(ck_buffer *out, int64_t checkpoints) {
  ck_buffer_append_format(out, "%" PRId64 " checkpoint%s", checkpoints,
                          checkpoints == 1 ? "" : "s");
}

void ck_saving_put(ck_document *document, const ck_saving_view *self) {
  struct cJSON *at = ck_document_put_object(document, NULL, "saving");
  ck_document_put_bool(document, at, "failing", *self->fault || self->lost);
  ck_document_put_text(document, at, "trouble", *self->fault ? self->fault : NULL);
  ck_document_put_int(document, at, "times", self->times);
  ck_document_put_int(document, at, "late_checkpoints", self->late);
  ck_document_put_int(document, at, "unsaved_checkpoints", self->unsaved);
  ck_document_put_int(document, at, "unsaved_events", self->events);
}

void ck_saving_put_row(ck_table *table, const ck_saving_view *self) {
  ck_buffer text = {0};
  if (*self->fault) {
    ck_buffer_append_format(&text, "failing, the session goes on unsaved: %s", self->fault);
  } else if (self->lost) {
    ck_saving_append_count(&text, self->unsaved);
    ck_buffer_append_format(&text, " and %" PRId64 " event%s could not be saved", self->events,
                            self->events == 1 ? "" : "s");
  } else if (self->times) {
    ck_buffer_append_format(&text, "failed for a while %s, ",
                            self->times == 1 ? "once" : "several times");
    ck_saving_append_count(&text, self->late);
    ck_buffer_append_text(&text, " came late; all is saved");
  }
  if (text.len) {
    ck_table_put_word(table, "saving");
    ck_table_put_text(table, ck_buffer_bytes(&text));
  }
  if (text.failed) table->text.failed = true;
  ck_buffer_clear(&text);
}
