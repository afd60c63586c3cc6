/* disk_vfs.c - the calls by which a program reaches the disk: SQLite's VFS, and the C library's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/sqlite/binding.h"
#include "tests/store/wrapped_vfs.h"
#include "tests/worlds/baton.h"
#include "tests/worlds/chance.h"
#include "tests/worlds/disk_private.h"

static sqlite3_vfs *system_vfs, world_vfs;

static bool is_dead(void) { return disk_is_dead(baton_process()); }

/* ---- SQLite ---- */

static bool is_zeros(const void *data, size_t len) {
  const char *bytes = data;
  return len > 0 && bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* Zeros behind the end, with which a log is filled in advance, are made a hole: it reads the same,
 * and costs nothing. */
static int write_below(sqlite3_file *file, const void *data, size_t len, int64_t offset) {
  const sqlite3_io_methods *methods = wrapped_methods(file);
  sqlite3_file *below = wrapped_below(file);
  sqlite3_int64 size;
  if (is_zeros(data, len) && methods->xFileSize(below, &size) == SQLITE_OK && size <= offset)
    return methods->xTruncate(below, offset + (int64_t)len);
  return methods->xWrite(below, data, (int)len, offset);
}

/* Its header was written, and not synced since. */
static bool log_begins;

static int write_now(sqlite3_file *file, const void *data, size_t len, int64_t offset) {
  int which = wrapped_which(file);
  int code = len ? write_below(file, data, len, offset) : SQLITE_OK;
  if (code == SQLITE_OK && which >= 0 && len) disk_note_write(which, offset, data, len);
  if (which == DISK_WAL && offset == 0) log_begins = !is_zeros(data, len);
  return code;
}

static disk_leave ask(sqlite3_file *file, const char *data, int len, sqlite3_int64 offset) {
  bool sign = wrapped_which(file) == DISK_DATABASE && offset == CK_USE_AT && len == CK_USE_SIZE;
  return sign ? disk_ask_sign(data[0] == 0) : disk_ask((size_t)len);
}

static int on_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset) {
  switch (ask(file, data, len, offset)) {
    case DISK_GO:
      return write_now(file, data, (size_t)len, offset);
    case DISK_TEARS:
      (void)write_now(file, data, disk_torn_len((size_t)len), offset);
      return SQLITE_IOERR_WRITE;
    case DISK_NO_ROOM:
      errno = ENOSPC;
      return SQLITE_FULL;
    default:
      errno = EIO;
      return SQLITE_IOERR_WRITE;
  }
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size) {
  errno = EIO;
  if (disk_ask(0) != DISK_GO) return SQLITE_IOERR_TRUNCATE;
  int code = wrapped_methods(file)->xTruncate(wrapped_below(file), size),
      which = wrapped_which(file);
  if (code == SQLITE_OK && which >= 0) disk_note_cut(which, size);
  return code;
}

static int on_sync(sqlite3_file *file, int flags) {
  int which = wrapped_which(file);
  (void)flags;
  disk_leave leave = disk_ask_sync();
  if (leave == DISK_GO && which >= 0) disk_note_sync(which);
  if (leave == DISK_GO && which == DISK_WAL && log_begins) disk_note_begun();
  if (leave == DISK_GO && which == DISK_WAL) log_begins = false;
  if (leave == DISK_GO) return SQLITE_OK;
  if (leave == DISK_BROKEN && which >= 0) disk_note_failed_sync(which);
  errno = EIO;
  return SQLITE_IOERR_FSYNC;
}

static int on_read(sqlite3_file *file, void *data, int len, sqlite3_int64 at) {
  if (!is_dead()) return wrapped_methods(file)->xRead(wrapped_below(file), data, len, at);
  errno = EIO;
  return SQLITE_IOERR_READ;
}

static int on_unmap(sqlite3_file *file, int remove) {
  return wrapped_methods(file)->xShmUnmap(wrapped_below(file), remove && !is_dead());
}

static int on_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *out) {
  static const sqlite3_io_methods taken = {.xRead = on_read,
                                           .xWrite = on_write,
                                           .xTruncate = on_truncate,
                                           .xSync = on_sync,
                                           .xShmUnmap = on_unmap};
  (void)vfs;
  file->pMethods = NULL;
  if (is_dead()) return SQLITE_CANTOPEN;
  return wrapped_open(&taken, disk_file_of(name), name, file, flags, out);
}

