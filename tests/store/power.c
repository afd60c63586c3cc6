/* power.c - a log of writes, cuts and syncs over the system's VFS; images are made by going through
 * it again. */
#include "tests/store/power.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/store/history.h"
#include "tests/store/wrapped_vfs.h"
#include "tests/tap.h"

enum { DATABASE, WAL, LOCK, FILES, SECTOR = 512, PAGE = 4096, MARK = 64 };
static const char *const suffixes[FILES] = {"", "-wal", ".lock"};

typedef enum { WRITE, CUT, SYNC } entry_kind;
typedef struct entry {
  entry_kind kind;
  int file;
  int64_t offset; /* of a cut: the new size */
  size_t len;
  char *data;
} entry;

typedef struct content {
  char *data;
  size_t len, cap;
} content;

static struct {
  char *path; /* NULL: nothing is remembered now */
  entry *entries;
  size_t count, cap;
  content synced[FILES]; /* as of the entry `at` */
  size_t at;
  char mark[MARK]; /* as it was seen last */
} tape;

/* ---- contents ---- */

static void reserve(content *self, size_t len) {
  if (len <= self->cap) return;
  self->cap = len + len / 2;
  self->data = realloc(self->data, self->cap);
  tap_must(self->data != NULL, "there is memory");
}

static void resize(content *self, size_t len) {
  reserve(self, len);
  if (len > self->len) memset(self->data + self->len, 0, len - self->len);
  self->len = len;
}

static void put(content *self, int64_t offset, const char *data, size_t len) {
  size_t end = (size_t)offset + len;
  if (end > self->len) resize(self, end);
  if (len) memcpy(self->data + offset, data, len);
}

static void apply(content *self, const entry *done) {
  if (done->kind == WRITE) put(self, done->offset, done->data, done->len);
  if (done->kind == CUT) resize(self, (size_t)done->offset);
}

static void read_file(content *out, const char *path, const char *suffix) {
  char name[500];
  struct stat found;
  snprintf(name, sizeof name, "%s%s", path, suffix);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  tap_must(fd >= 0 && fstat(fd, &found) == 0, "%s is there", name);
  resize(out, (size_t)found.st_size);
  tap_must(read(fd, out->data, out->len) == (ssize_t)out->len, "%s can be read", name);
  close(fd);
}

/* Pages of zeros stay holes. */
static void write_file(const content *from, const char *path, const char *suffix) {
  static const char zeros[PAGE];
  char name[500];
  snprintf(name, sizeof name, "%s%s", path, suffix);
  unlink(name);
  int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool good = fd >= 0 && ftruncate(fd, (off_t)from->len) == 0;
  for (size_t at = 0; at < from->len && good; at += PAGE) {
    size_t len = from->len - at < PAGE ? from->len - at : PAGE;
    if (memcmp(from->data + at, zeros, len) != 0)
      good = pwrite(fd, from->data + at, len, (off_t)at) == (ssize_t)len;
  }
  tap_must(good && close(fd) == 0, "%s can be made", name);
}

/* ---- remembering ---- */

static void remember(const entry *from) {
  if (tape.count == tape.cap) {
    tape.cap = tape.cap * 2 + 1024;
    tape.entries = realloc(tape.entries, tape.cap * sizeof *tape.entries);
    tap_must(tape.entries != NULL, "there is memory");
  }
  entry *to = &tape.entries[tape.count++];
  *to = *from;
  if (!from->data) return;
  to->data = malloc(from->len);
  tap_must(to->data != NULL, "there is memory");
  memcpy(to->data, from->data, from->len);
}

/* The mark in the lock file is not written through SQLite: it is looked at before each entry of the
 * others, which it is written between, and its syncs are seen here. */
