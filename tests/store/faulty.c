/* faulty.c - wraps the system's VFS; one set of counters for the whole program. */
#include "tests/store/faulty.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/store/wrapped_vfs.h"

typedef struct fault {
  atomic_int code, times;
} fault;

static struct {
  atomic_int writes, syncs;
  fault write, sync;
  void (*after_sync)(void *to); /* once */
  void *to;
} files[FAULTY_FILES];

static sqlite3_vfs faulty_vfs;

static int strike(fault *with) {
  if (with->times <= 0) return SQLITE_OK;
  with->times--;
  errno = EIO;
  return with->code;
}

static int on_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset) {
  faulty_file which = (faulty_file)wrapped_which(file);
  files[which].writes++;
  int code = strike(&files[which].write);
  return code ? code : wrapped_methods(file)->xWrite(wrapped_below(file), data, len, offset);
}

static int on_sync(sqlite3_file *file, int flags) {
  faulty_file which = (faulty_file)wrapped_which(file);
  files[which].syncs++;
  int code = strike(&files[which].sync);
  if (code == SQLITE_OK) code = wrapped_methods(file)->xSync(wrapped_below(file), flags);
  void (*after)(void *to) = files[which].after_sync;
  files[which].after_sync = NULL;
  if (after) after(files[which].to);
  return code;
}

static int on_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *out) {
  static const sqlite3_io_methods taken = {.xWrite = on_write, .xSync = on_sync};
  (void)vfs;
  return wrapped_open(&taken, flags & SQLITE_OPEN_WAL ? FAULTY_WAL : FAULTY_DATABASE, name, file,
                      flags, out);
}

void faulty_install(void) { wrapped_install(&faulty_vfs, "faulty", on_open); }

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
