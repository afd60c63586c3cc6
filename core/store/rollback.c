/* rollback.c - the file of a counter: how it is found, read, and written in place.
 *
 * Five lines of the same length each time, written by one call: a process that is killed leaves the
 * old or the new ones, and a power loss at worst a file whose sum differs, which then begins
 * anew. */
#include "core/store/rollback.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/shell_word.h"

enum { TEXT_MAX = PATH_MAX + 256, NAME_DIGITS = 32, SUM_DIGITS = 16, READS = 4 };
enum { EVERY_US = 1000000 };

/* ---- the text ---- */

static int format(char text[TEXT_MAX], const ck_rollback *self) {
  char hex[CK_DIGEST_HEX_SIZE];
  int len = snprintf(text, TEXT_MAX,
                     "ckrun counter 1\ngeneration %020" PRIu64 "\ntime %020" PRId64 "\nstore %s\n",
                     self->generation, self->at_ms, self->store);
  if (len < 0 || len > TEXT_MAX - 64) return -1;
  ck_digest sum = ck_digest_of((ck_bytes){text, (size_t)len});
  ck_digest_hex(hex, &sum);
  return len + snprintf(text + len, TEXT_MAX - (size_t)len, "sum %.*s\n", SUM_DIGITS, hex);
}

/* What was read is what would be written. */
static bool parse(ck_rollback *self, const char *text, size_t len) {
  char again[TEXT_MAX];
  ck_rollback found = {.store = self->store};
  if (sscanf(text, "ckrun counter 1\ngeneration %" SCNu64 "\ntime %" SCNd64, &found.generation,
             &found.at_ms) != 2)
    return false;
  if (format(again, &found) != (int)len || memcmp(again, text, len) != 0) return false;
  self->generation = found.generation;
  self->at_ms = found.at_ms;
  return true;
}

/* ---- the file ---- */

static ck_status failed(const char *doing, const char *path, ck_error *err) {
  int cause = errno;
  ck_status status = cause == ENOENT                     ? CK_E_NOT_FOUND
                     : cause == EROFS || cause == EACCES ? CK_E_READ_ONLY
                                                         : CK_E_IO;
  return ck_error_set(err, status, "cannot %s %s: %s", doing, path, strerror(cause));
}

static ck_status make_folders(const char *path, ck_error *err) {
  char *copy = strdup(path);
  ck_status status = copy ? CK_OK : ck_error_no_memory(err);
  for (char *at = copy; status == CK_OK && (at = strchr(at + 1, '/'));) {
    *at = '\0';
    if (mkdir(copy, 0700) != 0 && errno != EEXIST) status = failed("make the folder", copy, err);
    *at = '/';
  }
  free(copy);
  return status;
}

/* Whoever else can write it could let any rollback pass. */
static ck_status check_mode(int fd, const char *path, ck_error *err) {
  struct stat found;
  if (fstat(fd, &found) != 0) return failed("read", path, err);
  if (S_ISREG(found.st_mode) && found.st_uid == geteuid() && !(found.st_mode & 022)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "%s is not a file of yours that nobody else can write: remove it", path);
}

/* Another process may be writing it: what differs is read again. */
static ck_status read_file(ck_rollback *self, int fd, ck_error *err) {
  char text[TEXT_MAX];
  for (int i = 0; i < READS; i++) {
    ssize_t len = pread(fd, text, sizeof text - 1, 0);
    if (len < 0) return failed("read", self->path, err);
    text[len] = '\0';
    self->generation = 0;
    if (len == 0 || parse(self, text, (size_t)len)) return CK_OK;
  }
  return ck_error_set(err, CK_E_CORRUPT, "%s is not what was written: it begins anew", self->path);
}

