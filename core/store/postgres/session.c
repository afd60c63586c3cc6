/* session.c - creates sessions, and takes and gives up leases on them. */
#include <stdlib.h>
#include <string.h>

#include "core/store/postgres/postgres.h"

static ck_status not_found(const ck_postgres *self, const char *session_id, ck_error *err) {
  return ck_error_set(err, CK_E_NOT_FOUND, "there is no session %s in store %s", session_id,
                      self->url.name);
}

/* The row is of `*result`, which the caller clears; none: nobody has it. */
static ck_status read_owner(PGresult **result, ck_postgres_row *row, ck_postgres *self,
                            const char *session_id, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_OWNER};
  ck_postgres_bind_text(&query, session_id);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  ck_status status = ck_postgres_read(result, self, &query, "ask who has a session", err);
  if (status == CK_OK) *row = ck_postgres_first(self->pq, *result);
  return status;
}

static ck_status check_owner(void *to, const char *session_id, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_row row;
  ck_status status = read_owner(&result, &row, self, session_id, err);
  if (status != CK_OK) return status;
  if (row.count) status = ck_postgres_check_free(self, &row, session_id, err);
  self->pq->clear(result);
  return status;
}

static ck_status find_holder(long *pid, void *to, const char *session_id, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_row row;
  ck_status status = read_owner(&result, &row, self, session_id, err);
  if (status != CK_OK) return status;
  if (row.count) *pid = ck_postgres_holder_here(&row);
  self->pq->clear(result);
  return CK_OK;
}

/* Best effort: a lease that is not given back ends by itself. Of one that has lapsed the server is
 * not asked: it may be what does not answer. */
static void release(void *to, ck_lease lease) {
  ck_postgres *self = to;
  ck_error ignored = CK_ERROR_INIT;
  ck_postgres_query query = {.sql = CK_POSTGRES_RELEASE};
  int64_t writer = ck_postgres_writer_of(self, lease);
  if (!writer || ck_postgres_drop(self, lease)) return;
  ck_postgres_bind_int(&query, lease.session);
  ck_postgres_bind_int(&query, (int64_t)lease.epoch);
  ck_postgres_bind_int(&query, writer);
  if (!self->unknown && ck_postgres_check_writer(self, &ignored) == CK_OK &&
      ck_postgres_write(NULL, self->writer, &query, "give a session back", &ignored) == CK_OK) {
    ck_postgres_notify(self);
    return;
  }
  ck_postgres_query_clear(&query);
}

/* On a connection of its own: the writer's can be what the fault is about. */
static void set_fault(void *to, ck_lease lease, const char *text) {
  ck_postgres *self = to;
  ck_error ignored = CK_ERROR_INIT;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_FAULT};
  ck_postgres_bind_int(&query, lease.session);
  ck_postgres_bind_int(&query, (int64_t)lease.epoch);
  ck_postgres_bind_int(&query, ck_postgres_writer_of(self, lease));
  ck_postgres_bind_text(&query, text);
  if (ck_postgres_read(&result, self, &query, "tell of a fault", &ignored) == CK_OK)
    self->pq->clear(result);
}

static void get_fault(char out[CK_STORE_FAULT_MAX], void *to, const char *session_id) {
  ck_postgres *self = to;
  ck_error ignored = CK_ERROR_INIT;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_OWNER};
  out[0] = '\0';
  ck_postgres_bind_text(&query, session_id);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  if (ck_postgres_read(&result, self, &query, "ask for a fault", &ignored) != CK_OK) return;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  const char *text = row.count ? ck_postgres_text(&row, 7) : NULL;
  if (text && ck_postgres_check_free(self, &row, session_id, &ignored) == CK_E_OWNED)
    snprintf(out, CK_STORE_FAULT_MAX, "%s", text);
  self->pq->clear(result);
}

/* The lease's row tells how often the session was taken since; its own run counts there in the
 * first place, and each that took it over has counted one more, unless the session had got on: then
 * nothing of this run is in the count any more. */
