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
 * the WAL of a writing connection is affected. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum { GATHER_MAX = 1 << 16 }; /* the unix VFS takes less than 1 << 17 at once */

/* The base VFS's own file follows in memory. */
typedef struct wal_file {
  sqlite3_file base;
  bool lazy;   /* syncs are skipped */
  bool header; /* the log's header was written, and not synced since */
  char *data;
  int len;
  sqlite3_int64 offset;
} wal_file;

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

static int on_truncate(sqlite3_file *file, sqlite3_int64 size) {
  wal_file *self = (wal_file *)file;
  int code = flush(self);
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

static int on_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *out_flags) {
  (void)vfs;
  if (!(flags & SQLITE_OPEN_WAL)) return under->xOpen(under, name, file, flags, out_flags);
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
  gathering.szOsFile = under->szOsFile + (int)sizeof(wal_file);
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
