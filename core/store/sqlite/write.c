/* write.c - transactions, and the rows that they write: events, checkpoints, changes of a session's
 * row; pruning. */
#include <errno.h>
#include <stdlib.h>

#include "core/store/format/row.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/wal.h"

/* ---- transactions ---- */

static int run(ck_sqlite *self, ck_sql sql) {
  ck_binder binder = ck_binder_of(self->writer, sql);
  return ck_binder_next(&binder);
}

ck_status ck_sqlite_write(ck_sqlite *self, ck_binder *binder, const char *doing, ck_error *err) {
  int code = ck_binder_next(binder);
  return code == SQLITE_DONE ? CK_OK : ck_sqlite_error(self, self->writer->db, code, doing, err);
}

ck_status ck_sqlite_begin_locked(ck_sqlite *self, ck_durability durability, ck_error *err) {
  ck_status status = ck_wal_begin_use(self, err);
  if (status != CK_OK) return status;
  int code = run(self, CK_SQL_BEGIN);
  if (code != SQLITE_DONE)
    return ck_sqlite_error(self, self->writer->db, code, "begin a transaction", err);
  self->level = durability;
  ck_inventory_begin(self);
  self->changes = sqlite3_total_changes64(self->writer->db);
  return CK_OK;
}

void ck_sqlite_note_change(ck_sqlite *self) { self->changes = -1; }

bool ck_sqlite_claim(void *to, bool on) {
  ck_sqlite *self = to;
  if (!on) ck_lock_disclaim(self->lock);
  return on && !self->unknown && self->writer && ck_lock_claim(self->lock);
}

ck_status ck_sqlite_begin(ck_sqlite *self, ck_durability durability, ck_error *err) {
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  if (self->unknown || !self->writer)
    return ck_error_set(err, CK_E_UNKNOWN,
                        "store %s: a sync failed before; nothing is written until it is recovered",
                        self->path);
  ck_status status = ck_lock_acquire(self->lock, CK_LOCK_WAIT_MS, err);
  if (status != CK_OK) return status;
  status = ck_wal_relieve(self, err);
  if (status == CK_OK) status = ck_sqlite_begin_locked(self, durability, err);
  if (status != CK_OK) ck_lock_release(self->lock);
  return status;
}

/* Only after a full disk is it certain that the commit's last frame is not in the log. Any other
 * failure may have come later: in the sync, or in the shared index. */
static ck_status commit_error(ck_sqlite *self, int code, ck_error *err) {
  sqlite3 *db = self->writer->db;
  bool over_quota = code == SQLITE_IOERR_WRITE && ck_sqlite_errno(db, code) == EDQUOT;
  bool known = (code & 0xff) == SQLITE_FULL || (code & 0xff) == SQLITE_BUSY || over_quota;
  ck_status status = ck_sqlite_error(self, db, code, "commit", err);
  if (known) return status;
  self->unknown = true;
  ck_error_prefix(err, "it is not known whether the commit is on disk");
  if (err) err->status = CK_E_UNKNOWN;
  return CK_E_UNKNOWN;
}

static void roll_back(ck_sqlite *self) {
  if (!sqlite3_get_autocommit(self->writer->db)) run(self, CK_SQL_ROLLBACK);
}

/* Rows in a file that nobody finds are not committed, unless it is put back. */
static ck_status check_committed(ck_sqlite *self, ck_error *err) {
  ck_status status = ck_place_check_whole(self, err);
  if (status == CK_OK) return CK_OK;
  self->unknown = true;
  if (err) err->status = CK_E_UNKNOWN;
  return CK_E_UNKNOWN;
}

static int commit(ck_sqlite *self) {
  bool lazy = self->level == CK_DURABLE_PROCESS;
  if (lazy) ck_wal_set_lazy(self, true);
  errno = 0;
  int code = run(self, CK_SQL_COMMIT);
  if (lazy) ck_wal_set_lazy(self, false);
  return code;
}