static ck_status put_lapse(void *to, ck_lease of, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_LAPSE};
  ck_postgres_bind_int(&query, of.session);
  ck_postgres_bind_int(&query, (int64_t)of.epoch);
  return ck_postgres_note(to, &query, "note that a lease lapsed", err);
}

/* ---- rows of an opening ---- */

ck_status ck_postgres_put_timeline(ck_postgres *self, int64_t session, const ck_timeline *timeline,
                                   ck_bytes about, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_TIMELINE};
  const int64_t numbers[] = {session,         timeline->no,         timeline->parent, timeline->cut,
                             timeline->begin, timeline->checkpoint, timeline->attempt};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ck_postgres_bind_int(&query, numbers[i]);
  ck_postgres_bind_text(&query, timeline->run);
  ck_postgres_bind_text(&query, timeline->parent_run);
  ck_postgres_bind_optional(&query, about);
  return ck_postgres_write(NULL, self->writer, &query, "open a timeline", err);
}

static ck_status put_opening(ck_postgres *self, ck_lease lease, int64_t writer, int64_t last_seq,
                             const ck_row_opening *with, ck_error *err) {
  bool fits;
  ck_row_batch batch = {.lease = lease,
                        .events = with->events,
                        .event_count = with->event_count,
                        .checkpoint = with->checkpoint,
                        .head = &with->head};
  if (with->event_count && with->events[0].seq != last_seq + 1)
    return ck_error_set(err, CK_E_RANGE, "event %lld does not follow event %lld",
                        (long long)with->events[0].seq, (long long)last_seq);
  ck_bytes about = with->about ? ck_value_bytes(with->about) : (ck_bytes){NULL, 0};
  ck_status status = ck_postgres_put_timeline(self, lease.session, with->timeline, about, err);
  if (status == CK_OK) status = ck_postgres_append(&fits, self, &batch, writer, last_seq, err);
  if (status != CK_OK || fits) return status;
  return ck_error_set(err, CK_E_RANGE, "the opening of session number %lld does not follow it",
                      (long long)lease.session);
}

static ck_session_update update_of(const ck_row_opening *with) {
  return with->update ? *with->update : (ck_session_update){.status = CK_SESSION_RUNNING};
}

/* A question about a session and a seq, with a row as its yes. */
static ck_status ask(bool *yes, ck_postgres *self, ck_postgres_sql sql, int64_t session,
                     int64_t seq, ck_error *err) {
  int rows;
  ck_postgres_query query = {.sql = sql};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_int(&query, seq);
  ck_status status = ck_postgres_write(&rows, self->writer, &query, "look for a checkpoint", err);
  *yes = rows > 0;
  return status;
}

/* The checkpoint that a run continues can be another session's, which may prune it at any time: its
 * lease's row is locked first, as a prune does, and looked at behind that. */
static ck_status check_base(ck_postgres *self, int64_t session, int64_t seq, ck_error *err) {
  bool yes;
  ck_status status = ask(&yes, self, CK_POSTGRES_LOCK_BASE, session, seq, err);
  if (status == CK_OK) status = ask(&yes, self, CK_POSTGRES_HAS_BASE, session, seq, err);
  if (status != CK_OK || yes) return status;
  return ck_error_set(err, CK_E_NOT_FOUND,
                      "store %s: the checkpoint at seq %lld was pruned meanwhile", self->url.name,
                      (long long)seq);
}

/* ---- creation ---- */

