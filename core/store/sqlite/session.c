/* session.c - creates and acquires sessions, and keeps the locks of this handle. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/refusal.h"
#include "core/store/sqlite/scrub.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

/* ---- the locks this process holds ---- */

static ck_status own(ck_owned **out, ck_sqlite *self, const char *session_id, ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  ck_status status = ck_session_lock_open(&(*out)->lock, self->path, session_id, err);
  if (status == CK_OK) {
    ck_sqlite_forget_refusals(self, session_id);
    return CK_OK;
  }
  free(*out);
  *out = NULL;
  return status;
}

static void disown(ck_owned *owned) {
  if (!owned) return;
  ck_session_lock_close(owned->lock);
  free(owned);
}

static void keep(ck_sqlite *self, ck_owned *owned, ck_lease lease) {
  owned->lease = lease;
  owned->next = self->owned;
  self->owned = owned;
}

void ck_owned_forget(ck_owned *self) {
  self->known = false;
  self->checkpoint = 0;
}

ck_owned *ck_sqlite_get_owned(const ck_sqlite *self, ck_lease lease) {
  ck_owned *owned = self->owned;
  while (owned && (owned->lease.session != lease.session || owned->lease.epoch != lease.epoch))
    owned = owned->next;
  return owned;
}

static void drop(ck_sqlite *self, ck_lease lease) {
  for (ck_owned **at = &self->owned; *at; at = &(*at)->next) {
    ck_owned *owned = *at;
    if (owned->lease.session != lease.session || owned->lease.epoch != lease.epoch) continue;
    *at = owned->next;
    disown(owned);
    return;
  }
}

/* The end or the pause of the last run of this handle: the store may rest for long. */
static void release(void *to, ck_lease lease) {
  ck_sqlite *self = to;
  drop(self, lease);
  if (!self->owned) ck_wal_rest(self);
}

void ck_sqlite_release_all(ck_sqlite *self) {
  while (self->owned) drop(self, self->owned->lease);
}

static void set_fault(void *to, ck_lease lease, const char *text) {
  const ck_owned *owned = ck_sqlite_get_owned(to, lease);
  if (owned) ck_session_lock_set_fault(owned->lock, text);
}

static void get_fault(char out[CK_STORE_FAULT_MAX], void *to, const char *session_id) {
  ck_session_lock_get_fault(out, CK_STORE_FAULT_MAX, ((ck_sqlite *)to)->path, session_id);
}

static ck_status check_owner(void *to, const char *session_id, ck_error *err) {
  return ck_session_lock_check(((ck_sqlite *)to)->path, session_id, err);
}

/* ---- rows ---- */

static ck_status not_found(const ck_sqlite *self, const char *session_id, ck_error *err) {
  return ck_error_set(err, CK_E_NOT_FOUND, "there is no session %s in store %s", session_id,
                      self->path);
}

static ck_status taken(const ck_sqlite *self, const char *session_id, ck_error *err) {
  return ck_error_set(err, CK_E_EXISTS,
                      "session %s exists already in store %s: give another id, or resume it",
                      session_id, self->path);
}

static ck_status put_timeline(ck_sqlite *self, int64_t session, const ck_row_opening *with,
                              ck_error *err) {
  const ck_timeline *timeline = with->timeline;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_TIMELINE);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, timeline->no);
  ck_bind_int(&binder, timeline->parent);
  ck_bind_int(&binder, timeline->cut);
  ck_bind_int(&binder, timeline->begin);
  ck_bind_int(&binder, timeline->checkpoint);
  ck_bind_int(&binder, timeline->attempt);
  ck_bind_text(&binder, timeline->run);
  ck_bind_text(&binder, timeline->parent_run);
  ck_bind_optional(&binder, with->about ? ck_value_bytes(with->about) : (ck_bytes){NULL, 0});
  return ck_sqlite_write_row(self, &binder, "open a timeline", err);
}

