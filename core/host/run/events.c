/* events.c - --events: a run's events on stdout, one JSON object per line, as soon as they are
 * durable. */
#include "core/host/run/events.h"

#include "core/host/session/fields.h"

void ck_event_stream_begin(ck_event_stream *self, ck_output *output, ck_store *store,
                           const ck_session *session) {
  self->output = output;
  self->store = store;
  self->session = ck_session_get_record(session)->no;
  self->after = ck_session_first_seq(session) - 1;
}

typedef struct telling {
  ck_event_stream *stream;
  ck_status status;
  ck_error *err;
} telling;

static bool print_event(void *to, const ck_event *event) {
  telling *self = to;
  ck_document document;
  ck_document_init(&document, self->stream->output);
  ck_fields_put_event(&document, NULL, event);
  self->status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  self->stream->after = event->seq;
  return self->status == CK_OK;
}

/* Only durable events are visible to a reader: a commit is published when it is on the disk, with
 * the durability it requires. */
ck_status ck_event_stream_report(ck_event_stream *self, ck_error *err) {
  if (!self->wanted || !self->store) return CK_OK;
  telling t = {.stream = self, .status = CK_OK, .err = err};
  ck_event_query query = {.session = self->session, .after = self->after};
  ck_status status = ck_store_read_events(self->store, &query, print_event, &t, err);
  return status == CK_OK ? t.status : status;
}