static ck_status put_session(int64_t *no, ck_postgres *self, const ck_session_record *record,
                             const ck_row_opening *with, int64_t writer, ck_error *err) {
  PGresult *result;
  ck_session_update update = update_of(with);
  ck_postgres_query query = {.sql = CK_POSTGRES_CREATE};
  ck_postgres_bind_text(&query, record->id);
  ck_postgres_bind_int(&query, update.status);
  ck_postgres_bind_text(&query, update.reason);
  ck_postgres_bind_text(&query, update.failure);
  ck_postgres_bind_text(&query, update.node);
  ck_postgres_bind_int(&query, with->timeline->no);
  ck_postgres_bind_text(&query, record->run);
  ck_postgres_bind_int(&query, record->created_ms);
  ck_postgres_bind_text(&query, record->profile);
  ck_postgres_bind_text(&query, record->flow);
  ck_postgres_bind_text(&query, record->description);
  ck_postgres_bind_optional(&query,
                            record->input ? ck_value_bytes(record->input) : (ck_bytes){NULL, 0});
  ck_postgres_bind_int(&query, record->origin.session);
  ck_postgres_bind_int(&query, record->origin.cut);
  ck_postgres_bind_int(&query, writer);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  ck_postgres_bind_text(&query, self->owner);
  ck_status status = ck_postgres_run(&result, self->writer, &query, "make a session", err);
  ck_postgres_query_clear(&query);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  *no = row.count ? ck_postgres_int(&row, 0) : 0;
  self->pq->clear(result);
  if (*no) return CK_OK;
  return ck_error_set(err, CK_E_EXISTS,
                      "session %s exists already in store %s: give another id, or resume it",
                      record->id, self->url.name);
}

static ck_status create_session(ck_lease *out, void *to, const ck_session_record *record,
                                const ck_row_opening *opening, ck_error *err) {
  ck_postgres *self = to;
  ck_postgres_owned *owned = NULL;
  *out = (ck_lease){0};
  int64_t no = 0;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_postgres_reserve(&owned, self, err);
  if (status == CK_OK) status = ck_postgres_check_key(self, err);
  if (status == CK_OK) status = put_session(&no, self, record, opening, owned->writer, err);
  if (status == CK_OK && record->origin.session)
    status = check_base(self, no, record->origin.cut, err);
  if (status == CK_OK)
    status = put_opening(self, (ck_lease){no, 1}, owned->writer, record->origin.cut, opening, err);
  status = ck_postgres_end(self, status, err);
  if (status != CK_OK) {
    free(owned);
    return status;
  }
  *out = (ck_lease){no, 1};
  ck_postgres_keep(self, owned, *out);
  return CK_OK;
}

/* ---- acquisition ---- */

typedef struct standing {
  int64_t no, last_seq, last_timeline;
  uint64_t epoch;
} standing;

/* Locks the lease's row: waits for an open commit of its owner. */
static ck_status find(standing *out, ck_postgres *self, const char *session_id, uint64_t epoch_read,
                      ck_error *err) {
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_LOCK};
  ck_postgres_bind_text(&query, session_id);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  ck_status status = ck_postgres_run(&result, self->writer, &query, "take a session", err);
  ck_postgres_query_clear(&query);
  *out = (standing){0};
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (!row.count)
    status = not_found(self, session_id, err);
  else
    *out = (standing){.no = ck_postgres_int(&row, 0),
                      .epoch = (uint64_t)ck_postgres_int(&row, 1),
                      .last_seq = ck_postgres_int(&row, 2),
                      .last_timeline = ck_postgres_int(&row, 3)};
  if (status == CK_OK) status = ck_postgres_check_free(self, &row, session_id, err);
  if (status == CK_OK && out->epoch != epoch_read)
    status = ck_error_set(
        err, CK_E_FENCED, "session %s was taken by another run: its epoch is %llu, not %llu",
        session_id, (unsigned long long)out->epoch, (unsigned long long)epoch_read);
  self->pq->clear(result);
  return status;
}

static ck_status bump_epoch(ck_postgres *self, int64_t no, int64_t writer,
                            const ck_row_opening *with, ck_error *err) {
  ck_session_update update = update_of(with);
  ck_postgres_query query = {.sql = CK_POSTGRES_ACQUIRE};
  ck_postgres_bind_int(&query, no);
  ck_postgres_bind_int(&query, update.status);
  ck_postgres_bind_text(&query, update.reason);
  ck_postgres_bind_text(&query, update.failure);
  ck_postgres_bind_text(&query, update.node);
  ck_postgres_bind_int(&query, with->timeline->no);
  ck_postgres_bind_text(&query, with->timeline->run);
  ck_postgres_bind_int(&query, with->event_count ? with->events[with->event_count - 1].at_ms : 0);
  ck_postgres_bind_int(&query, with->restarts.count);
  ck_postgres_bind_int(&query, with->restarts.at_ms);
  ck_postgres_bind_int(&query, with->restarts.progress_seq);
  ck_postgres_bind_int(&query, writer);
  ck_postgres_bind_text(&query, self->owner);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  return ck_postgres_write(NULL, self->writer, &query, "acquire a session", err);
}