static int on_delete(sqlite3_vfs *vfs, const char *name, int sync) {
  (void)vfs;
  if (is_dead()) return SQLITE_IOERR_DELETE;
  int which = disk_file_of(name), code = system_vfs->xDelete(system_vfs, name, sync);
  if (code == SQLITE_OK && which >= 0) disk_note_removed(which);
  return code;
}

static int on_random(sqlite3_vfs *vfs, int len, char *out) {
  (void)vfs;
  for (int i = 0; i < len; i++) out[i] = (char)(i * 37);
  return len;
}

static int on_sleep(sqlite3_vfs *vfs, int us) {
  (void)vfs;
  baton_sleep(us);
  return us;
}

static int on_time(sqlite3_vfs *vfs, sqlite3_int64 *ms) {
  (void)vfs;
  *ms = 210866760000000 + 1700000000000 + baton_now_us() / 1000;
  return SQLITE_OK;
}

void disk_register_vfs(void) {
  system_vfs = wrapped_install(&world_vfs, "world", on_open);
  world_vfs.xDelete = on_delete;
  world_vfs.xRandomness = on_random;
  world_vfs.xSleep = on_sleep;
  world_vfs.xCurrentTimeInt64 = on_time;
}

/* ---- the C library ---- */

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset);
int __real_rename(const char *from, const char *to);
int __real_mknod(const char *path, mode_t mode, dev_t dev);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __wrap_ftruncate(int fd, off_t size);
int __wrap_rename(const char *from, const char *to);
int __wrap_unlink(const char *path);
int __wrap_mknod(const char *path, mode_t mode, dev_t dev);

static int refuse(int error) {
  errno = error;
  return -1;
}

static int file_open_as(int fd) {
  char link[64], path[512];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t len = readlink(link, path, sizeof path - 1);
  if (len <= 0) return -1;
  path[len] = 0;
  return disk_file_of(path);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t offset) {
  int which = file_open_as(fd);
  disk_leave leave = disk_ask(len);
  size_t now = leave == DISK_GO ? len : leave == DISK_TEARS ? disk_torn_len(len) : 0;
  ssize_t done = now ? __real_pwrite(fd, data, now, offset) : 0;
  if (done > 0 && which >= 0) disk_note_write(which, offset, data, (size_t)done);
  return leave == DISK_GO ? done : refuse(leave == DISK_NO_ROOM ? ENOSPC : EIO);
}

static int sync_file(int fd) {
  int which = file_open_as(fd);
  disk_leave leave = disk_ask_sync();
  if (leave == DISK_BROKEN && which >= 0) disk_note_failed_sync(which);
  if (leave != DISK_GO) return refuse(EIO);
  if (which >= 0) disk_note_sync(which);
  return 0;
}
int __wrap_fdatasync(int fd) { return sync_file(fd); }
int __wrap_fsync(int fd) { return sync_file(fd); }

int __wrap_ftruncate(int fd, off_t size) {
  int which = file_open_as(fd);
  if (disk_ask(0) != DISK_GO) return refuse(EIO);
  if (which >= 0) disk_note_cut(which, size);
  return __real_ftruncate(fd, size);
}

int __wrap_rename(const char *from, const char *to) {
  int which = disk_file_of(from), as = disk_file_of(to);
  if (disk_ask(0) != DISK_GO) return refuse(EIO);
  int failed = __real_rename(from, to);
  if (!failed && which >= 0 && as >= 0) disk_note_rename(which, as);
  return failed;
}

int __wrap_unlink(const char *path) {
  int which = disk_file_of(path);
  if (disk_ask(0) != DISK_GO) return refuse(EIO);
  int failed = __real_unlink(path);
  if (!failed && which >= 0) disk_note_removed(which);
  return failed;
}

int __wrap_mknod(const char *path, mode_t mode, dev_t dev) {
  if (disk_ask(0) != DISK_GO) return refuse(EIO);
  return __real_mknod(path, mode, dev);
}
