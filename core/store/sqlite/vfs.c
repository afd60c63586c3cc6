/* vfs.c - wraps the operating system's VFS: the frames of one commit are written to the WAL in one
 * write, and a commit that need not survive a power loss is not synced.
 *
 * SQLite writes a commit as two small unaligned writes for each page, and then syncs. The frames
 * are not needed before the sync, because the index that makes them visible is changed after it. So
 * they are gathered, and written by the sync that follows, or by any other call that uses the file.
 * Whether the sync is made is set for each commit (ck_vfs_set_lazy): changing PRAGMA synchronous
 * instead costs a statement, and SQLite then makes no call at the end of a commit. The header of a
 * log that starts again from its beginning is always synced: frames of the new round after the old
 * header would be taken for a log that ends there, and pages would be reset to older content. Only
 * the files of a writing connection are affected. Of the database it is the first page: each write
 * of it keeps what the file says of its use, whatever a connection remembers of that (binding.h).
 */
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum {
  GATHER_MAX = 1 << 16, /* the unix VFS takes less than 1 << 17 at once */
  HEADER_SIZE = 32,     /* of the log */
  SALT_AT = 16
};

/* The base VFS's own file follows in memory. */
typedef struct wal_file {
  sqlite3_file base;
  ck_vfs_before before; /* the log is folded: see ck_vfs_set_emptying */
  void *before_to;
  bool cut;
  bool lazy;   /* syncs are skipped */
  bool header; /* the log's header was written, and not synced since */
  char *data;
  int len;
  sqlite3_int64 offset;
} wal_file;

/* Behind the base VFS's own file of a database. */
typedef struct db_file {
  sqlite3_io_methods methods; /* the base VFS's, but for xWrite */
  const sqlite3_io_methods *base;
} db_file;

static sqlite3_vfs gathering;
static sqlite3_vfs *under;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static sqlite3_file *real(wal_file *self) { return (sqlite3_file *)(self + 1); }

/* The gathered frames are discarded on failure: their writer is told of it now, so they must not be
 * written later. */
static int flush(wal_file *self) {
  int len = self->len;
  self->len = 0;
  return len ? real(self)->pMethods->xWrite(real(self), self->data, len, self->offset) : SQLITE_OK;
}

static int on_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset) {
  wal_file *self = (wal_file *)file;
  if (offset == 0) self->header = true;
  if (self->len && (offset != self->offset + self->len || len > GATHER_MAX - self->len)) {
    int code = flush(self);
    if (code != SQLITE_OK) return code;
  }
  if (len > GATHER_MAX) return real(self)->pMethods->xWrite(real(self), data, len, offset);
  if (self->len == 0) self->offset = offset;
  memcpy(self->data + self->len, data, (size_t)len);
  self->len += len;
  return SQLITE_OK;
}

static int on_close(sqlite3_file *file) {
  wal_file *self = (wal_file *)file;
  int code = flush(self), closed = real(self)->pMethods->xClose(real(self));
  free(self->data);
  self->data = NULL;
  return code == SQLITE_OK ? closed : code;
}

static int on_read(sqlite3_file *file, void *data, int len, sqlite3_int64 offset) {
  wal_file *self = (wal_file *)file;
  int code = flush(self);
  return code == SQLITE_OK ? real(self)->pMethods->xRead(real(self), data, len, offset) : code;
}

/* SQLite has moved everything into the database and synced it. */
static int empty(wal_file *self) {
  static const uint8_t zeros[HEADER_SIZE];
  uint8_t header[HEADER_SIZE] = {0};
  sqlite3_file *file = real(self);
  sqlite3_int64 size = 0;
  int code = file->pMethods->xRead(file, header, HEADER_SIZE, 0);
  if (code == SQLITE_IOERR_SHORT_READ) code = SQLITE_OK;
  if (code == SQLITE_OK) code = self->before(self->before_to, header + SALT_AT);
  if (code == SQLITE_OK && self->cut) return file->pMethods->xTruncate(file, 0);
  if (code == SQLITE_OK) code = file->pMethods->xWrite(file, zeros, HEADER_SIZE, 0);
  if (code == SQLITE_OK) code = file->pMethods->xFileSize(file, &size);
  return code == SQLITE_OK && size > CK_WAL_CAP ? file->pMethods->xTruncate(file, CK_WAL_CAP)
                                                : code;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size) {
  wal_file *self = (wal_file *)file;
  int code = flush(self);
  if (code == SQLITE_OK && size == 0 && self->before) return empty(self);
  return code == SQLITE_OK ? real(self)->pMethods->xTruncate(real(self), size) : code;
}

static int on_sync(sqlite3_file *file, int flags) {
  wal_file *self = (wal_file *)file;
  int code = flush(self);
  if (code != SQLITE_OK || (self->lazy && !self->header)) return code;
  code = real(self)->pMethods->xSync(real(self), flags);
  if (code == SQLITE_OK) self->header = false;
  return code;
}

