/* whole.c - before a session is gone on with: is anything of it gone? Each row that is there
 * answers for itself. */
#include <string.h>

#include "core/store/sealed/sealed.h"

typedef struct last_event {
  bool found;
  int64_t seq, timeline;
  ck_error fault;
} last_event;

static bool take_last(void *to, const ck_event_row *row) {
  last_event *self = to;
  self->found = true;
  self->seq = row->seq;
  self->timeline = row->timeline;
  if (row->fault) self->fault = *row->fault;
  return false;
}

/* A run's timeline is the live one before its first event is there. */
static ck_status check_last(const ck_session_record *record, ck_store *front, int64_t *last_seq,
                            ck_error *err) {
  last_event last = {0};
  ck_event_rows rows = {.session = record->no, .backward = true};
  ck_status status = front->backend.read_events(front->backend.self, &rows, take_last, &last, err);
  *last_seq = last.found ? last.seq : record->origin.cut;
  if (!status && last.fault.status) {
    status = ck_store_core_check_fault(&last.fault, err);
    ck_error_prefix(err, "session %s, event %lld", record->id, (long long)last.seq);
  }
  if (status || last.timeline <= record->timeline) return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "session %s: its row is older than its last event (%lld): its live timeline "
                      "is said to be %lld",
                      record->id, (long long)last.seq, (long long)record->timeline);
}

/* Asked for after the last seq was read, so that what is appended meanwhile does not count against
 * it. */
static ck_status check_count(const ck_session_record *record, const ck_backend *inner,
                             int64_t last_seq, ck_error *err) {
  int64_t count, wanted = last_seq - record->origin.cut;
  ck_status status = inner->count_events(&count, inner->self, record->no, err);
  if (status || count >= wanted) return status;
  return ck_error_set(
      err, CK_E_CORRUPT,
      "session %s: %lld of its %lld events are gone; 'ckrun store verify' tells which", record->id,
      (long long)(wanted - count), (long long)wanted);
}

typedef struct announcement {
  ck_compress compress;
  ck_buffer space;
  int64_t seq; /* of the last checkpoint that an event tells of; 0: none */
  ck_status status;
  ck_error *err;
} announcement;

static bool look_for_checkpoint(void *to, const ck_event_row *row) {
  announcement *self = to;
  if (row->kind != CK_EVENT_BOUNDARY) return true;
  ck_store_core_body body = {.compress = &self->compress, .space = &self->space};
  self->status = ck_store_core_open_body(&body, row, self->err);
  if (self->status) ck_error_prefix(self->err, "event %lld", (long long)row->seq);
  if (!self->status && ck_json_type_of(ck_json_get(body.plain, "checkpoint")) == CK_JSON_STRING)
    self->seq = row->seq;
  return !self->status && self->seq == 0;
}

static ck_status check_checkpoint(const ck_session_record *record, ck_store *front, ck_error *err) {
  ck_digest digest;
  announcement found = {.err = err};
  ck_event_rows rows = {
      .session = record->no, .backward = true, .kinds = UINT64_C(1) << CK_EVENT_BOUNDARY};
  ck_status status =
      front->backend.read_events(front->backend.self, &rows, look_for_checkpoint, &found, err);
  if (!status) status = found.status;
  ck_compress_clear(&found.compress);
  ck_buffer_clear(&found.space);
  if (!status && found.seq)
    status = ck_store_core_get_digest(&digest, front, record->no, found.seq, err);
  if (status == CK_E_NOT_FOUND)
    return ck_error_set(err, CK_E_CORRUPT, "session %s: its latest checkpoint (seq %lld) is gone",
                        record->id, (long long)found.seq);
  return status;
}

ck_status ck_sealed_check_whole(const ck_session_record *record, ck_sealed *self, ck_error *err) {
  int64_t last_seq;
  ck_status status = check_last(record, self->front, &last_seq, err);
  if (!status) status = check_count(record, &self->inner, last_seq, err);
  return status ? status : check_checkpoint(record, self->front, err);
}
