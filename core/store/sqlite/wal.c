/* wal.c - the write-ahead log: kept allocated, checkpointed only here, synced and recovered.
 *
 * A commit into blocks that exist already costs half of one that makes the file grow, so the WAL is
 * filled with zeros up to its cap once and starts again from its beginning after each complete
 * checkpoint. Checkpoints are PASSIVE: they never wait for a reader, and are made under the store's
 * lock, because SQLite up to 3.51.2 can corrupt a database when one connection writes while another
 * one checkpoints. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum {
  FRAME_SIZE = CK_SQLITE_PAGE + 24,
  CAP_FRAMES = CK_WAL_CAP / FRAME_SIZE,
  /* an idle writer checkpoints from this number of frames on: one commit in 200 meets it */
  IDLE_FRAMES = CAP_FRAMES * 3 / 5,
  /* and again after so many more frames, while a reader keeps the log in use */
  AGAIN_FRAMES = CAP_FRAMES / 5,
  /* a busy writer as well, because a longer log takes longer; the rest is for one big commit */
  BUSY_FRAMES = CAP_FRAMES * 2 / 3,
  ZEROS_SIZE = 1 << 16,
  RECOVER_TRIES = 200,
  RECOVER_PAUSE_MS = 50
};

sqlite3_file *ck_wal_file(const ck_sqlite *self) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(self->writer->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) !=
      SQLITE_OK)
    return NULL;
  return file && file->pMethods ? file : NULL;
}

static ck_status no_wal(ck_sqlite *self, ck_error *err) {
  return ck_error_set(err, CK_E_IO, "store %s: its write-ahead log is not open", self->path);
}

/* After a failed sync the kernel marks pages clean that never reached the disk: the log cannot be
 * trusted before it was copied into the database. */
ck_status ck_wal_error(ck_sqlite *self, int code, const char *doing, ck_error *err) {
  if (!ck_sqlite_is_sync_error(code))
    return ck_sqlite_error(self, self->writer->db, code, doing, err);
  self->unknown = true;
  ck_sqlite_error(self, self->writer->db, code, doing, err);
  if (err) err->status = CK_E_UNKNOWN;
  return CK_E_UNKNOWN;
}

/* Zeros after the last byte, which SQLite takes for frames that were never written. */
static int write_zeros(sqlite3_file *file, sqlite3_int64 size) {
  char *zeros = calloc(1, ZEROS_SIZE);
  if (!zeros) return SQLITE_NOMEM;
  int code = SQLITE_OK;
  while (code == SQLITE_OK && size < CK_WAL_CAP) {
    int len = CK_WAL_CAP - size < ZEROS_SIZE ? (int)(CK_WAL_CAP - size) : ZEROS_SIZE;
    code = file->pMethods->xWrite(file, zeros, len, size);
    size += len;
  }
  free(zeros);
  return code == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : code;
}

ck_status ck_wal_extend(ck_sqlite *self, ck_error *err) {
  int64_t rows; /* any read opens the log */
  ck_status status =
      ck_connection_get_int(&rows, self, self->writer, "SELECT count(*) FROM meta", err);
  if (status != CK_OK) return status;
  sqlite3_file *file = ck_wal_file(self);
  if (!file) return no_wal(self, err);
  sqlite3_int64 size = 0;
  errno = 0;
  int code = file->pMethods->xFileSize(file, &size);
  if (code == SQLITE_OK && size < CK_WAL_CAP) {
    code = write_zeros(file, size);
    /* On a full disk the allocation is given up: the store can still be read, and small commits may
     * still fit. */
    if (code == SQLITE_FULL) code = file->pMethods->xTruncate(file, size);
  }
  return code == SQLITE_OK ? CK_OK : ck_wal_error(self, code, "extend its write-ahead log", err);
}

/* A smaller count than before: the log has started again from its beginning. */
static int on_commit(void *to, sqlite3 *db, const char *name, int frames) {
  (void)db, (void)name;
  ck_sqlite *self = to;
  if (frames < self->wal_frames) self->checkpoint_at = IDLE_FRAMES;
  self->wal_frames = frames;
  return SQLITE_OK;
}

void ck_wal_watch(ck_sqlite *self) {
  self->wal_frames = 0;
  self->checkpoint_at = IDLE_FRAMES;
  sqlite3_wal_hook(self->writer->db, on_commit, self);
}

static ck_status checkpoint(ck_sqlite *self, bool *complete, ck_error *err) {
  int frames = 0, done = 0;
  *complete = false;
  ck_status status = ck_place_check_whole(self, err); /* what is missing would be taken for zeros */
  if (status != CK_OK) return status;
  errno = 0;
  int code = sqlite3_wal_checkpoint_v2(self->writer->db, "main", SQLITE_CHECKPOINT_PASSIVE, &frames,
                                       &done);
  *complete = code == SQLITE_OK && frames == done;
  if ((code & 0xff) == SQLITE_BUSY) code = SQLITE_OK; /* another process makes a checkpoint */
  if (frames > self->wal_frames) self->wal_frames = frames;
  self->checkpoint_at = self->wal_frames + AGAIN_FRAMES;
  return code == SQLITE_OK
             ? CK_OK
             : ck_wal_error(self, code, "move its write-ahead log into the database", err);
}

