/* salvage.c - copies a store up to where its log can be read.
 *
 * Without SQLite, which takes a damaged log for a short one. The store itself is not changed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum { CHUNK = 1 << 16 };

typedef struct salvage {
  ck_salvage_report *report;
  uint32_t promised; /* frames that were synced; 0: not known */
  uint32_t whole;    /* frames up to the last commit that can be read */
  uint32_t pages;    /* of the database then */
  int out;
  size_t page;
  int fault; /* errno */
} salvage;

/* ---- what there is ---- */

static void count_frame(void *to, const ck_wal_frame *frame) {
  salvage *self = to;
  ck_salvage_report *report = self->report;
  if (frame->holds) report->mended_bits += frame->mended;
  if (frame->holds && frame->pages) {
    self->whole = frame->no;
    self->pages = frame->pages;
    report->commits++;
  }
  if (!frame->holds && frame->no <= self->promised) report->cut_commits += frame->pages != 0;
}

/* ---- the copy ---- */

static ck_status failed(const char *doing, const char *path, ck_error *err) {
  ck_status status = errno == ENOSPC || errno == EDQUOT ? CK_E_FULL : CK_E_IO;
  return ck_error_set(err, errno == EEXIST ? CK_E_EXISTS : status, "cannot %s %s: %s", doing, path,
                      strerror(errno));
}

static ck_status copy_file(int out, const char *from, const char *to, ck_error *err) {
  char *chunk = malloc(CHUNK);
  int in = chunk ? open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  ck_status status = in >= 0 ? CK_OK : failed("open", from, err);
  off_t at = 0;
  while (status == CK_OK) {
    ssize_t len = pread(in, chunk, CHUNK, at);
    if (len == 0) break;
    if (len < 0)
      status = failed("read", from, err);
    else if (pwrite(out, chunk, (size_t)len, at) != len)
      status = failed("write", to, err);
    at += len;
  }
  if (in >= 0) close(in);
  free(chunk);
  return status;
}

static void put_frame(void *to, const ck_wal_frame *frame) {
  salvage *self = to;
  if (frame->no > self->whole || self->fault) return;
  errno = EIO;
  if (pwrite(self->out, frame->page, self->page, (off_t)(frame->page_no - 1) * (off_t)self->page) !=
      (ssize_t)self->page)
    self->fault = errno;
}

/* The copy is at rest, with a number of its own: it has no log, and takes none that it finds. */
static ck_status finish_copy(salvage *self, const char *to, ck_error *err) {
  uint8_t rest[CK_USE_SIZE];
  ck_use_encode(rest, &(ck_use){.id = ck_use_make_id()});
  errno = self->fault ? self->fault : EIO;
  bool good = !self->fault && pwrite(self->out, rest, sizeof rest, CK_USE_AT) == sizeof rest;
  if (good && self->whole) good = ftruncate(self->out, (off_t)self->pages * (off_t)self->page) == 0;
  return good && fsync(self->out) == 0 ? CK_OK : failed("write", to, err);
}

static ck_status copy_store(salvage *self, const ck_sqlite *of, const ck_wal_head *head,
                            const char *to, ck_error *err) {
  ck_wal_scan_options options = {.promised = self->promised, .last = self->whole};
  self->out = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (self->out < 0) return failed("make", to, err);
  self->page = head->page;
  ck_status status = copy_file(self->out, of->path, to, err);
  if (status == CK_OK && self->whole)
    status = ck_wal_scan(of->wal_path, head, &options, put_frame, self, err);
  if (status == CK_OK) status = finish_copy(self, to, err);
  close(self->out);
  if (status != CK_OK) unlink(to);
  return status;
}

/* ---- both ---- */

/* As damage.c judges it. One that cannot be read is found out by the copy. */
static ck_bound judge(const ck_sqlite *of, const ck_mark *mark, const ck_wal_head *head) {
  uint8_t bytes[CK_USE_SIZE] = {0};
  int fd = open(of->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  bool read = fd >= 0 && pread(fd, bytes, sizeof bytes, CK_USE_AT) == (ssize_t)sizeof bytes;
  if (fd >= 0) close(fd);
  ck_use use = ck_use_decode(bytes);
  return read ? ck_binding_judge(&use, mark, head, of->wal_path) : CK_BOUND;
}

/* A folded log has nothing that the file does not have; one of another file is left out. */
static ck_wal_head find_head(ck_salvage_report *report, const ck_sqlite *of, ck_mark *mark) {
  ck_wal_head head = ck_wal_read_head(of->wal_path);
  ck_bound bound = judge(of, mark, &head);
  report->log_gone = bound == CK_BOUND_BARE || (bound == CK_BOUND_LOG_GONE && mark->frames == 0);
  report->other_log = bound == CK_BOUND_OTHER_LOG;
  if (bound == CK_BOUND_FOLDED || bound == CK_BOUND_BARE || bound == CK_BOUND_OTHER_LOG) {
    head.state = CK_WAL_EMPTY;
    mark->state = CK_MARK_NONE;
  }
  if (head.state == CK_WAL_DAMAGED && mark->state == CK_MARK_LIVE &&
      ck_wal_mend_head(&head, of->wal_path, mark->salt))
    report->mended_bits = 1;
  return head;
}

static ck_status run(ck_salvage_report *report, const ck_sqlite *of, const char *to,
                     ck_error *err) {
  ck_mark mark = ck_mark_read_path(of->path);
  ck_wal_head head = find_head(report, of, &mark);
  bool of_round = mark.state == CK_MARK_LIVE &&
                  (head.state != CK_WAL_HEADED || memcmp(mark.salt, head.salt, CK_SALT_SIZE) == 0);
  salvage self = {.report = report, .promised = of_round ? mark.frames : 0};
  ck_wal_scan_options options = {.promised = self.promised};
  report->log_gone = report->log_gone || (self.promised && head.state != CK_WAL_HEADED);
  ck_status status = ck_wal_scan(of->wal_path, &head, &options, count_frame, &self, err);
  report->frames = self.whole;
  report->cut_frames = self.promised > self.whole ? self.promised - self.whole : 0;
  return status == CK_OK ? copy_store(&self, of, &head, to, err) : status;
}

ck_status ck_sqlite_salvage(ck_salvage_report *out, const char *path, const char *to,
                            ck_error *err) {
  ck_sqlite of = {0};
  ck_lock *lock = NULL;
  ck_error unlocked = CK_ERROR_INIT;
  *out = (ck_salvage_report){0};
  ck_status status = ck_sqlite_resolve(&of.path, path, false, err);
  if (status == CK_OK && access(of.path, R_OK) != 0)
    status = ck_error_set(err, errno == ENOENT ? CK_E_NOT_FOUND : CK_E_IO,
                          "cannot read the store %s: %s", of.path, strerror(errno));
  if (status == CK_OK && asprintf(&of.wal_path, "%s-wal", of.path) < 0) {
    of.wal_path = NULL;
    status = ck_error_no_memory(err);
  }
  /* Writers wait; a store that cannot be locked has none here. */
  if (status == CK_OK && ck_lock_open(&lock, of.path, &unlocked) == CK_OK)
    status = ck_lock_acquire(lock, CK_LOCK_WAIT_MS, err);
  if (status == CK_OK) status = run(out, &of, to, err);
  ck_lock_close(lock);
  free(of.path);
  free(of.wal_path);
  return status;
}
