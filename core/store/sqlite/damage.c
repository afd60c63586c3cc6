/* damage.c - tells a damaged log from one whose end was torn by a crash.
 *
 * SQLite takes a log up to its first frame that does not hold, and drops the rest in silence: right
 * after a crash, for what was not synced, and wrong for what was. The mark in PATH.lock says how
 * many frames were synced. A log of the same round with fewer, or none at all, was damaged; any
 * other difference is the end of a crash. Before that the database, the mark and the log must
 * belong together (binding.h). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum { LOOKS = 20, LOOK_PAUSE_MS = 1 };

static bool same_salt(const ck_mark *mark, const uint8_t salt[CK_SALT_SIZE]) {
  return memcmp(mark->salt, salt, CK_SALT_SIZE) == 0;
}

/* ---- what does not belong together ---- */

static ck_status gone_error(const ck_sqlite *self, const ck_wal_head *head, ck_error *err) {
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: its write-ahead log %s is %s; %u synced frames were in it, and nothing is resumed "
      "without them: put it back. If another program moved it into the file, as sqlite3 does when "
      "it closes, go on with the copy that 'ckrun store salvage --to FILE' makes",
      self->path, self->wal_path, head->state == CK_WAL_DAMAGED ? "damaged in its header" : "gone",
      self->mark.frames);
}

static ck_status bound_error(const ck_sqlite *self, ck_bound bound, const ck_wal_head *head,
                             ck_error *err) {
  if (bound == CK_BOUND_LOG_GONE) return gone_error(self, head, err);
  if (bound == CK_BOUND_DAMAGED)
    return ck_error_set(err, CK_E_CORRUPT,
                        "store %s: the sign in its header of whether its log is needed is damaged: "
                        "put an undamaged copy back, or see what can be read with 'ckrun store "
                        "salvage'",
                        self->path);
  if (bound == CK_BOUND_OTHER_LOG)
    return ck_error_set(err, CK_E_CORRUPT,
                        "store %s is not the file that %s and %s.lock belong to, whose commits "
                        "they hold: put that file back, or, to go on with this one, move both "
                        "away first; 'ckrun store salvage' tells what is in this one",
                        self->path, self->wal_path, self->path);
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s was copied from a store in use, without %s%s, which held commits "
                      "that the file does not: copy all files of the store, or copy it at rest",
                      self->path, self->wal_path, ck_wal_is_absent(head) ? "" : " of its own");
}

/* Two looks at file and mark with one at the log between them: a live writer changes them. `of`: a
 * connection of the file. */
static ck_status look(ck_bound *out, ck_wal_head *head, ck_sqlite *self, ck_connection *of,
                      ck_error *err) {
  for (int i = 0; i < LOOKS; i++) {
    ck_use use, then;
    if (i > 0) nanosleep(&(struct timespec){0, LOOK_PAUSE_MS * 1000000L}, NULL);
    int code = ck_use_read(&use, of->db);
    self->mark = ck_mark_read_path(self->path);
    *head = ck_wal_read_head(self->wal_path);
    *out = ck_binding_judge(&use, &self->mark, head, self->wal_path);
    ck_mark mark_then = ck_mark_read_path(self->path);
    if (code == SQLITE_OK) code = ck_use_read(&then, of->db);
    if (code != SQLITE_OK) return ck_sqlite_error(self, of->db, code, "read its header", err);
    bool still =
        ck_mark_equal(&self->mark, &mark_then) && use.state == then.state && use.id == then.id;
    if (*out <= CK_BOUND_FOLDED || still) break;
  }
  return CK_OK;
}

/* ---- the log was folded ---- */

static void zero_header(const ck_sqlite *self) {
  static const char zeros[32];
  int fd = open(self->wal_path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (pwrite(fd, zeros, sizeof zeros, 0) != (ssize_t)sizeof zeros || fdatasync(fd) != 0) errno = 0;
  close(fd);
}

/* Nobody else can open the database meanwhile, in this process or another one. */
static bool lock_alone(sqlite3_file *file) {
  return file->pMethods->xLock(file, SQLITE_LOCK_SHARED) == SQLITE_OK &&
         file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE) == SQLITE_OK;
}

/* The power went before the zeros were on disk. Its frames are in the database; found again, a
 * single one that does not hold would set pages back. While somebody has the store open, the log is
 * theirs. */
static void empty_again(ck_sqlite *self) {
  ck_connection of = {0};
  sqlite3_file *file = NULL;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
  if (sqlite3_open_v2(self->path, &of.db, flags, NULL) == SQLITE_OK &&
      sqlite3_file_control(of.db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file &&
      file->pMethods) {
    ck_bound bound = CK_BOUND;
    ck_wal_head head;
    ck_error ignored = CK_ERROR_INIT;
    if (lock_alone(file) && look(&bound, &head, self, &of, &ignored) == CK_OK &&
        bound == CK_BOUND_FOLDED && file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK)
      zero_header(self);
    file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
  }
  sqlite3_close(of.db);
}

ck_status ck_damage_check_files(ck_sqlite *self, ck_error *err) {
  ck_wal_head head;
  ck_bound bound = CK_BOUND;
  ck_connection *probe = NULL;
  ck_status status = ck_connection_open(&probe, self, CK_CONNECTION_PROBE, err);
  if (status == CK_OK) status = look(&bound, &head, self, probe, err);
  ck_connection_close(probe);
  if (status == CK_OK && bound > CK_BOUND_FOLDED) return bound_error(self, bound, &head, err);
  if (status == CK_OK && bound == CK_BOUND_FOLDED) empty_again(self);
  return status;
}

ck_status ck_damage_check_missing(ck_sqlite *self, ck_error *err) {
  ck_mark mark = ck_mark_read_path(self->path);
  ck_wal_head head = ck_wal_read_head(self->wal_path);
  if (!ck_binding_is_orphan(&mark, &head, self->wal_path)) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "store %s is missing, but %s and %s.lock hold commits of it: put the file "
                      "back, or, to begin a new store, move both away first",
                      self->path, self->wal_path, self->path);
}

/* ---- the log was cut ---- */

/* Another program read a folded log before it was made empty, and has it open: commits follow its
 * frames, so they count again. */
static ck_status unfold(const ck_sqlite *self, const ck_wal_index *index, ck_error *err) {
  ck_mark mark = self->mark;
  mark.state = CK_MARK_LIVE;
  mark.frames = index->frames;
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
  if (mark->state != CK_MARK_LIVE) return index.frames ? unfold(self, &index, err) : CK_OK;
  if (index.frames >= mark->frames) return CK_OK;
  return ck_error_set(
      err, CK_E_CORRUPT,
      "store %s: its write-ahead log %s is damaged: %u of %u synced frames can be "
      "read, and nothing is resumed without the others: put an undamaged copy back, "
      "or see what can be read with 'ckrun store salvage'",
      self->path, self->wal_path, index.frames, mark->frames);
}