static ck_status acquire_rows(ck_lease *out, ck_postgres *self, const char *session_id,
                              uint64_t epoch_read, const ck_row_opening *with, int64_t writer,
                              ck_error *err) {
  standing at;
  const ck_timeline *timeline = with->timeline;
  ck_status status = ck_postgres_check_key(self, err);
  if (status == CK_OK) status = find(&at, self, session_id, epoch_read, err);
  if (status == CK_OK && timeline->no <= at.last_timeline)
    status = ck_error_set(err, CK_E_RANGE, "timeline %lld of session %s exists already",
                          (long long)timeline->no, session_id);
  if (status == CK_OK && timeline->checkpoint)
    status = check_base(self, at.no, timeline->checkpoint, err);
  if (status == CK_OK) status = bump_epoch(self, at.no, writer, with, err);
  if (status != CK_OK) return status;
  *out = (ck_lease){at.no, epoch_read + 1};
  return put_opening(self, *out, writer, at.last_seq, with, err);
}

static ck_status lock_rows(ck_lease *out, ck_postgres *self, const char *session_id,
                           uint64_t epoch_read, int64_t writer, ck_error *err) {
  standing at;
  ck_status status = ck_postgres_check_key(self, err);
  if (status == CK_OK) status = find(&at, self, session_id, epoch_read, err);
  if (status != CK_OK) return status;
  *out = (ck_lease){at.no, epoch_read};
  ck_postgres_query query = {.sql = CK_POSTGRES_OWN};
  ck_postgres_bind_int(&query, at.no);
  ck_postgres_bind_int(&query, writer);
  ck_postgres_bind_text(&query, self->owner);
  ck_postgres_bind_int(&query, self->url.lease_ms);
  return ck_postgres_write(NULL, self->writer, &query, "lock a session", err);
}

/* `opening` NULL: without a run. */
static ck_status take(ck_lease *out, ck_postgres *self, const char *session_id, uint64_t epoch_read,
                      const ck_row_opening *opening, ck_error *err) {
  ck_postgres_owned *owned = NULL;
  ck_lease lease = {0};
  *out = lease;
  ck_status status = ck_postgres_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_postgres_reserve(&owned, self, err);
  if (status == CK_OK && opening)
    status = acquire_rows(&lease, self, session_id, epoch_read, opening, owned->writer, err);
  else if (status == CK_OK)
    status = lock_rows(&lease, self, session_id, epoch_read, owned->writer, err);
  status = ck_postgres_end(self, status, err);
  if (status != CK_OK) {
    free(owned);
    return status;
  }
  *out = lease;
  ck_postgres_keep(self, owned, lease);
  return CK_OK;
}

static ck_status acquire(ck_lease *out, void *to, const char *session_id, uint64_t epoch_read,
                         const ck_row_opening *opening, ck_error *err) {
  return take(out, to, session_id, epoch_read, opening, err);
}

static ck_status lock_session(ck_lease *out, void *to, const char *session_id, uint64_t epoch_read,
                              ck_error *err) {
  return take(out, to, session_id, epoch_read, NULL, err);
}

void ck_postgres_add_sessions(ck_backend *backend) {
  backend->create_session = create_session;
  backend->acquire = acquire;
  backend->lock_session = lock_session;
  backend->check_owner = check_owner;
  backend->lapse.find_holder = find_holder;
  backend->lapse.put = put_lapse;
  backend->set_fault = set_fault;
  backend->get_fault = get_fault;
  backend->release = release;
}