static ck_status open_file(ck_rollback *self, bool make, ck_error *err) {
  if (make) {
    ck_status status = make_folders(self->path, err);
    if (status != CK_OK) return status;
  }
  int fd = open(self->path, (make ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return failed("open", self->path, err);
  ck_status status = check_mode(fd, self->path, err);
  if (status == CK_OK) status = read_file(self, fd, err);
  close(fd);
  return status;
}

/* Of the store's identity and place: a copy elsewhere has another name. */
static bool name_file(ck_rollback *self, const char *folder, const uint8_t identity[32]) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text("ckrun counter 1"));
  ck_digester_update_field(&digester, (ck_bytes){(const char *)identity, 32});
  ck_digester_update_field(&digester, ck_bytes_text(self->store));
  ck_digest name = ck_digester_final(&digester);
  ck_digest_hex(hex, &name);
  if (asprintf(&self->path, "%s/%.*s", folder, NAME_DIGITS, hex) >= 0) return true;
  self->path = NULL;
  return false;
}

ck_status ck_rollback_open(ck_rollback *out, const ck_store_watch *watch, const char *store_path,
                           const uint8_t identity[32], bool make, ck_error *err) {
  *out = (ck_rollback){.clock = ck_clock_system()};
  out->store = realpath(store_path, NULL);
  if (!out->store) return failed("find", store_path, err);
  if (!name_file(out, watch->folder, identity)) {
    ck_rollback_close(out);
    return ck_error_no_memory(err);
  }
  ck_status status = open_file(out, make, err);
  if (status != CK_OK && status != CK_E_CORRUPT) ck_rollback_close(out);
  return status;
}

void ck_rollback_close(ck_rollback *self) {
  ck_rollback_flush(self);
  free(self->path);
  free(self->store);
  *self = (ck_rollback){0};
}

/* ---- its use ---- */

ck_status ck_rollback_check(const ck_rollback *self, uint64_t generation, ck_error *err) {
  char day[32] = "";
  time_t seconds = (time_t)(self->at_ms / 1000);
  struct tm when;
  if (!self->path || generation >= self->generation) return CK_OK;
  if (localtime_r(&seconds, &when)) strftime(day, sizeof day, "%Y-%m-%d %H:%M", &when);
  ck_buffer word = {0};
  ck_shell_word_append_quoted(&word, self->store);
  ck_error_set(
      err, CK_E_CORRUPT,
      "store %s was set back: it is at change %" PRIu64 ", and was at change %" PRIu64
      " on %s: an older copy lies in its place, or its last changes were cut off; if you put a "
      "backup there, say so: 'ckrun --store %s store accept-rollback'",
      self->store, generation, self->generation, day, word.failed ? "PATH" : word.data);
  ck_buffer_clear(&word);
  return CK_E_CORRUPT;
}

/* One process at a time; whoever is kept waiting by a stopped one goes on without. */
static bool update_file(ck_rollback *self, int fd) {
  char text[TEXT_MAX];
  ck_error ignored = CK_ERROR_INIT;
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  ck_status status = check_mode(fd, self->path, &ignored);
  if (status == CK_OK) status = read_file(self, fd, &ignored);
  if (status != CK_OK && status != CK_E_CORRUPT) return false;
  if (self->synced <= self->generation) return true;
  self->generation = self->synced;
  self->at_ms = self->clock.wall_ms(self->clock.self);
  int len = format(text, self);
  return len > 0 && pwrite(fd, text, (size_t)len, 0) == len;
}

void ck_rollback_flush(ck_rollback *self) {
  if (!self->path || self->synced <= self->generation) return;
  int fd = open(self->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  self->written_us = self->clock.mono_us(self->clock.self);
  if (fd < 0) return;
  if (!update_file(self, fd)) self->generation = 0; /* the next call tries again */
  close(fd);
}

void ck_rollback_advance(void *to, uint64_t generation) {
  ck_rollback *self = to;
  if (generation <= self->synced) return;
  self->synced = generation;
  if (!self->written_us || self->clock.mono_us(self->clock.self) - self->written_us >= EVERY_US)
    ck_rollback_flush(self);
}
