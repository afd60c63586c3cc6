/* maintenance.c - pins, deleting a session, and freeing pages. */
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/wal.h"

enum {
  VACUUM_PAGES = 1024 /* in one transaction: half of what the write-ahead log keeps allocated */
};

/* ---- pins ---- */

static ck_status has_checkpoint(bool *out, ck_sqlite *self, int64_t session, int64_t seq,
                                ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_HAS_CHECKPOINT);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, seq);
  int code = ck_binder_next(&binder);
  ck_binder_clear(&binder);
  *out = code == SQLITE_ROW;
  if (code == SQLITE_ROW || code == SQLITE_DONE) return CK_OK;
  return ck_sqlite_error(self, self->writer->db, code, "look for a checkpoint", err);
}

static ck_status change_pin(ck_sqlite *self, int64_t session, int64_t seq, bool pinned,
                            ck_error *err) {
  bool found;
  ck_status status = has_checkpoint(&found, self, session, seq, err);
  if (status != CK_OK) return status;
  if (!found)
    return ck_error_set(err, CK_E_NOT_FOUND,
                        "session number %lld in store %s has no checkpoint of its own at seq %lld",
                        (long long)session, self->path, (long long)seq);
  ck_binder binder = ck_binder_of(self->writer, pinned ? CK_SQL_PUT_PIN : CK_SQL_DROP_PIN);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, seq);
  return ck_sqlite_write(self, &binder, "pin a checkpoint", err);
}

ck_status ck_sqlite_pin(void *to, ck_lease lease, int64_t seq, bool pinned, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_lease(self, lease, err);
  if (status == CK_OK) status = ck_inventory_touch_session(self, lease.session, err);
  if (status == CK_OK) status = change_pin(self, lease.session, seq, pinned, err);
  return ck_sqlite_end(self, status, err);
}

/* ---- deleting ---- */

static ck_status run(ck_sqlite *self, ck_sql sql, const int64_t *numbers, size_t count,
                     ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, sql);
  for (size_t i = 0; i < count; i++) ck_bind_int(&binder, numbers[i]);
  return ck_sqlite_write(self, &binder, "delete a session", err);
}

static ck_status copy_stub(ck_sqlite *self, int64_t session, int64_t fork, const ck_prune_row *stub,
                           ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_COPY_STUB);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, fork);
  ck_bind_int(&binder, stub->seq);
  ck_bind_blob(&binder, (ck_bytes){(const char *)stub->digest.bytes, CK_DIGEST_SIZE});
  ck_bind_blob(&binder, (ck_bytes){(const char *)stub->payload_digest.bytes, CK_DIGEST_SIZE});
  ck_bind_int(&binder, stub->encoding);
  ck_bind_optional(&binder, stub->mac);
  ck_bind_optional(&binder, stub->key_id);
  ck_bind_optional(&binder, stub->info);
  ck_status status = ck_sqlite_write(self, &binder, "copy a checkpoint", err);
  if (status != CK_OK || sqlite3_changes64(self->writer->db) == 1) return status;
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: the checkpoint at seq %lld of session number %lld is not the one that was read",
      self->path, (long long)stub->seq, (long long)session);
}

/* Events one by one, because each is sealed again for the fork. */
static ck_status move_events(ck_sqlite *self, int64_t session, const ck_dependent_fork *fork,
                             ck_error *err) {
  ck_status status = CK_OK;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_EVENTS);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, 0);
  ck_bind_int(&binder, fork->cut);
  ck_bind_int(&binder, INT64_MAX);
  ck_bind_int(&binder, -1);
  ck_bind_text(&binder, NULL);
  ck_bind_int(&binder, 0);
  while (status == CK_OK && ck_binder_next(&binder) == SQLITE_ROW) {
    ck_event_row row = ck_sqlite_event_row(binder.stmt);
    status = fork->move(fork->to, &row, err);
    if (status == CK_OK) status = ck_sqlite_put_events(self, fork->session, &row, 1, err);
  }
  if (status == CK_OK && binder.code != SQLITE_DONE)
    status = ck_sqlite_error(self, self->writer->db, binder.code, "read events", err);
  ck_binder_clear(&binder);
  return status;
}

static ck_status copy_events(ck_sqlite *self, int64_t session, const ck_dependent_fork *fork,
                             ck_error *err) {
  if (fork->move) return move_events(self, session, fork, err);
  return run(self, CK_SQL_COPY_EVENTS, (const int64_t[]){session, fork->session, fork->cut}, 3,
             err);
}

