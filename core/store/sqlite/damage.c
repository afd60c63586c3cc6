/* damage.c - tells a damaged log from one whose end was torn by a crash.
 *
 * SQLite takes a log up to its first frame that does not hold, and drops the rest in silence: right
 * after a crash, for what was not synced, and wrong for what was. The mark in PATH.lock says how
 * many frames were synced. A log of the same round with fewer, or none at all, was damaged; any
 * other difference is the end of a crash. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum { LOOKS = 20, LOOK_PAUSE_MS = 1 };

static bool same_salt(const ck_mark *mark, const uint8_t salt[CK_SALT_SIZE]) {
  return memcmp(mark->salt, salt, CK_SALT_SIZE) == 0;
}

/* ---- the log is gone ---- */

static bool is_gone(const ck_sqlite *self, const ck_mark *mark, const ck_wal_head *head) {
  if (mark->state == CK_MARK_LIVE) return head->state != CK_WAL_HEADED;
  return mark->state == CK_MARK_NONE && self->in_use && head->state == CK_WAL_ABSENT;
}

static ck_status gone_error(const ck_sqlite *self, const ck_mark *mark, const ck_wal_head *head,
                            ck_error *err) {
  if (mark->state == CK_MARK_NONE)
    return ck_error_set(err, CK_E_CORRUPT,
                        "store %s was copied from a store in use, without %s, which held commits "
                        "that the file does not: copy all files of the store, or copy it at rest",
                        self->path, self->wal_path);
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: its write-ahead log %s is %s; %u synced frames were in it, and nothing is resumed "
      "without them: put it back. If another program moved it into the file, as sqlite3 does when "
      "it closes, go on with the copy that 'ckrun store salvage --to FILE' makes",
      self->path, self->wal_path, head->state == CK_WAL_DAMAGED ? "damaged in its header" : "gone",
      mark->frames);
}

/* Two looks at the mark with one at the log between them: a live writer changes both. */
static void look(ck_mark *mark, ck_wal_head *head, const ck_sqlite *self) {
  for (int i = 0; i < LOOKS; i++) {
    if (i > 0) nanosleep(&(struct timespec){0, LOOK_PAUSE_MS * 1000000L}, NULL);
    *mark = ck_mark_read_path(self->path);
    *head = ck_wal_read_head(self->wal_path);
    ck_mark then = ck_mark_read_path(self->path);
    if (!is_gone(self, mark, head) || ck_mark_equal(mark, &then)) return;
  }
}

/* ---- the log was folded ---- */

static void zero_header(const ck_sqlite *self) {
  static const char zeros[32];
  int fd = open(self->wal_path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (pwrite(fd, zeros, sizeof zeros, 0) != (ssize_t)sizeof zeros) errno = 0;
  close(fd);
}

/* Nobody else can open the database meanwhile, in this process or another one. */
static bool lock_alone(sqlite3_file *file) {
  return file->pMethods->xLock(file, SQLITE_LOCK_SHARED) == SQLITE_OK &&
         file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK;
}

static bool is_folded(const ck_mark *mark, const ck_wal_head *head) {
  return mark->state == CK_MARK_FOLDED && head->state == CK_WAL_HEADED &&
         same_salt(mark, head->salt);
}

/* The power went before the zeros were on disk. Its frames are in the database; found again, a
 * single one that does not hold would set pages back. While somebody has the store open, the log is
 * theirs. */
static void empty_again(const ck_sqlite *self) {
  sqlite3 *db = NULL;
  sqlite3_file *file = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  if (sqlite3_open_v2(self->path, &db, flags, NULL) == SQLITE_OK &&
      sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file &&
      file->pMethods) {
    ck_mark mark;
    ck_wal_head head;
    bool alone = lock_alone(file);
    look(&mark, &head, self);
    if (alone && is_folded(&mark, &head)) zero_header(self);
    file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
  }
  sqlite3_close(db);
}

ck_status ck_damage_check_files(ck_sqlite *self, ck_error *err) {
  ck_wal_head head;
  look(&self->mark, &head, self);
  if (is_gone(self, &self->mark, &head)) return gone_error(self, &self->mark, &head, err);
  if (is_folded(&self->mark, &head)) empty_again(self);
  return CK_OK;
}

/* ---- the log was cut ---- */

/* Another program read a folded log before it was made empty, and has it open: commits follow its
 * frames, so they count again. */
static ck_status unfold(const ck_sqlite *self, const ck_wal_index *index, ck_error *err) {
  ck_mark mark = {.state = CK_MARK_LIVE, .frames = index->frames};
  memcpy(mark.salt, index->salt, CK_SALT_SIZE);
  return self->lock ? ck_mark_write(ck_lock_fd(self->lock), &mark, true, err) : CK_OK;
}

static void count_frame(void *to, const ck_wal_frame *frame) {
  ck_wal_index *index = to;
  if (frame->holds && frame->pages) index->frames = frame->no;
}

/* SQLite keeps its index in its own memory when it reads alone: then it is counted here. */
static ck_status get_index(ck_wal_index *out, bool *found, const ck_sqlite *self, sqlite3 *db,
                           ck_error *err) {
  *found = !self->alone && ck_wal_get_index(out, db);
  if (!self->alone) return CK_OK;
  ck_wal_head head = ck_wal_read_head(self->wal_path);
  *out = (ck_wal_index){0};
  *found = head.state == CK_WAL_HEADED;
  memcpy(out->salt, head.salt, CK_SALT_SIZE);
  return ck_wal_scan(self->wal_path, &head, &(ck_wal_scan_options){0}, count_frame, out, err);
}

ck_status ck_damage_check_index(ck_sqlite *self, sqlite3 *db, ck_error *err) {
  ck_wal_index index;
  bool found;
  const ck_mark *mark = &self->mark;
  if (mark->state == CK_MARK_NONE) return CK_OK;
  ck_status status = get_index(&index, &found, self, db, err);
  if (status != CK_OK || !found || !same_salt(mark, index.salt)) return status;
  if (mark->state == CK_MARK_FOLDED) return index.frames ? unfold(self, &index, err) : CK_OK;
  if (index.frames >= mark->frames) return CK_OK;
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: its write-ahead log %s is damaged: %u of %u synced frames can be "
      "read, and nothing is resumed without the others: put an undamaged copy back, "
      "or see what can be read with 'ckrun store salvage'",
      self->path, self->wal_path, index.frames, mark->frames);
}
