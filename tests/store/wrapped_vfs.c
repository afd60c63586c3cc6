/* wrapped_vfs.c - files of the VFS below, with methods that are copied and changed. */
#include "tests/store/wrapped_vfs.h"

#include <string.h>

#include "tests/tap.h"

/* The file of the VFS below lies behind it. */
typedef struct wrapped {
  sqlite3_file base;
  sqlite3_io_methods methods;
  const sqlite3_io_methods *under;
  int which;
} wrapped;

static sqlite3_vfs *system_vfs;

sqlite3_file *wrapped_below(sqlite3_file *file) { return (sqlite3_file *)((wrapped *)file + 1); }
const sqlite3_io_methods *wrapped_methods(sqlite3_file *file) { return ((wrapped *)file)->under; }
int wrapped_which(sqlite3_file *file) { return ((wrapped *)file)->which; }

static sqlite3_file *below(sqlite3_file *file) { return wrapped_below(file); }
static const sqlite3_io_methods *of(sqlite3_file *file) { return wrapped_methods(file); }

static int on_close(sqlite3_file *file) { return of(file)->xClose(below(file)); }
static int on_read(sqlite3_file *file, void *data, int len, sqlite3_int64 at) {
  return of(file)->xRead(below(file), data, len, at);
}
static int on_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 at) {
  return of(file)->xWrite(below(file), data, len, at);
}
static int on_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return of(file)->xTruncate(below(file), size);
}
static int on_sync(sqlite3_file *file, int flags) { return of(file)->xSync(below(file), flags); }
static int on_size(sqlite3_file *file, sqlite3_int64 *size) {
  return of(file)->xFileSize(below(file), size);
}
static int on_lock(sqlite3_file *file, int level) { return of(file)->xLock(below(file), level); }
static int on_unlock(sqlite3_file *file, int level) {
  return of(file)->xUnlock(below(file), level);
}
static int on_check(sqlite3_file *file, int *out) {
  return of(file)->xCheckReservedLock(below(file), out);
}
static int on_control(sqlite3_file *file, int op, void *argument) {
  return of(file)->xFileControl(below(file), op, argument);
}
static int on_sector(sqlite3_file *file) { return of(file)->xSectorSize(below(file)); }
static int on_device(sqlite3_file *file) { return of(file)->xDeviceCharacteristics(below(file)); }
static int on_map(sqlite3_file *file, int page, int size, int extend, void volatile **out) {
  return of(file)->xShmMap(below(file), page, size, extend, out);
}
static int on_shm_lock(sqlite3_file *file, int offset, int n, int flags) {
  return of(file)->xShmLock(below(file), offset, n, flags);
}
static void on_barrier(sqlite3_file *file) { of(file)->xShmBarrier(below(file)); }
static int on_unmap(sqlite3_file *file, int remove) {
  return of(file)->xShmUnmap(below(file), remove);
}

static const sqlite3_io_methods passed_on = {
    2,           on_close,   on_read,  on_write,   on_truncate, on_sync,   on_size,
    on_lock,     on_unlock,  on_check, on_control, on_sector,   on_device, on_map,
    on_shm_lock, on_barrier, on_unmap, NULL,       NULL};

#define TAKE(method) \
  if (taken->method) self->methods.method = taken->method

int wrapped_open(const sqlite3_io_methods *taken, int which, sqlite3_filename name,
                 sqlite3_file *file, int flags, int *out) {
  wrapped *self = (wrapped *)file;
  memset(self, 0, sizeof *self);
  int code = system_vfs->xOpen(system_vfs, name, below(file), flags, out);
  self->under = below(file)->pMethods;
  if (!self->under) return code;
  self->which = which;
  self->methods = passed_on;
  TAKE(xRead);
  TAKE(xWrite);
  TAKE(xTruncate);
  TAKE(xSync);
  TAKE(xShmUnmap);
  self->base.pMethods = &self->methods;
  return code;
}

sqlite3_vfs *wrapped_install(sqlite3_vfs *vfs, const char *name,
                             int (*open)(sqlite3_vfs *, sqlite3_filename, sqlite3_file *, int,
                                         int *)) {
  tap_must(!system_vfs, "a program has one VFS in front");
  system_vfs = sqlite3_vfs_find(NULL);
  tap_must(system_vfs != NULL, "SQLite has a VFS");
  *vfs = *system_vfs;
  vfs->zName = name;
  vfs->szOsFile += (int)sizeof(wrapped);
  vfs->xOpen = open;
  tap_must(sqlite3_vfs_register(vfs, 1) == SQLITE_OK, "and takes another");
  return system_vfs;
}