static ck_status put_opening(ck_sqlite *self, int64_t session, int64_t last_seq,
                             const ck_row_opening *with, ck_error *err) {
  for (size_t i = 0; i < with->event_count; i++)
    if (with->events[i].seq != last_seq + 1 + (int64_t)i)
      return ck_error_set(err, CK_E_RANGE, "event %lld does not follow event %lld",
                          (long long)with->events[i].seq, (long long)(last_seq + (int64_t)i));
  ck_status status = put_timeline(self, session, with, err);
  if (status == CK_OK)
    status = ck_sqlite_put_events(self, session, with->events, with->event_count, err);
  if (status == CK_OK && with->checkpoint)
    status = ck_sqlite_put_checkpoint(self, session, with->checkpoint, err);
  if (status == CK_OK)
    status = ck_sqlite_put_blob_rows(self, session, with->blobs, with->blob_count, err);
  return status == CK_OK ? ck_sqlite_put_head(self, session, &with->head, err) : status;
}

/* The session's row as the opening sets it. */
static ck_session_update update_of(const ck_row_opening *with) {
  return with->update ? *with->update : (ck_session_update){.status = CK_SESSION_RUNNING};
}

/* Number and last timeline of a session; *session 0: there is none. */
static ck_status find(int64_t *session, int64_t *timeline, ck_sqlite *self, const char *session_id,
                      ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_FIND_SESSION);
  ck_bind_text(&binder, session_id);
  int code = ck_binder_next(&binder);
  *session = *timeline = 0;
  if (code == SQLITE_DONE) return CK_OK;
  if (code != SQLITE_ROW)
    return ck_sqlite_error(self, self->writer->db, code, "look for a session", err);
  *session = sqlite3_column_int64(binder.stmt, 0);
  *timeline = sqlite3_column_int64(binder.stmt, 1);
  ck_binder_clear(&binder);
  return CK_OK;
}

/* The number that the next session gets. */
static ck_status touch_next(ck_sqlite *self, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_NEXT_SESSION);
  int code = ck_binder_next(&binder);
  int64_t no = code == SQLITE_ROW ? sqlite3_column_int64(binder.stmt, 0) : 0;
  ck_binder_clear(&binder);
  if (code != SQLITE_ROW)
    return ck_sqlite_error(self, self->writer->db, code, "count its sessions", err);
  return ck_inventory_touch_session(self, no, err);
}

static ck_status put_session(int64_t *no, ck_sqlite *self, const ck_session_record *record,
                             const ck_row_opening *with, ck_error *err) {
  ck_session_update update = update_of(with);
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_SESSION);
  ck_bind_text(&binder, record->id);
  ck_bind_int(&binder, with->timeline->no);
  ck_bind_text(&binder, record->run);
  ck_bind_int(&binder, record->created_ms);
  ck_bind_text(&binder, record->profile);
  ck_bind_text(&binder, record->flow);
  ck_bind_optional(&binder, record->input ? ck_value_bytes(record->input) : (ck_bytes){NULL, 0});
  ck_bind_int(&binder, update.status);
  ck_bind_text(&binder, update.reason);
  ck_bind_text(&binder, update.failure);
  ck_bind_int(&binder, record->origin.session);
  ck_bind_int(&binder, record->origin.cut);
  ck_bind_text(&binder, record->description);
  ck_bind_text(&binder, update.node);
  ck_status status = ck_sqlite_write_row(self, &binder, "make a session", err);
  *no = sqlite3_last_insert_rowid(self->writer->db);
  return status;
}

/* ---- creation and acquisition ---- */

/* Read before the lock is taken: an unknown session leaves no lock file behind, and the owner of an
 * existing one is not disturbed. */