ck_status ck_sqlite_end_locked(ck_sqlite *self, ck_status status, ck_error *err) {
  if (status == CK_OK) status = ck_inventory_end(self, err);
  if (status != CK_OK) {
    roll_back(self);
    return status;
  }
  bool changed = sqlite3_total_changes64(self->writer->db) != self->changes;
  if (changed) {
    self->used = true;
    status = ck_wal_sign(self, err);
  }
  if (status == CK_OK) {
    int code = commit(self);
    if (code != SQLITE_DONE) status = commit_error(self, code, err);
  }
  if (status != CK_OK) {
    roll_back(self);
    return status;
  }
  ck_inventory_note_committed(self);
  /* SQLite does not sync a transaction that wrote nothing, but earlier commits must be on disk. */
  if (self->level == CK_DURABLE_POWER && !changed) status = ck_wal_sync(self, err);
  if (self->level == CK_DURABLE_POWER && changed) ck_wal_note_synced(self);
  if (status == CK_OK) status = check_committed(self, err);
  if (status == CK_OK && self->level == CK_DURABLE_POWER) ck_inventory_note_synced(self);
  return status;
}

ck_status ck_sqlite_end(ck_sqlite *self, ck_status status, ck_error *err) {
  status = ck_sqlite_end_locked(self, status, err);
  ck_lock_release(self->lock);
  return status;
}

/* ---- rows ---- */

ck_status ck_sqlite_get_position(ck_sqlite_position *out, ck_sqlite *self, int64_t session,
                                 int64_t parent, ck_error *err) {
  *out = (ck_sqlite_position){0};
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_EPOCH);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, parent);
  int code = ck_binder_next(&binder);
  if (code == SQLITE_DONE) return CK_OK;
  if (code != SQLITE_ROW)
    return ck_sqlite_error(self, self->writer->db, code, "read a session", err);
  out->found = true;
  out->epoch = (uint64_t)sqlite3_column_int64(binder.stmt, 0);
  out->last_seq = sqlite3_column_int64(binder.stmt, 1);
  out->has_parent = parent == 0 || sqlite3_column_int(binder.stmt, 2) != 0;
  ck_binder_clear(&binder);
  return CK_OK;
}

ck_status ck_sqlite_write_row(ck_sqlite *self, ck_binder *binder, const char *doing,
                              ck_error *err) {
  ck_status status = ck_sqlite_write(self, binder, doing, err);
  if (status != CK_OK || sqlite3_changes64(self->writer->db) == 1) return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s: cannot %s: SQLite wrote %lld rows where it was given one; compare "
                      "its tables with 'ckrun store verify'",
                      self->path, doing, (long long)sqlite3_changes64(self->writer->db));
}

ck_status ck_sqlite_check_session(ck_sqlite *self, int64_t session, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_CHECK_SESSION);
  ck_bind_int(&binder, session);
  int code = ck_binder_next(&binder);
  bool sound = code == SQLITE_ROW && sqlite3_column_int(binder.stmt, 0);
  ck_binder_clear(&binder);
  if (sound) return CK_OK;
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    return ck_sqlite_error(self, self->writer->db, code, "read a session", err);
  return ck_error_set(
      err, CK_E_CORRUPT,
      "session number %lld in store %s: its row is not what was written: its check differs",
      (long long)session, self->path);
}

ck_status ck_sqlite_put_events(ck_sqlite *self, int64_t session, const ck_event_row *rows,
                               size_t count, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    const ck_event_row *row = &rows[i];
    ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_EVENT);
    ck_bind_int(&binder, session);
    ck_bind_int(&binder, row->seq);
    ck_bind_int(&binder, row->timeline);
    ck_bind_int(&binder, row->kind);
    ck_bind_int(&binder, row->at_ms);
    ck_bind_text(&binder, row->scope);
    ck_bind_text(&binder, row->agent);
    ck_bind_int(&binder, row->encoding);
    ck_bind_int(&binder, row->plain_len);
    ck_bind_int(&binder, row->check);
    ck_bind_optional(&binder, row->mac);
    ck_bind_optional(&binder, row->key_id);
    ck_bind_blob(&binder, row->body);
    ck_bind_optional(&binder, row->decision);
    status = ck_sqlite_write_row(self, &binder, "append an event", err);
  }
  return status;
}