static ck_status copy_to_fork(ck_sqlite *self, int64_t session, const ck_dependent_fork *fork,
                              ck_error *err) {
  ck_status status = ck_inventory_touch_session(self, fork->session, err);
  if (status == CK_OK) status = copy_events(self, session, fork, err);
  if (status == CK_OK)
    status = run(self, CK_SQL_COPY_TIMELINES,
                 (const int64_t[]){session, fork->session, fork->timeline}, 3, err);
  for (size_t i = 0; i < fork->stub_count && status == CK_OK; i++)
    status = copy_stub(self, session, fork->session, &fork->stubs[i], err);
  if (status == CK_OK)
    status = run(self, CK_SQL_COPY_BLOB_USES, (const int64_t[]){session, fork->session}, 2, err);
  const int64_t moved[] = {session, fork->session, fork->origin.session, fork->origin.cut};
  if (status == CK_OK) status = run(self, CK_SQL_MOVE_ORIGIN, moved, 4, err);
  if (status != CK_OK || sqlite3_changes64(self->writer->db) == 1) return status;
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: the row of session number %lld is not what was written: its check differs",
      self->path, (long long)fork->session);
}

static ck_status check_forks(ck_sqlite *self, int64_t session, size_t count, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_COUNT_FORKS);
  ck_bind_int(&binder, session);
  int code = ck_binder_next(&binder);
  int64_t forks = code == SQLITE_ROW ? sqlite3_column_int64(binder.stmt, 0) : 0;
  ck_binder_clear(&binder);
  if (code != SQLITE_ROW) return ck_sqlite_error(self, self->writer->db, code, "count forks", err);
  if (forks == (int64_t)count) return CK_OK;
  return ck_error_set(err, CK_E_BUSY,
                      "store %s: a fork was made meanwhile: nothing was deleted, try again",
                      self->path);
}

/* The number of a deleted session is not reused: a process may still hold a lease on it. */
static ck_status delete_rows(ck_sqlite *self, int64_t session, ck_error *err) {
  static const ck_sql statements[] = {
      CK_SQL_DELETE_PINS,   CK_SQL_DELETE_REQUESTS,  CK_SQL_DELETE_CHECKPOINTS,
      CK_SQL_DELETE_EVENTS, CK_SQL_DELETE_TIMELINES, CK_SQL_DELETE_HEAD,
      CK_SQL_DELETE_AGENTS, CK_SQL_DELETE_LEASE,     CK_SQL_DELETE_SESSION_KEY,
      CK_SQL_DELETE_BLOBS,  CK_SQL_DELETE_BLOB_USES, CK_SQL_DELETE_SESSION,
      CK_SQL_NOTE_DELETED};
  ck_status status = CK_OK;
  for (size_t i = 0; i < sizeof statements / sizeof *statements && status == CK_OK; i++)
    status = run(self, statements[i], &session, 1, err);
  return status;
}

ck_status ck_sqlite_delete_session(void *to, ck_lease lease, const ck_dependent_fork *forks,
                                   size_t count, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_lease(self, lease, err);
  if (status == CK_OK) status = check_forks(self, lease.session, count, err);
  if (status == CK_OK) status = ck_inventory_touch_session(self, lease.session, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = copy_to_fork(self, lease.session, &forks[i], err);
  if (status == CK_OK) status = delete_rows(self, lease.session, err);
  if (status == CK_OK) status = ck_sqlite_drop_counted(self, lease.session, err);
  return ck_sqlite_end(self, status, err);
}

/* ---- free pages ---- */

static ck_status shrink(int64_t *left, ck_sqlite *self, ck_error *err) {
  char sql[64];
  sqlite3_snprintf(sizeof sql, sql, "PRAGMA incremental_vacuum(%d)", VACUUM_PAGES);
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  ck_sqlite_note_change(self);
  int code = sqlite3_exec(self->writer->db, sql, NULL, NULL, NULL);
  if (code != SQLITE_OK)
    status = ck_sqlite_error(self, self->writer->db, code, "give pages back", err);
  if (status == CK_OK)
    status = ck_connection_get_int(left, self, self->writer, "PRAGMA freelist_count", err);
  return ck_sqlite_end(self, status, err);
}

static ck_status count_pages(int64_t *out, int64_t *unused, ck_sqlite *self, ck_error *err) {
  ck_status status = ck_connection_get_int(out, self, self->writer, "PRAGMA page_count", err);
  return status == CK_OK
             ? ck_connection_get_int(unused, self, self->writer, "PRAGMA freelist_count", err)
             : status;
}

/* The file itself is truncated when the log is moved into it: at once, or as soon as no reader
 * needs the log. */
ck_status ck_sqlite_vacuum(int64_t *bytes, void *to, ck_error *err) {
  ck_sqlite *self = to;
  int64_t before, after, unused, mode;
  *bytes = 0;
  ck_status status = ck_connection_get_int(&mode, self, self->writer, "PRAGMA auto_vacuum", err);
  if (status == CK_OK) status = count_pages(&before, &unused, self, err);
  if (status != CK_OK || mode != 2) return status;
  for (int64_t left = unused; left > 0 && status == CK_OK; unused = left) {
    status = shrink(&left, self, err);
    if (left >= unused) break;
  }
  if (status == CK_OK) status = count_pages(&after, &unused, self, err);
  if (status == CK_OK) status = ck_wal_move(self, err);
  if (status == CK_OK) *bytes = (before - after) * CK_SQLITE_PAGE;
  return status;
}
