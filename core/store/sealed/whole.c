/* whole.c - before a session is acquired: were rows of it taken away? Each row that is there is
 * proved by its own signature; a missing one is found by what the others say of it. */
#include <string.h>

#include "core/store/format/row.h"
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

/* The session's row names the live timeline before the timeline's first event is written, so it is
 * never older than the last event. */
static ck_status check_last(const ck_session_record *record, ck_sealed *self, int64_t *last_seq,
                            ck_error *err) {
  last_event last = {0};
  ck_event_rows rows = {.session = record->no, .backward = true};
  ck_status status = ck_sealed_read_events(self, &rows, take_last, &last, err);
  *last_seq = last.found ? last.seq : record->origin.cut;
  if (!status && last.fault.status) {
    status = ck_row_check_fault(&last.fault, err);
    ck_error_prefix(err, "session %s, event %lld", record->id, (long long)last.seq);
  }
  if (status || last.timeline <= record->timeline) return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "session %s: its row is older than its last event (%lld): its live timeline "
                      "is said to be %lld",
                      record->id, (long long)last.seq, (long long)record->timeline);
}

/* Counted after the last seq was read, so that events that are appended meanwhile do not look like
 * missing ones. */
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
  int64_t seq; /* of the last checkpoint that an event announces; 0: none */
  ck_status status;
  ck_error *err;
} announcement;

static bool find_announcement(void *to, const ck_event_row *row) {
  announcement *self = to;
  if (row->kind != CK_EVENT_BOUNDARY) return true;
  ck_row_body body = {.compress = &self->compress, .space = &self->space};
  self->status = ck_row_open_body(&body, row, self->err);
  if (self->status) ck_error_prefix(self->err, "event %lld", (long long)row->seq);
  if (!self->status && ck_json_type_of(ck_json_get(body.plain, "checkpoint")) == CK_JSON_STRING)
    self->seq = row->seq;
  return !self->status && self->seq == 0;
}

typedef struct checkpoint_search {
  bool found;
  ck_error fault;
} checkpoint_search;

static bool take_checkpoint(void *to, const ck_checkpoint_row *row) {
  checkpoint_search *self = to;
  self->found = true;
  if (row->fault) self->fault = *row->fault;
  return false;
}

/* The row of the checkpoint that one of the session's own events announces. */
static ck_status check_announced(const ck_session_record *record, int64_t seq, ck_sealed *self,
                                 ck_error *err) {
  checkpoint_search search = {0};
  ck_checkpoint_rows rows = {
      .session = record->no, .after = seq - 1, .until = seq, .backward = true};
  ck_status status = ck_sealed_read_checkpoints(self, &rows, take_checkpoint, &search, err);
  if (status) return status;
  if (search.fault.status) return ck_row_check_fault(&search.fault, err);
  if (search.found) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT, "session %s: its latest checkpoint (seq %lld) is gone",
                      record->id, (long long)seq);
}

static ck_status check_checkpoint(const ck_session_record *record, ck_sealed *self, ck_error *err) {
  announcement found = {.err = err};
  ck_event_rows rows = {
      .session = record->no, .backward = true, .kinds = UINT64_C(1) << CK_EVENT_BOUNDARY};
  ck_status status = ck_sealed_read_events(self, &rows, find_announcement, &found, err);
  if (!status) status = found.status;
  ck_compress_clear(&found.compress);
  ck_buffer_clear(&found.space);
  return status || !found.seq ? status : check_announced(record, found.seq, self, err);
}

/* `record` was read before the head: a live owner may have changed both since. */
static ck_status check_head(const ck_session_record *record, ck_sealed *self, int64_t last_seq,
                            ck_error *err) {
  ck_head_row head;
  ck_session_record now;
  if (!self->inner.get_head) return CK_OK;
  ck_status status = ck_sealed_get_head(&head, self, record->no, err);
  if (status) ck_error_prefix(err, "session %s", record->id);
  if (!status) status = self->inner.get_session(&now, self->inner.self, record->id, err);
  if (status) return status;
  bool settled = now.epoch == record->epoch && now.status == record->status;
  ck_session_record_clear(&now);
  if (!settled) return CK_OK;
  status = ck_head_row_check_session(&head, record, err);
  return status ? status : ck_head_row_check_end(&head, record, last_seq, err);
}

/* ck_problem_visit; `to`: an error, which keeps the first. */
static void keep_first(void *to, const char *session_id, int64_t seq, ck_status status,
                       const char *text) {
  ck_error *first = to;
  (void)session_id, (void)seq;
  if (!first->status) ck_error_set(first, status, "%s", text);
}

/* What no row of this session tells: other rows were taken away, or set back together with all that
 * answers for them. */
static ck_status check_inventory(ck_sealed *self, ck_error *err) {
  ck_error first = CK_ERROR_INIT;
  int64_t problems = 0;
  if (!self->inner.inventory.check) return CK_OK;
  ck_status status =
      self->inner.inventory.check(self->inner.self, keep_first, &first, &problems, err);
  if (status || !problems) return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "the store was changed from outside: %s; 'ckrun store accept-rollback' takes "
                      "what is there for whole",
                      first.text);
}

ck_status ck_sealed_check_whole(const ck_session_record *record, ck_sealed *self, ck_error *err) {
  int64_t last_seq;
  ck_status status = check_last(record, self, &last_seq, err);
  if (!status) status = check_count(record, &self->inner, last_seq, err);
  if (!status) status = check_head(record, self, last_seq, err);
  if (!status) status = check_checkpoint(record, self, err);
  return status ? status : check_inventory(self, err);
}