ck_status ck_sqlite_put_checkpoint(ck_sqlite *self, int64_t session, const ck_checkpoint_row *row,
                                   ck_error *err) {
  int64_t numbers[CK_CHECKPOINT_ROW_INTS];
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_CHECKPOINT);
  ck_bind_int(&binder, session);
  ck_checkpoint_row_ints(numbers, row);
  ck_bind_int(&binder, numbers[0]);
  ck_bind_text(&binder, row->id);
  for (size_t i = 1; i < CK_CHECKPOINT_ROW_INTS; i++) ck_bind_int(&binder, numbers[i]);
  ck_bind_digest(&binder, &row->events_digest);
  ck_bind_digest(&binder, &row->payload_digest);
  ck_bind_digest(&binder, &row->digest);
  ck_bind_optional(&binder, row->mac);
  ck_bind_optional(&binder, row->key_id);
  ck_bind_blob(&binder, row->info);
  ck_bind_blob(&binder, row->payload);
  return ck_sqlite_write_row(self, &binder, "append a checkpoint", err);
}

static ck_status update_session(ck_sqlite *self, const ck_row_batch *batch, ck_error *err) {
  ck_status status = ck_inventory_touch_session(self, batch->lease.session, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_UPDATE_SESSION);
  ck_bind_int(&binder, batch->update->status);
  ck_bind_text(&binder, batch->update->reason);
  ck_bind_int(&binder, batch->at_ms);
  ck_bind_int(&binder, batch->lease.session);
  ck_bind_text(&binder, batch->update->failure);
  ck_bind_text(&binder, batch->update->node);
  return ck_sqlite_write_row(self, &binder, "change a session", err);
}

/* ---- batches ---- */

static bool seqs_follow(const ck_row_batch *batch, int64_t last_seq) {
  for (size_t i = 0; i < batch->event_count; i++)
    if (batch->events[i].seq != last_seq + 1 + (int64_t)i) return false;
  const ck_head_row *head = batch->head;
  if (head && batch->event_count == 0 && head->seq && head->seq != last_seq) return false;
  const ck_checkpoint_row *checkpoint = batch->checkpoint;
  return !checkpoint ||
         (checkpoint->seq > last_seq && checkpoint->seq <= last_seq + (int64_t)batch->event_count);
}

/* Of a session leased by this handle the position is remembered: only this process has changed it,
 * or its epoch is another one by now. */
static ck_status get_batch_position(ck_sqlite_position *out, ck_sqlite *self,
                                    const ck_row_batch *batch, ck_error *err) {
  int64_t parent = batch->checkpoint ? batch->checkpoint->parent : 0;
  const ck_owned *owned = ck_sqlite_get_owned(self, batch->lease);
  if (!owned || !owned->known || (parent != 0 && parent != owned->checkpoint))
    return ck_sqlite_get_position(out, self, batch->lease.session, parent, err);
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_EPOCH_ALONE);
  ck_bind_int(&binder, batch->lease.session);
  int code = ck_binder_next(&binder);
  *out = (ck_sqlite_position){
      .found = code == SQLITE_ROW, .last_seq = owned->last_seq, .has_parent = true};
  if (out->found) out->epoch = (uint64_t)sqlite3_column_int64(binder.stmt, 0);
  ck_binder_clear(&binder);
  if (code == SQLITE_ROW || code == SQLITE_DONE) return CK_OK;
  return ck_sqlite_error(self, self->writer->db, code, "read a session", err);
}

/* All conditions that drop a batch are checked before its first row is written, so nothing has to
 * be undone. */
static ck_status judge(ck_sqlite *self, ck_row_batch *batch, ck_error *err) {
  ck_sqlite_position position;
  ck_status status = get_batch_position(&position, self, batch, err);
  if (status != CK_OK) return status;
  batch->status = CK_OK;
  if (!position.found)
    batch->status = CK_E_NOT_FOUND;
  else if (position.epoch != batch->lease.epoch)
    batch->status = CK_E_FENCED;
  else if (!seqs_follow(batch, position.last_seq))
    batch->status = CK_E_RANGE;
  else if (!position.has_parent)
    batch->status = CK_E_NOT_FOUND;
  if (batch->status != CK_OK || !batch->update) return CK_OK;
  status = ck_sqlite_check_session(self, batch->lease.session, err);
  if (status == CK_E_CORRUPT) batch->status = status;
  return status == CK_E_CORRUPT ? CK_OK : status;
}

/* Within the transaction; when that fails, forget_positions. */
static void note_standing(ck_sqlite *self, const ck_row_batch *batch) {
  ck_owned *owned = ck_sqlite_get_owned(self, batch->lease);
  if (!owned) return;
  if (batch->event_count) {
    owned->last_seq = batch->events[batch->event_count - 1].seq;
    owned->known = true;
  }
  if (batch->checkpoint) owned->checkpoint = batch->checkpoint->seq;
}