static ck_status check_exists(bool *out, ck_sqlite *self, const char *session_id, ck_error *err) {
  ck_connection *reader;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(reader, CK_SQL_FIND_SESSION);
  ck_bind_text(&binder, session_id);
  int code = ck_binder_next(&binder);
  *out = code == SQLITE_ROW;
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    status = ck_sqlite_error(self, reader->db, code, "look for a session", err);
  ck_binder_clear(&binder);
  ck_sqlite_put_reader(self, reader);
  return status;
}

/* The checkpoint that a run continues can be another session's, which may prune it at any time. */
static ck_status check_base(ck_sqlite *self, int64_t session, int64_t seq, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_HAS_BASE);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, seq);
  int code = ck_binder_next(&binder);
  ck_binder_clear(&binder);
  if (code == SQLITE_ROW) return CK_OK;
  if (code != SQLITE_DONE)
    return ck_sqlite_error(self, self->writer->db, code, "look for a checkpoint", err);
  return ck_error_set(err, CK_E_NOT_FOUND,
                      "store %s: the checkpoint at seq %lld was pruned meanwhile", self->path,
                      (long long)seq);
}

static ck_status create_rows(int64_t *no, ck_sqlite *self, const ck_session_record *record,
                             const ck_row_opening *with, ck_error *err) {
  int64_t other, timeline;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = find(&other, &timeline, self, record->id, err);
  if (status == CK_OK && other) status = taken(self, record->id, err);
  if (status == CK_OK) status = touch_next(self, err);
  if (status == CK_OK) status = put_session(no, self, record, with, err);
  if (status == CK_OK && record->origin.session)
    status = check_base(self, *no, record->origin.cut, err);
  if (status == CK_OK) status = put_opening(self, *no, record->origin.cut, with, err);
  return ck_sqlite_end(self, status, err);
}

static ck_status create_session(ck_lease *out, void *to, const ck_session_record *record,
                                const ck_row_opening *opening, ck_error *err) {
  ck_sqlite *self = to;
  *out = (ck_lease){0};
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  bool exists;
  ck_status status = check_exists(&exists, self, record->id, err);
  if (status != CK_OK) return status;
  if (exists) return taken(self, record->id, err);
  ck_owned *owned;
  status = own(&owned, self, record->id, err);
  if (status == CK_E_OWNED)
    return taken(self, record->id, err); /* another process is creating it right now */
  if (status != CK_OK) return status;
  int64_t no = 0;
  status = create_rows(&no, self, record, opening, err);
  if (status != CK_OK) {
    disown(owned);
    return status;
  }
  *out = (ck_lease){no, 1};
  keep(self, owned, *out);
  return CK_OK;
}

static ck_status bump_epoch(ck_sqlite *self, ck_lease from, const ck_row_opening *with,
                            ck_error *err) {
  ck_session_update update = update_of(with);
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_ACQUIRE);
  ck_bind_int(&binder, with->timeline->no);
  ck_bind_text(&binder, with->timeline->run);
  ck_bind_int(&binder, with->event_count ? with->events[with->event_count - 1].at_ms : 0);
  ck_bind_int(&binder, from.session);
  ck_bind_int(&binder, (int64_t)from.epoch);
  ck_bind_int(&binder, update.status);
  ck_bind_text(&binder, update.reason);
  ck_bind_text(&binder, update.failure);
  ck_bind_int(&binder, with->restarts.count);
  ck_bind_int(&binder, with->restarts.at_ms);
  ck_bind_int(&binder, with->restarts.progress_seq);
  ck_bind_text(&binder, update.node);
  return ck_sqlite_write_row(self, &binder, "acquire a session", err);
}

static ck_status check_epoch(const char *session_id, uint64_t now, uint64_t read, ck_error *err) {
  if (now == read) return CK_OK;
  return ck_error_set(err, CK_E_FENCED,
                      "session %s was taken by another run: its epoch is %llu, not %llu",
                      session_id, (unsigned long long)now, (unsigned long long)read);
}