static void look_at_mark(void) {
  char name[500], now[MARK] = {0};
  snprintf(name, sizeof name, "%s.lock", tape.path);
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  ssize_t len = fd >= 0 ? read(fd, now, sizeof now) : -1;
  if (fd >= 0) close(fd);
  if (len != MARK || memcmp(now, tape.mark, MARK) == 0) return;
  memcpy(tape.mark, now, MARK);
  remember(&(entry){WRITE, LOCK, 0, MARK, now});
}

static bool is_lock_file(int fd) {
  char name[500];
  struct stat open_file, named;
  snprintf(name, sizeof name, "%s.lock", tape.path);
  return fstat(fd, &open_file) == 0 && stat(name, &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/* In the place of the C library's, for the whole program. */
int fdatasync(int fd) {
  if (tape.path && is_lock_file(fd)) {
    look_at_mark();
    remember(&(entry){SYNC, LOCK, 0, 0, NULL});
  }
  return (int)syscall(SYS_fdatasync, fd);
}

static void remember_file(const entry *from) {
  look_at_mark();
  remember(from);
}

static sqlite3_vfs power_vfs;

/* Its number is -1 when it is not of the store that is remembered. */
static bool is_remembered(sqlite3_file *file) { return tape.path && wrapped_which(file) >= 0; }

static int on_write(sqlite3_file *file, const void *data, int len, sqlite3_int64 offset) {
  int code = wrapped_methods(file)->xWrite(wrapped_below(file), data, len, offset);
  entry done = {WRITE, wrapped_which(file), offset, (size_t)len, (char *)(uintptr_t)data};
  if (code == SQLITE_OK && is_remembered(file)) remember_file(&done);
  return code;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size) {
  int code = wrapped_methods(file)->xTruncate(wrapped_below(file), size);
  entry done = {CUT, wrapped_which(file), size, 0, NULL};
  if (code == SQLITE_OK && is_remembered(file)) remember_file(&done);
  return code;
}

static int on_sync(sqlite3_file *file, int flags) {
  (void)flags;
  entry done = {SYNC, wrapped_which(file), 0, 0, NULL};
  if (is_remembered(file)) remember_file(&done);
  return SQLITE_OK;
}

static int file_of(const char *name) {
  size_t len = tape.path ? strlen(tape.path) : 0;
  if (!tape.path || !name || strncmp(name, tape.path, len) != 0) return -1;
  for (int i = 0; i < FILES; i++) {
    if (strcmp(name + len, suffixes[i]) == 0) return i;
  }
  return -1;
}

static int on_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                   int *out) {
  static const sqlite3_io_methods taken = {
      .xWrite = on_write, .xTruncate = on_truncate, .xSync = on_sync};
  (void)vfs;
  return wrapped_open(&taken, file_of(name), name, file, flags, out);
}

void power_install(void) { wrapped_install(&power_vfs, "power", on_open); }

void power_record(const char *path) {
  power_clear();
  tape.path = strdup(path);
  for (int i = 0; i < FILES; i++) read_file(&tape.synced[i], path, suffixes[i]);
  if (tape.synced[LOCK].len == MARK) memcpy(tape.mark, tape.synced[LOCK].data, MARK);
}

size_t power_count(void) { return tape.count; }

size_t power_find_restart(size_t at) {
  for (; at < tape.count; at++) {
    const entry *done = &tape.entries[at];
    if (done->file == WAL && done->kind == WRITE && done->offset == 0) break;
  }
  return at;
}

void power_stop(void) {
  free(tape.path);
  tape.path = NULL;
}

void power_clear(void) {
  power_stop();
  for (size_t i = 0; i < tape.count; i++) free(tape.entries[i].data);
  for (int i = 0; i < FILES; i++) free(tape.synced[i].data);
  free(tape.entries);
  memset(&tape, 0, sizeof tape);
}

/* ---- losing ---- */

/* What becomes of the writes to one file that were not synced. */
typedef enum {
  LOSE_ALL,
  KEEP_FIRST,
  KEEP_LAST,
  KEEP_SOME,
  KEEP_SECTORS,
  LOSE_ONE_SECTOR,
  LOSSES
} loss;

typedef struct losing {
  loss how;
  size_t count, seen; /* writes in danger; those gone through */
  size_t mark;        /* of these, the one where what is kept begins or ends */
  test_dice *random;
} losing;

/* Sectors lie on the disk's grid, whatever the write's offset. */
static size_t sector_len(int64_t offset, size_t left) {
  size_t room = SECTOR - (size_t)(offset % SECTOR);
  return left < room ? left : room;
}

/* Each sector is kept or not, or only one is lost. */
static void apply_sectors(content *to, const entry *done, losing *self, bool lose_one) {
  size_t sectors = done->len / SECTOR + 1, lost = (size_t)dice_pick(self->random, sectors), n = 0;
  for (size_t at = 0, len; at < done->len; at += len, n++) {
    len = sector_len(done->offset + (int64_t)at, done->len - at);
    bool keep = lose_one ? n != lost : dice_pick(self->random, 2) != 0;
    if (keep) put(to, done->offset + (int64_t)at, done->data + at, len);
  }
}

static void lose(content *to, const entry *done, losing *self) {
  size_t n = self->seen++;
  bool marked = n == self->mark, keep = false, tear = false;
  switch (self->how) {
    case LOSE_ALL:
      break;
    case KEEP_FIRST:
      keep = n < self->mark, tear = marked;
      break;
    case KEEP_LAST:
      keep = n > self->mark, tear = marked;
      break;
    case KEEP_SOME:
      keep = dice_pick(self->random, 2) != 0;
      break;
    case KEEP_SECTORS:
      tear = true;
      break;
    default:
      keep = !marked;
      break;
  }
  if (done->kind == WRITE && (tear || (marked && self->how == LOSE_ONE_SECTOR)))
    apply_sectors(to, done, self, self->how == LOSE_ONE_SECTOR);
  else if (keep)
    apply(to, done);
}

/* The entries of a file since its last sync before `at`. All syncs before `at` are in `synced`
 * already. */
static size_t first_in_danger(int file, size_t at) {
  for (size_t i = at; i-- > 0;) {
    if (tape.entries[i].file == file && tape.entries[i].kind == SYNC) return i + 1;
  }
  return 0;
}

static void make_file(const char *path, int file, size_t at, test_dice *random) {
  content image = {0};
  size_t first = first_in_danger(file, at), end = tape.synced[file].len;
  losing self = {.how = (loss)dice_pick(random, LOSSES), .random = random};
  put(&image, 0, tape.synced[file].data, tape.synced[file].len);
  for (size_t i = first; i < at; i++) self.count += tape.entries[i].file == file;
  self.mark = self.count ? (size_t)dice_pick(random, self.count) : 0;
  for (size_t i = first; i < at; i++) {
    const entry *done = &tape.entries[i];
    if (done->file != file) continue;
    lose(&image, done, &self);
    if (done->kind == WRITE && (size_t)done->offset + done->len > end)
      end = (size_t)done->offset + done->len;
  }
  /* A file system may have noted the new size, but not the bytes. */
  if (end > image.len && dice_pick(random, 2)) resize(&image, end);
  write_file(&image, path, suffixes[file]);
  free(image.data);
}

/* What a sync made safe. */
static void go_to(size_t at) {
  for (; tape.at < at; tape.at++) {
    int file = tape.entries[tape.at].file;
    if (tape.entries[tape.at].kind != SYNC) continue;
    for (size_t i = first_in_danger(file, tape.at); i < tape.at; i++) {
      if (tape.entries[i].file == file) apply(&tape.synced[file], &tape.entries[i]);
    }
  }
}

void power_make_image(const char *path, size_t at, uint64_t seed) {
  test_dice random = {seed};
  char name[500];
  tap_must(at >= tape.at && at <= tape.count, "images are made in order");
  go_to(at);
  for (int i = 0; i < FILES; i++) make_file(path, i, at, &random);
  snprintf(name, sizeof name, "%s-shm", path);
  unlink(name);
}