static void forget_positions(ck_sqlite *self, const ck_row_batch *batches, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ck_owned *owned = ck_sqlite_get_owned(self, batches[i].lease);
    if (owned) ck_owned_forget(owned);
  }
}

static ck_status write_batch(ck_sqlite *self, ck_row_batch *batch, ck_error *err) {
  ck_status status = judge(self, batch, err);
  if (status != CK_OK || batch->status != CK_OK) return status;
  status = ck_sqlite_put_events(self, batch->lease.session, batch->events, batch->event_count, err);
  if (status == CK_OK && batch->checkpoint)
    status = ck_sqlite_put_checkpoint(self, batch->lease.session, batch->checkpoint, err);
  if (status == CK_OK && batch->checkpoint) status = ck_counted_add(self, batch, err);
  if (status == CK_OK && batch->update) status = update_session(self, batch, err);
  if (status == CK_OK && batch->head)
    status = ck_sqlite_put_head(self, batch->lease.session, batch->head, err);
  if (status == CK_OK) note_standing(self, batch);
  return status;
}

ck_status ck_sqlite_commit(void *to, ck_row_batch *batches, size_t count, ck_durability durability,
                           ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, durability, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = write_batch(self, &batches[i], err);
  status = ck_sqlite_end(self, status, err);
  if (status != CK_OK) forget_positions(self, batches, count);
  return status;
}

/* ---- pruning ---- */

static ck_status prune_row(ck_sqlite *self, int64_t session, const ck_prune_row *row,
                           ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PRUNE);
  ck_bind_int(&binder, session);
  ck_bind_int(&binder, row->seq);
  ck_bind_digest(&binder, &row->digest);
  ck_bind_int(&binder, row->encoding);
  ck_bind_digest(&binder, &row->payload_digest);
  ck_bind_int(&binder, row->stub);
  ck_bind_optional(&binder, row->mac);
  ck_bind_optional(&binder, row->key_id);
  ck_bind_optional(&binder, row->info);
  ck_status status = ck_sqlite_write(self, &binder, "prune a checkpoint", err);
  if (status != CK_OK || sqlite3_changes64(self->writer->db) == 1) return status;
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: the checkpoint at seq %lld of session number %lld is not the one that was read",
      self->path, (long long)row->seq, (long long)session);
}

ck_status ck_sqlite_check_lease(ck_sqlite *self, ck_lease lease, ck_error *err) {
  ck_sqlite_position position;
  ck_status status = ck_sqlite_get_position(&position, self, lease.session, 0, err);
  if (status != CK_OK) return status;
  if (!position.found)
    return ck_error_set(err, CK_E_NOT_FOUND, "there is no session number %lld in store %s",
                        (long long)lease.session, self->path);
  if (position.epoch == lease.epoch) return CK_OK;
  return ck_error_set(err, CK_E_FENCED,
                      "session number %lld was taken by another run: its epoch is %llu, not %llu",
                      (long long)lease.session, (unsigned long long)position.epoch,
                      (unsigned long long)lease.epoch);
}

/* A fork can have continued one of the checkpoints since the prune was planned. */
static ck_status check_bases(ck_sqlite *self, int64_t session, const ck_prune_row *rows,
                             size_t count, ck_error *err) {
  int64_t *bases;
  size_t base_count;
  ck_status status = ck_sqlite_read_bases(&bases, &base_count, self, self->writer, session, err);
  if (status != CK_OK) return status;
  for (size_t i = 0, at = 0; i < count && status == CK_OK; i++) {
    while (at < base_count && bases[at] < rows[i].seq) at++;
    if (rows[i].drop && at < base_count && bases[at] == rows[i].seq)
      status = ck_error_set(
          err, CK_E_BUSY,
          "store %s: nothing was pruned: a fork went on from the checkpoint at seq %lld meanwhile",
          self->path, (long long)rows[i].seq);
  }
  free(bases);
  return status;
}

ck_status ck_sqlite_prune(void *to, ck_lease lease, const ck_prune_row *rows, size_t count,
                          ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_lease(self, lease, err);
  if (status == CK_OK) status = check_bases(self, lease.session, rows, count, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = prune_row(self, lease.session, &rows[i], err);
  if (status == CK_OK) status = ck_sqlite_drop_counted(self, lease.session, err);
  return ck_sqlite_end(self, status, err);
}
