/* verify.c - walks a store: the database's own check, then each session with its timelines. */
#include "core/store/verify_walk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/sealed/sealed.h"

/* ---- findings ---- */

/* Rows that are sealed with another key by now are no problem of the store's. The entry about the
 * key changes before the first of them. */
static bool is_rekeyed(const ck_verify *self) {
  ck_error found = CK_ERROR_INIT;
  if (self->rekeyed->status) return true;
  ck_status status = ck_sealed_check_unchanged(&self->store->backend, self->store->url, &found);
  if (status == CK_E_REFUSED || status == CK_E_OTHER_KEY) *self->rekeyed = found;
  return self->rekeyed->status;
}

static void tell(void *to, const char *session_id, int64_t seq, ck_status status,
                 const char *text) {
  const ck_verify *self = to;
  if (is_rekeyed(self)) return;
  self->report->problems++;
  if (self->visit) self->visit(self->to, session_id, seq, status, text);
}

void ck_verify_add_finding(ck_verify *self, int64_t seq, ck_status status, const char *format,
                           ...) {
  char text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  tell(self, self->record.id, seq, status, text);
}

ck_status ck_verify_add_error(ck_verify *self, int64_t seq, ck_status status,
                              const ck_error *found) {
  switch (status) {
    case CK_OK:
      return CK_OK;
    case CK_E_CORRUPT:
    case CK_E_TRUNCATED:
    case CK_E_EMPTY:
    case CK_E_NEWER:
    case CK_E_WRONG_KEY:
    case CK_E_WRONG_SESSION:
    case CK_E_OVERSIZE:
    case CK_E_NOT_FOUND:
      ck_verify_add_finding(self, seq, status, "%s", found->text);
      return CK_OK;
    default:
      if (self->err) *self->err = *found;
      return status;
  }
}

/* ---- timelines ---- */

int64_t ck_verify_timeline_of(const ck_verify *self, int64_t seq) {
  size_t low = 0, high = self->timeline_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->timelines[middle].begin <= seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? self->timelines[low - 1].no : 0;
}

static const ck_timeline *find_timeline(const ck_verify *self, int64_t no) {
  for (size_t i = 0; i < self->timeline_count; i++) {
    if (self->timelines[i].no == no) return &self->timelines[i];
  }
  return NULL;
}

static ck_status check_timeline(ck_verify *self, const ck_timeline *timeline,
                                const ck_timeline *before) {
  long long no = (long long)timeline->no;
  int64_t begin = timeline->begin;
  ck_digest digest;
  ck_error found = CK_ERROR_INIT;
  if (begin < 1 || (before && begin <= before->begin))
    ck_verify_add_finding(self, begin, CK_E_CORRUPT,
                          "timeline %lld begins at %lld, not behind the one before it", no,
                          (long long)begin);
  if (timeline->parent &&
      (timeline->parent >= timeline->no || !find_timeline(self, timeline->parent)))
    ck_verify_add_finding(self, begin, CK_E_CORRUPT, "timeline %lld has no parent %lld", no,
                          (long long)timeline->parent);
  if (timeline->cut < 0 || timeline->cut >= begin || (timeline->cut && !timeline->parent))
    ck_verify_add_finding(self, begin, CK_E_CORRUPT, "timeline %lld cuts its parent at %lld", no,
                          (long long)timeline->cut);
  if (timeline->checkpoint == 0) return CK_OK;
  ck_status status =
      ck_store_core_get_digest(&digest, self->store, self->record.no, timeline->checkpoint, &found);
  if (status == CK_E_NOT_FOUND)
    ck_error_set(&found, status, "timeline %lld goes on from a checkpoint at %lld that is gone", no,
                 (long long)timeline->checkpoint);
  return ck_verify_add_error(self, begin, status, &found);
}

static ck_status check_timelines(ck_verify *self) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->timeline_count && !status; i++)
    if (!self->timelines[i].session)
      status = check_timeline(self, &self->timelines[i], i ? &self->timelines[i - 1] : NULL);
  if (!find_timeline(self, self->record.timeline))
    ck_verify_add_finding(self, 0, CK_E_CORRUPT, "its live timeline %lld is gone",
                          (long long)self->record.timeline);
  int64_t last = self->timeline_count ? self->timelines[self->timeline_count - 1].no : 0;
  if (last > self->record.timeline)
    ck_verify_add_finding(self, 0, CK_E_CORRUPT,
                          "its live timeline is said to be %lld, and there is a later one: %lld",
                          (long long)self->record.timeline, (long long)last);
  return status;
}

/* ---- sessions ---- */

static ck_status walk_rows(ck_verify *self) {
  ck_status status;
  do {
    status = ck_verify_checkpoints(self);
    bool more = self->header_count == CK_VERIFY_CHUNK;
    if (!status)
      status =
          ck_verify_events(self, more ? self->headers[self->header_count - 1].seq : self->last_seq);
  } while (!status && self->header_count == CK_VERIFY_CHUNK);
  if (!status && self->event_seq != self->last_seq)
    ck_verify_add_finding(self, self->event_seq + 1, CK_E_CORRUPT, "events %lld to %lld are gone",
                          (long long)self->event_seq + 1, (long long)self->last_seq);
  return status;
}