ck_status ck_wal_relieve(ck_sqlite *self, ck_error *err) {
  bool complete;
  if (self->wal_frames < BUSY_FRAMES || self->wal_frames < self->checkpoint_at) return CK_OK;
  return checkpoint(self, &complete, err);
}

ck_status ck_sqlite_idle(void *to, ck_error *err) {
  ck_sqlite *self = to;
  if (!self->writer || self->unknown || self->wal_frames < self->checkpoint_at) return CK_OK;
  return ck_wal_move(self, err);
}

ck_status ck_wal_move(ck_sqlite *self, ck_error *err) {
  bool complete;
  ck_status status = ck_lock_acquire(self->lock, CK_LOCK_WAIT_MS, err);
  if (status != CK_OK) return status;
  status = checkpoint(self, &complete, err);
  ck_lock_release(self->lock);
  return status;
}

void ck_wal_set_lazy(ck_sqlite *self, bool lazy) { ck_vfs_set_lazy(ck_wal_file(self), lazy); }

ck_status ck_wal_sync(ck_sqlite *self, ck_error *err) {
  sqlite3_file *file = ck_wal_file(self);
  if (!file) return no_wal(self, err);
  errno = 0;
  int code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
  if (code == SQLITE_OK) ck_wal_note_synced(self);
  return code == SQLITE_OK ? CK_OK : ck_wal_error(self, code, "sync its write-ahead log", err);
}

ck_status ck_sqlite_sync(void *to, ck_error *err) {
  ck_sqlite *self = to;
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  if (self->unknown || !self->writer)
    return ck_error_set(err, CK_E_UNKNOWN, "store %s: a sync failed before; recover first",
                        self->path);
  ck_status status = ck_lock_acquire(self->lock, CK_LOCK_WAIT_MS, err);
  if (status != CK_OK) return status;
  status = ck_place_check_whole(self, err);
  if (status == CK_OK) status = ck_wal_sync(self, err);
  if (status == CK_OK) ck_inventory_note_synced(self);
  ck_lock_release(self->lock);
  return status;
}

int64_t ck_wal_bytes(const ck_sqlite *self) {
  struct stat found;
  return stat(self->wal_path, &found) == 0 ? found.st_size : 0;
}

/* A commit here decides the outcome of the unknown one: frames that are not part of the log are
 * overwritten by it, and no later crash can bring them back. */
static ck_status write_marker(ck_sqlite *self, ck_error *err) {
  ck_status status = ck_sqlite_begin_locked(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  ck_binder marker = ck_binder_of(self->writer, CK_SQL_RECOVERED);
  status = ck_sqlite_write(self, &marker, "recover it", err);
  return ck_sqlite_end_locked(self, status, err);
}

/* Readers keep parts of the log in use while they read; waiting for them is bounded like any wait
 * for the lock. */
static ck_status checkpoint_all(ck_sqlite *self, ck_error *err) {
  for (int tries = 0; tries < RECOVER_TRIES; tries++) {
    bool complete;
    ck_status status = checkpoint(self, &complete, err);
    if (status != CK_OK || complete) return status;
    nanosleep(&(struct timespec){0, RECOVER_PAUSE_MS * 1000000L}, NULL);
  }
  return ck_error_set(err, CK_E_BUSY,
                      "store %s: a reader keeps its write-ahead log from being recovered",
                      self->path);
}

static ck_status check_quickly(ck_sqlite *self, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(self->writer->db, "PRAGMA quick_check(1)", -1, &stmt, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(stmt);
  ck_status status = CK_OK;
  const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
  if (code != SQLITE_ROW)
    status = ck_sqlite_error(self, self->writer->db, code, "check it", err);
  else if (!text || strcmp(text, "ok") != 0)
    status = ck_error_set(err, CK_E_CORRUPT, "store %s: %s", self->path,
                          text ? text : "its check gave no answer");
  sqlite3_finalize(stmt);
  return status;
}

ck_status ck_sqlite_recover(void *to, ck_error *err) {
  ck_sqlite *self = to;
  if (self->read_only)
    return ck_error_set(err, CK_E_READ_ONLY, "store %s was opened read-only", self->path);
  ck_status status = ck_lock_acquire(self->lock, CK_LOCK_WAIT_MS, err);
  if (status != CK_OK) return status;
  self->unknown = true;
  status = ck_place_check_whole(self, err);
  if (status != CK_OK) { /* what is open is all that is left of it */
    ck_lock_release(self->lock);
    return status;
  }
  ck_sqlite_close_readers(self);
  for (ck_owned *owned = self->owned; owned; owned = owned->next) ck_owned_forget(owned);
  ck_connection_close(self->writer);
  self->writer = NULL;
  status = ck_sqlite_open_writer(self, err);
  if (status == CK_OK) status = write_marker(self, err);
  if (status == CK_OK) status = checkpoint_all(self, err);
  if (status == CK_OK) status = check_quickly(self, err);
  if (status == CK_OK) self->unknown = false;
  ck_lock_release(self->lock);
  return status;
}
