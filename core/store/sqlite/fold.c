/* fold.c - the store at rest: its log is moved into the database and left empty, and while it is
 * not, the mark and the file's header say so.
 *
 * The order makes each moment of a fold safe: the database is synced (by SQLite's checkpoint), the
 * sign in its header is cleared, the mark says that the log is folded and is synced, and then the
 * log's header is zeroed in place. Its blocks stay allocated. A checkpoint of SQLite's kind
 * TRUNCATE does the first step and keeps readers and writers of all processes out meanwhile; the
 * others are made when it would truncate the file (vfs.c). */
#include <errno.h>
#include <string.h>

#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum {
  REST_WAIT_MS = 500,
  INDEX_REGION = 32768, /* bytes of the shared memory that are mapped at once */
  INDEX_HEADER = 48,
  INDEX_IS_INIT = 12,
  INDEX_FRAMES = 16, /* in the machine's byte order */
  INDEX_SALT = 32    /* as in the log */
};

/* https://www.sqlite.org/walformat.html#the_wal_index_file_format: two copies of the header; they
 * differ while it is being changed. */
bool ck_wal_get_index(ck_wal_index *out, sqlite3 *db) {
  *out = (ck_wal_index){0};
  sqlite3_file *file = NULL;
  void volatile *map = NULL;
  uint8_t header[2 * INDEX_HEADER];
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
      !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
    return false;
  if (file->pMethods->xShmMap(file, 0, INDEX_REGION, 0, &map) != SQLITE_OK || !map) return false;
  memcpy(header, (const void *)(uintptr_t)map, sizeof header);
  if (!header[INDEX_IS_INIT] || memcmp(header, header + INDEX_HEADER, INDEX_HEADER) != 0)
    return false;
  memcpy(&out->frames, header + INDEX_FRAMES, sizeof out->frames);
  memcpy(out->salt, header + INDEX_SALT, CK_SALT_SIZE);
  return true;
}

/* ---- while it is used ---- */

/* A mark that cannot be written says less than it could, and nothing wrong. */
void ck_wal_note_synced(ck_sqlite *self) {
  ck_wal_index index;
  ck_error ignored = CK_ERROR_INIT;
  if (!ck_wal_get_index(&index, self->writer->db) || index.frames == 0) return;
  ck_mark mark = {.state = CK_MARK_LIVE, .frames = index.frames};
  memcpy(mark.salt, index.salt, CK_SALT_SIZE);
  if (ck_mark_write(ck_lock_fd(self->lock), &mark, false, &ignored) != CK_OK) return;
}

static ck_status set_in_use(ck_sqlite *self, bool in_use, ck_error *err) {
  errno = 0;
  int code = ck_vfs_set_in_use(self->writer->db, in_use);
  return code == SQLITE_OK ? CK_OK
                           : ck_sqlite_error(self, self->writer->db, code, "sign its header", err);
}

ck_status ck_wal_begin_use(ck_sqlite *self, ck_error *err) {
  ck_wal_index index;
  bool goes_on = ck_wal_get_index(&index, self->writer->db) && index.frames > 0;
  return goes_on ? CK_OK : set_in_use(self, true, err);
}

/* ---- at rest ---- */

/* The sign is cleared before the mark, which is synced after it: a file without a sign is whole. */
static int before_emptying(void *to, const uint8_t salt[CK_SALT_SIZE]) {
  ck_sqlite *self = to;
  ck_error err = CK_ERROR_INIT;
  ck_mark mark = {.state = CK_MARK_FOLDED};
  memcpy(mark.salt, salt, CK_SALT_SIZE);
  if (ck_place_check(self, &err) != CK_OK) return SQLITE_READONLY_DBMOVED;
  int code = ck_vfs_set_in_use(self->writer->db, false);
  if (code != SQLITE_OK) return code;
  ck_status status = ck_mark_write(ck_lock_fd(self->lock), &mark, true, &err);
  if (status == CK_OK) return SQLITE_OK;
  return status == CK_E_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int empty_log(ck_sqlite *self, bool cut) {
  sqlite3 *db = self->writer->db;
  sqlite3_busy_timeout(db, 0);
  ck_vfs_set_emptying(ck_wal_file(self), before_emptying, self, cut);
  errno = 0;
  int code = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  ck_vfs_set_emptying(ck_wal_file(self), NULL, NULL, false);
  sqlite3_busy_timeout(db, CK_LOCK_WAIT_MS);
  return code;
}

ck_status ck_wal_fold(bool *folded, ck_sqlite *self, bool cut, ck_error *err) {
  ck_wal_index index;
  *folded = false;
  if (!ck_wal_file(self) || !ck_wal_get_index(&index, self->writer->db)) return CK_OK;
  if (index.frames == 0 && !cut) {
    *folded = true;
    return CK_OK;
  }
  int code = empty_log(self, cut);
  *folded = code == SQLITE_OK;
  if (*folded) ck_wal_watch(self);
  if (*folded || (code & 0xff) == SQLITE_BUSY) return CK_OK;
  return ck_wal_error(self, code, "move its write-ahead log into the database", err);
}

void ck_wal_rest(ck_sqlite *self) {
  bool folded;
  ck_error ignored = CK_ERROR_INIT;
  if (!self->writer || !self->used || self->unknown) return;
  if (ck_place_check(self, &ignored) != CK_OK) return;
  if (ck_lock_acquire(self->lock, REST_WAIT_MS, &ignored) != CK_OK) return;
  if (ck_wal_fold(&folded, self, false, &ignored) == CK_OK && folded) self->used = false;
  ck_lock_release(self->lock);
}
