/* faulty.c - wraps the system's VFS; one set of counters for the whole program. */
#include "tests/store/faulty.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/tap.h"

typedef struct fault {
  atomic_int code, times;
} fault;

static struct {
  atomic_int writes, syncs;
  fault write, sync;
  void (*after_sync)(void *to); /* once */
  void *to;
} files[FAULTY_FILES];

/* The wrapped file's methods, copied and changed, then the file of the VFS below. */
typedef struct wrapped {
  sqlite3_file base;
  sqlite3_io_methods methods;
  const sqlite3_io_methods *under;
  faulty_file which;
} wrapped;

static sqlite3_vfs *system_vfs, faulty_vfs;

static sqlite3_file *below(sqlite3_file *file) { return (sqlite3_file *)((wrapped *)file + 1); }
static const sqlite3_io_methods *of(sqlite3_file *file) { return ((wrapped *)file)->under; }

static int strike(fault *with) {
  if (with->times <= 0) return SQLITE_OK;
  with->times--;
  errno = EIO;
  return with->code;
}

static int on_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset) {
  faulty_file which = ((wrapped *)file)->which;
  files[which].writes++;
  int code = strike(&files[which].write);
  return code ? code : of(file)->xWrite(below(file), data, len, offset);
}

static int on_sync(sqlite3_file *file, int flags) {
  faulty_file which = ((wrapped *)file)->which;
  files[which].syncs++;
  int code = strike(&files[which].sync);
  if (code == SQLITE_OK) code = of(file)->xSync(below(file), flags);
  void (*after)(void *to) = files[which].after_sync;
  files[which].after_sync = NULL;
  if (after) after(files[which].to);
  return code;
}

static int on_close(sqlite3_file *file) { return of(file)->xClose(below(file)); }
static int on_read(sqlite3_file *file, void *data, int len, sqlite3_int64 at) {
  return of(file)->xRead(below(file), data, len, at);
}
static int on_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return of(file)->xTruncate(below(file), size);
}
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

static int on_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *out) {
  (void)vfs;
  wrapped *self = (wrapped *)file;
  memset(self, 0, sizeof *self);
  int code = system_vfs->xOpen(system_vfs, name, below(file), flags, out);
  self->under = below(file)->pMethods;
  if (!self->under) return code;
  self->which = flags & SQLITE_OPEN_WAL ? FAULTY_WAL : FAULTY_DATABASE;
  self->methods = (sqlite3_io_methods){2,          on_close,  on_read,   on_write,  on_truncate,
                                       on_sync,    on_size,   on_lock,   on_unlock, on_check,
                                       on_control, on_sector, on_device, on_map,    on_shm_lock,
                                       on_barrier, on_unmap,  NULL,      NULL};
  self->base.pMethods = &self->methods;
  return code;
}

void faulty_install(void) {
  system_vfs = sqlite3_vfs_find(NULL);
  tap_must(system_vfs != NULL, "SQLite has a VFS");
  faulty_vfs = *system_vfs;
  faulty_vfs.zName = "faulty";
  faulty_vfs.szOsFile += (int)sizeof(wrapped);
  faulty_vfs.xOpen = on_open;
  tap_must(sqlite3_vfs_register(&faulty_vfs, 1) == SQLITE_OK, "and takes another");
}

faulty_counts faulty_take(faulty_file file) {
  faulty_counts counts = {atomic_exchange(&files[file].writes, 0),
                          atomic_exchange(&files[file].syncs, 0)};
  return counts;
}

static void set(fault *with, int code, int times) {
  with->code = code;
  with->times = times;
}

void faulty_fail_sync(faulty_file file, int code, int times) {
  set(&files[file].sync, code, times);
}
void faulty_fail_write(faulty_file file, int code, int times) {
  set(&files[file].write, code, times);
}

void faulty_after_sync(faulty_file file, void (*call)(void *to), void *to) {
  files[file].after_sync = call;
  files[file].to = to;
}

int faulty_left(void) {
  int left = 0;
  for (int i = 0; i < FAULTY_FILES; i++) left += files[i].write.times + files[i].sync.times;
  return left;
}

void faulty_heal(void) {
  for (int i = 0; i < FAULTY_FILES; i++) files[i].write.times = files[i].sync.times = 0;
}