/* The row and its head, when no owner changed them in between. */
static ck_status check_head(ck_verify *self) {
  ck_session_record now;
  ck_error found = CK_ERROR_INIT;
  ck_status status = ck_store_core_get_head_row(&self->head, self->store, &self->record, self->err);
  if (!status) status = ck_store_get_session(&now, self->store, self->record.id, self->err);
  if (status) return status;
  bool settled = now.epoch == self->record.epoch && now.status == self->record.status;
  ck_session_record_clear(&now);
  if (!settled) return CK_OK;
  status = ck_head_row_check_session(&self->head, &self->record, &found);
  return ck_verify_add_error(self, 0, status, &found);
}

static ck_status check_end(ck_verify *self) {
  ck_error found = CK_ERROR_INIT;
  ck_status status = ck_head_row_check_end(&self->head, &self->record, self->last_seq, &found);
  return ck_verify_add_error(self, self->last_seq + 1, status, &found);
}

static ck_status verify_rows(ck_verify *self) {
  int64_t session = self->record.no;
  ck_digester_init(&self->events);
  self->covered = self->event_seq = self->record.origin.cut;
  ck_status status = check_head(self);
  if (!status)
    status = ck_store_core_get_last_seq(&self->last_seq, self->store, session, self->err);
  if (!status) status = check_end(self);
  if (!status)
    status = ck_store_core_list_timelines(&self->timelines, &self->timeline_count, self->store,
                                          session, self->err);
  if (!status) status = check_timelines(self);
  if (!status) status = ck_verify_files(self);
  if (!status) status = ck_verify_load(self, 0);
  if (!status) status = ck_verify_begin_sums(self);
  return status ? status : walk_rows(self);
}

/* A file too damaged to be read to the end is a finding as well. A session that does not exist is
 * an error of the caller, unless it was `listed`. */
static ck_status verify_session(const ck_verify *shared, const char *session_id, bool listed) {
  ck_error found = CK_ERROR_INIT;
  ck_verify *self = aligned_alloc(_Alignof(ck_verify), sizeof *self);
  if (!self) return ck_error_no_memory(shared->err);
  *self = *shared;
  self->err = &found;
  ck_status status = ck_store_get_session(&self->record, self->store, session_id, &found);
  bool there = listed || status != CK_E_NOT_FOUND;
  if (status) memcpy(self->record.id, session_id, strnlen(session_id, sizeof self->record.id - 1));
  ck_payload_init(&self->payload, self->record.id);
  if (!status) status = verify_rows(self);
  self->err = shared->err;
  if (there) self->report->sessions++;
  if (there)
    status = ck_verify_add_error(self, 0, status, &found);
  else if (shared->err)
    *shared->err = found;
  ck_session_record_clear(&self->record);
  free(self->timelines);
  ck_verify_clear_sums(self);
  ck_state_rebuild_free(self->rebuilt);
  ck_payload_clear(&self->payload);
  free(self);
  return status;
}

typedef struct id_list {
  char (*ids)[CK_ID_SIZE];
  size_t count, cap;
  bool failed;
} id_list;

static bool keep_id(void *to, const ck_session_record *record) {
  id_list *list = to;
  void *ids = ck_array_grow(list->ids, list->count, &list->cap, sizeof *list->ids);
  list->failed = !ids;
  if (!ids) return false;
  list->ids = ids;
  memcpy(list->ids[list->count++], record->id, CK_ID_SIZE);
  return true;
}

static ck_status verify_all(ck_verify *shared) {
  id_list list = {0};
  const ck_backend *backend = &shared->store->backend;
  const ck_error *set_back = &shared->store->set_back;
  ck_status status = CK_OK;
  if (set_back->status) tell(shared, "", 0, set_back->status, set_back->text);
  if (backend->check) status = backend->check(backend->self, tell, shared, NULL, shared->err);
  if (!status) status = ck_verify_blobs(shared);
  if (!status)
    status =
        backend->list_sessions(backend->self, &(ck_session_query){0}, keep_id, &list, shared->err);
  if (!status && list.failed) status = ck_error_no_memory(shared->err);
  for (size_t i = list.count; i-- > 0 && !status && !shared->rekeyed->status;)
    status = verify_session(shared, list.ids[i], true);
  free(list.ids);
  return status;
}

ck_status ck_store_verify_order(ck_verify_report *out, ck_store *self, const ck_verify_order *order,
                                ck_error *err) {
  ck_error found = CK_ERROR_INIT, rekeyed = CK_ERROR_INIT;
  const char *session_id = order->session_id;
  *out = (ck_verify_report){0};
  ck_verify shared = {.store = self,
                      .report = out,
                      .visit = order->visit,
                      .see = order->see,
                      .to = order->to,
                      .err = err ? err : &found,
                      .rekeyed = &rekeyed};
  ck_status status = session_id ? verify_session(&shared, session_id, false) : verify_all(&shared);
  if (!rekeyed.status) return status;
  *shared.err = rekeyed;
  return rekeyed.status;
}

ck_status ck_store_verify(ck_verify_report *out, ck_store *self, const char *session_id,
                          ck_problem_visit visit, void *to, ck_error *err) {
  const ck_verify_order order = {.session_id = session_id, .visit = visit, .to = to};
  return ck_store_verify_order(out, self, &order, err);
}
