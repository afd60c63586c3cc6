/* read.c - reads the memory backend. Visitors run without its lock: visible rows do not change, and
 * a row that pruning replaced is freed when no read is under way. */
#include <stdlib.h>
#include <string.h>

#include "core/store/memory/memory.h"

ck_memory_session *ck_memory_get_session(const ck_memory *self, int64_t no) {
  ck_memory_session *session =
      no > 0 && (uint64_t)no <= self->session_count ? self->sessions[no - 1] : NULL;
  return session && !session->deleted ? session : NULL;
}

ck_memory_session *ck_memory_get_named(const ck_memory *self, const char *session_id) {
  for (size_t i = self->session_count; i-- > 0;) {
    if (!self->sessions[i]->deleted && strcmp(self->sessions[i]->record.id, session_id) == 0)
      return self->sessions[i];
  }
  return NULL;
}

ck_status ck_memory_no_session(const ck_memory *self, const char *session_id, ck_error *err) {
  return ck_error_set(err, CK_E_NOT_FOUND, "there is no session %s in store memory:%s", session_id,
                      self->name);
}

size_t ck_memory_find_checkpoint(const ck_memory_session *session, int64_t seq) {
  size_t low = 0, high = session->checkpoints.staged;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (((const ck_checkpoint_row *)session->checkpoints.rows[middle])->seq < seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static size_t find_event(const ck_memory_session *session, int64_t seq) {
  int64_t before = session->base;
  size_t at = seq > before ? (size_t)(seq - before) - 1 : 0;
  return at < session->events.staged ? at : session->events.staged;
}

/* ---- sessions ---- */

static ck_status get_session(ck_session_record *out, void *self, const char *session_id,
                             ck_error *err) {
  *out = (ck_session_record){0};
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_named(memory, session_id);
  ck_status status = session ? ck_memory_copy_record(out, &session->record, err)
                             : ck_memory_no_session(memory, session_id, err);
  return ck_memory_unlock(memory, status);
}

static bool is_asked_for(const ck_session_query *query, const ck_session_record *record) {
  if (query->statuses && !(query->statuses >> record->status & 1)) return false;
  return record->status == CK_SESSION_RUNNING || record->updated_ms >= query->since_ms;
}

static ck_status list_sessions(void *self, const ck_session_query *query, ck_session_visit visit,
                               void *to, ck_error *err) {
  ck_memory *memory = ck_memory_lock(self);
  size_t count = memory->session_count;
  ck_memory_unlock(memory, CK_OK);
  bool more = true;
  for (size_t no = count; no > 0 && more; no--) {
    ck_session_record record;
    ck_memory_lock(self);
    const ck_memory_session *session = ck_memory_get_session(memory, (int64_t)no);
    ck_status status = session ? ck_memory_copy_record(&record, &session->record, err) : CK_OK;
    ck_memory_unlock(memory, CK_OK);
    if (status) return status;
    if (!session) continue;
    if (is_asked_for(query, &record)) more = visit(to, &record);
    ck_session_record_clear(&record);
  }
  return CK_OK;
}

static ck_status get_head(ck_head_row *out, void *self, int64_t no, ck_error *err) {
  (void)err;
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_session(memory, no);
  *out = session ? session->head : (ck_head_row){0};
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status get_about(ck_value **out, char run[CK_ID_SIZE], void *self, int64_t no,
                           int64_t timeline, ck_error *err) {
  (void)err;
  *out = NULL;
  *run = '\0';
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_session(memory, no);
  for (size_t i = 0; session && i < session->timeline_count; i++) {
    if (session->timelines[i].no != timeline) continue;
    *out = ck_value_share(session->abouts[i]);
    memcpy(run, session->timelines[i].run, CK_ID_SIZE);
  }
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status get_identity(ck_identity *out, void *self, int64_t no, ck_error *err) {
  *out = (ck_identity){0};
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_session(memory, no);
  if (!session)
    return ck_memory_unlock(memory, ck_error_set(err, CK_E_NOT_FOUND,
                                                 "there is no session number %lld", (long long)no));
  memcpy(out->id, session->record.id, sizeof out->id);
  out->origin = session->record.origin;
  out->created_ms = session->record.created_ms;
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status list_timelines(ck_timeline **out, size_t *count, void *self, int64_t no,
                                ck_error *err) {
  *out = NULL;
  *count = 0;
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_session(memory, no);
  size_t found = session ? session->timeline_count : 0;
  ck_timeline *timelines = malloc((found + 1) * sizeof *timelines);
  if (!timelines) return ck_memory_unlock(memory, ck_error_no_memory(err));
  if (found) memcpy(timelines, session->timelines, found * sizeof *timelines);
  *out = timelines;
  *count = found;
  return ck_memory_unlock(memory, CK_OK);
}

static ck_status last_seq(int64_t *out, void *self, int64_t no, ck_error *err) {
  (void)err;
  ck_memory *memory = ck_memory_lock(self);
  const ck_memory_session *session = ck_memory_get_session(memory, no);
  *out = session && session->events.count ? session->base + (int64_t)session->events.count : 0;
  return ck_memory_unlock(memory, CK_OK);
}

/* ---- rows ---- */

/* A range of one list of rows, walked by index: rows are only appended, or replaced at their
 * index. */
typedef struct rows_walk {
  ck_memory *memory;
  const ck_memory_rows *rows; /* NULL: nothing to walk */
  size_t begin, end;
  bool backward;
} rows_walk;

typedef struct rows_wanted {
  int64_t session, after, until;
  bool backward;
  const ck_memory_rows *(*list)(const ck_memory_session *session);
  size_t (*find)(const ck_memory_session *session, int64_t seq);
} rows_wanted;

static const ck_memory_rows *event_rows(const ck_memory_session *session) {
  return &session->events;
}

static const ck_memory_rows *checkpoint_rows(const ck_memory_session *session) {
  return &session->checkpoints;
}

static rows_walk begin_walk(void *self, const rows_wanted *wanted) {
  ck_memory *memory = ck_memory_lock(self);
  rows_walk walk = {.memory = memory, .backward = wanted->backward};
  const ck_memory_session *session = ck_memory_get_session(memory, wanted->session);
  if (session && wanted->after < INT64_MAX) {
    bool bounded = wanted->until > 0 && wanted->until < INT64_MAX;
    size_t count = wanted->list(session)->count;
    walk.rows = wanted->list(session);
    walk.begin = wanted->find(session, wanted->after + 1);
    walk.end = bounded ? wanted->find(session, wanted->until + 1) : count;
    if (walk.end > count) walk.end = count;
    if (walk.begin > walk.end) walk.begin = walk.end;
  }
  memory->walks++;
  ck_memory_unlock(memory, CK_OK);
  return walk;
}

/* NULL: no more. */
static const void *next_row(rows_walk *walk) {
  if (walk->begin == walk->end) return NULL;
  pthread_mutex_lock(&walk->memory->mutex);
  const void *row = walk->rows->rows[walk->backward ? --walk->end : walk->begin++];
  pthread_mutex_unlock(&walk->memory->mutex);
  return row;
}

static ck_status end_walk(rows_walk *walk) {
  pthread_mutex_lock(&walk->memory->mutex);
  if (--walk->memory->walks == 0) ck_memory_free_retired(walk->memory);
  return ck_memory_unlock(walk->memory, CK_OK);
}

static ck_status read_events(void *self, const ck_event_rows *rows, ck_event_row_visit visit,
                             void *to, ck_error *err) {
  (void)err;
  rows_walk walk = begin_walk(self, &(rows_wanted){rows->session, rows->after, rows->until,
                                                   rows->backward, event_rows, find_event});
  const ck_event_row *row;
  while ((row = next_row(&walk)) && visit(to, row)) continue;
  return end_walk(&walk);
}

static ck_status read_checkpoints(void *self, const ck_checkpoint_rows *rows,
                                  ck_checkpoint_row_visit visit, void *to, ck_error *err) {
  (void)err;
  rows_wanted wanted = {rows->session,  rows->after,     rows->until,
                        rows->backward, checkpoint_rows, ck_memory_find_checkpoint};
  rows_walk walk = begin_walk(self, &wanted);
  const ck_checkpoint_row *row;
  while ((row = next_row(&walk))) {
    ck_checkpoint_row seen = *row;
    if (!rows->payloads) seen.payload.data = NULL;
    if (!visit(to, &seen)) break;
  }
  return end_walk(&walk);
}

/* ---- figures ---- */

static void count_rows(ck_store_stats *out, const ck_memory_session *session) {
  out->events += (int64_t)session->events.count;
  for (size_t i = 0; i < session->events.count; i++) {
    const ck_event_row *row = session->events.rows[i];
    out->event_bytes += (int64_t)row->body.len;
    out->event_plain_bytes += row->plain_len;
  }
  for (size_t i = 0; i < session->checkpoints.count; i++) {
    const ck_checkpoint_row *row = session->checkpoints.rows[i];
    bool pruned = (row->encoding & CK_ENCODING_PRUNED) != 0;
    out->checkpoints += !pruned;
    out->keyframes += !pruned && row->keyframe == row->seq;
    out->payload_bytes += (int64_t)row->payload.len;
    out->payload_plain_bytes += row->plain_len;
  }
}

static ck_status get_stats(ck_store_stats *out, void *self, ck_error *err) {
  (void)err;
  *out = (ck_store_stats){.schema = CK_STORE_SCHEMA};
  ck_memory *memory = ck_memory_lock(self);
  for (size_t i = 0; i < memory->session_count; i++) {
    if (memory->sessions[i]->deleted) continue;
    out->sessions++;
    count_rows(out, memory->sessions[i]);
  }
  return ck_memory_unlock(memory, CK_OK);
}

void ck_memory_add_reading(ck_backend *out) {
  out->get_session = get_session;
  out->list_sessions = list_sessions;
  out->get_identity = get_identity;
  out->get_head = get_head;
  out->get_about = get_about;
  out->list_timelines = list_timelines;
  out->last_seq = last_seq;
  out->read_checkpoints = read_checkpoints;
  out->read_events = read_events;
  out->get_stats = get_stats;
}