static int on_file_size(sqlite3_file *file, sqlite3_int64 *size) {
  wal_file *self = (wal_file *)file;
  int code = flush(self);
  return code == SQLITE_OK ? real(self)->pMethods->xFileSize(real(self), size) : code;
}

static int on_lock(sqlite3_file *file, int level) {
  wal_file *self = (wal_file *)file;
  return real(self)->pMethods->xLock(real(self), level);
}

static int on_unlock(sqlite3_file *file, int level) {
  wal_file *self = (wal_file *)file;
  return real(self)->pMethods->xUnlock(real(self), level);
}

static int on_check_lock(sqlite3_file *file, int *held) {
  wal_file *self = (wal_file *)file;
  return real(self)->pMethods->xCheckReservedLock(real(self), held);
}

static int on_control(sqlite3_file *file, int op, void *argument) {
  wal_file *self = (wal_file *)file;
  return real(self)->pMethods->xFileControl(real(self), op, argument);
}

static int on_sector_size(sqlite3_file *file) {
  wal_file *self = (wal_file *)file;
  return real(self)->pMethods->xSectorSize(real(self));
}

static int on_characteristics(sqlite3_file *file) {
  wal_file *self = (wal_file *)file;
  return real(self)->pMethods->xDeviceCharacteristics(real(self));
}

static const sqlite3_io_methods wal_methods = {
    .iVersion = 1,
    .xClose = on_close,
    .xRead = on_read,
    .xWrite = on_write,
    .xTruncate = on_truncate,
    .xSync = on_sync,
    .xFileSize = on_file_size,
    .xLock = on_lock,
    .xUnlock = on_unlock,
    .xCheckReservedLock = on_check_lock,
    .xFileControl = on_control,
    .xSectorSize = on_sector_size,
    .xDeviceCharacteristics = on_characteristics,
};

/* ---- the database ---- */

static db_file *db_of(sqlite3_file *file) {
  return (db_file *)(void *)((char *)file + (under->szOsFile + 7) / 8 * 8);
}

/* A connection's copy of the first page may be older than the sign. */
static int on_db_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset) {
  char page[CK_SQLITE_PAGE];
  const sqlite3_io_methods *base = db_of(file)->base;
  if (offset != 0 || len != CK_SQLITE_PAGE) return base->xWrite(file, data, len, offset);
  memcpy(page, data, sizeof page);
  int code = base->xRead(file, page + CK_USE_AT, CK_USE_SIZE, CK_USE_AT);
  return code == SQLITE_OK ? base->xWrite(file, page, len, offset) : code;
}

static void keep_use(sqlite3_file *file) {
  db_file *self = db_of(file);
  self->base = file->pMethods;
  self->methods = *file->pMethods;
  self->methods.xWrite = on_db_write;
  file->pMethods = &self->methods;
}

/* ---- opening ---- */

static int on_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *out_flags) {
  (void)vfs;
  if (!(flags & SQLITE_OPEN_WAL)) {
    int code = under->xOpen(under, name, file, flags, out_flags);
    if (code == SQLITE_OK && flags & SQLITE_OPEN_MAIN_DB) keep_use(file);
    return code;
  }
  wal_file *self = (wal_file *)file;
  memset(self, 0, sizeof *self);
  self->data = malloc(GATHER_MAX);
  if (!self->data) return SQLITE_NOMEM;
  int code = under->xOpen(under, name, real(self), flags, out_flags);
  if (code == SQLITE_OK) {
    self->base.pMethods = &wal_methods;
    return SQLITE_OK;
  }
  if (real(self)->pMethods) real(self)->pMethods->xClose(real(self));
  free(self->data);
  self->data = NULL;
  return code;
}

static void register_once(void) {
  under = sqlite3_vfs_find(NULL);
  if (!under) return;
  gathering = *under;
  gathering.zName = "ckrun";
  gathering.pNext = NULL;
  size_t behind = sizeof(wal_file) > sizeof(db_file) ? sizeof(wal_file) : sizeof(db_file);
  gathering.szOsFile = (under->szOsFile + 7) / 8 * 8 + (int)behind;
  gathering.xOpen = on_open;
  if (sqlite3_vfs_register(&gathering, 0) != SQLITE_OK) under = NULL;
}

const char *ck_vfs_name(void) {
  pthread_once(&once, register_once);
  return under ? gathering.zName : NULL;
}

void ck_vfs_set_lazy(sqlite3_file *file, bool lazy) {
  if (file && file->pMethods == &wal_methods) ((wal_file *)file)->lazy = lazy;
}

void ck_vfs_set_emptying(sqlite3_file *file, ck_vfs_before before, void *to, bool cut) {
  if (!file || file->pMethods != &wal_methods) return;
  wal_file *self = (wal_file *)file;
  self->before = before;
  self->before_to = to;
  self->cut = cut;
}