static ck_status acquire_rows(int64_t *no, ck_sqlite *self, const char *session_id,
                              uint64_t epoch_read, const ck_row_opening *with, ck_error *err) {
  int64_t last_timeline;
  ck_sqlite_position position = {0};
  ck_status status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = find(no, &last_timeline, self, session_id, err);
  if (status == CK_OK && *no == 0) status = not_found(self, session_id, err);
  if (status == CK_OK) status = ck_sqlite_get_position(&position, self, *no, 0, err);
  if (status == CK_OK) status = check_epoch(session_id, position.epoch, epoch_read, err);
  if (status == CK_OK && with->timeline->no <= last_timeline)
    status = ck_error_set(err, CK_E_RANGE, "timeline %lld of session %s exists already",
                          (long long)with->timeline->no, session_id);
  if (status == CK_OK) status = ck_sqlite_check_session(self, *no, err);
  if (status == CK_OK && with->timeline->checkpoint)
    status = check_base(self, *no, with->timeline->checkpoint, err);
  if (status == CK_OK) status = ck_inventory_touch_session(self, *no, err);
  if (status == CK_OK) status = bump_epoch(self, (ck_lease){*no, epoch_read}, with, err);
  return status == CK_OK ? put_opening(self, *no, position.last_seq, with, err) : status;
}

static ck_status acquire(ck_lease *out, void *to, const char *session_id, uint64_t epoch_read,
                         const ck_row_opening *opening, ck_error *err) {
  ck_sqlite *self = to;
  *out = (ck_lease){0};
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  bool exists;
  ck_status status = check_exists(&exists, self, session_id, err);
  if (status != CK_OK) return status;
  if (!exists) return not_found(self, session_id, err);
  ck_owned *owned;
  status = own(&owned, self, session_id, err);
  if (status != CK_OK) return status;
  int64_t no = 0;
  status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status == CK_OK)
    status =
        ck_sqlite_end(self, acquire_rows(&no, self, session_id, epoch_read, opening, err), err);
  if (status != CK_OK) {
    disown(owned);
    return status;
  }
  *out = (ck_lease){no, epoch_read + 1};
  keep(self, owned, *out);
  return CK_OK;
}

/* The epoch is only read: a process that moves it must have this session's lock, or the holder of
 * the lease is fenced like any other. */
static ck_status check_rows(int64_t *no, ck_sqlite *self, const char *session_id,
                            uint64_t epoch_read, ck_error *err) {
  int64_t timeline;
  ck_sqlite_position position = {0};
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = find(no, &timeline, self, session_id, err);
  if (status == CK_OK && *no == 0) status = not_found(self, session_id, err);
  if (status == CK_OK) status = ck_sqlite_get_position(&position, self, *no, 0, err);
  if (status == CK_OK) status = check_epoch(session_id, position.epoch, epoch_read, err);
  return ck_sqlite_end(self, status, err);
}

static ck_status lock_session(ck_lease *out, void *to, const char *session_id, uint64_t epoch_read,
                              ck_error *err) {
  ck_sqlite *self = to;
  *out = (ck_lease){0};
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  bool exists;
  ck_status status = check_exists(&exists, self, session_id, err);
  if (status != CK_OK) return status;
  if (!exists) return not_found(self, session_id, err);
  ck_owned *owned;
  int64_t no = 0;
  status = own(&owned, self, session_id, err);
  if (status != CK_OK) return status;
  status = check_rows(&no, self, session_id, epoch_read, err);
  if (status != CK_OK) {
    disown(owned);
    return status;
  }
  *out = (ck_lease){no, epoch_read};
  keep(self, owned, *out);
  return CK_OK;
}

void ck_sqlite_add_sessions(ck_backend *backend) {
  backend->create_session = create_session;
  backend->acquire = acquire;
  backend->lock_session = lock_session;
  backend->check_owner = check_owner;
  backend->set_fault = set_fault;
  backend->get_fault = get_fault;
  backend->release = release;
}
