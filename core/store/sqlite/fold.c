/* fold.c - the store at rest: its log is moved into the database and left empty, and while it is
 * not, the mark and the file's header say so.
 *
 * The order makes each moment of a fold safe: the database is synced (by SQLite's checkpoint), the
 * sign in its header is cleared and synced, the mark says that the log is folded, and then the
 * log's header is zeroed in place. Its blocks stay allocated. A checkpoint of SQLite's kind
 * TRUNCATE does the first step and keeps readers and writers of all processes out meanwhile; the
 * others are made when it would truncate the file (vfs.c). */
#include <errno.h>
#include <string.h>

#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/lock_holder.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum {
  REST_WAIT_MS = 500,
  LOG_HEADER = 32,
  INDEX_REGION = 32768, /* bytes of the shared memory that are mapped at once */
  INDEX_HEADER = 48,
  INDEX_IS_INIT = 12,
  INDEX_FRAMES = 16, /* in the machine's byte order */
  INDEX_SALT = 32,   /* as in the log */
  INDEX_MOVED = 2 * INDEX_HEADER
};

/* https://www.sqlite.org/walformat.html#the_wal_index_file_format: two copies of the header; they
 * differ while it is being changed. */
bool ck_wal_get_index(ck_wal_index *out, sqlite3 *db) {
  *out = (ck_wal_index){0};
  sqlite3_file *file = NULL;
  void volatile *map = NULL;
  uint8_t header[2 * INDEX_HEADER + sizeof out->moved];
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
      !file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap)
    return false;
  if (file->pMethods->xShmMap(file, 0, INDEX_REGION, 0, &map) != SQLITE_OK || !map) return false;
  memcpy(header, (const void *)(uintptr_t)map, sizeof header);
  if (!header[INDEX_IS_INIT] || memcmp(header, header + INDEX_HEADER, INDEX_HEADER) != 0)
    return false;
  memcpy(&out->frames, header + INDEX_FRAMES, sizeof out->frames);
  memcpy(&out->moved, header + INDEX_MOVED, sizeof out->moved);
  memcpy(out->salt, header + INDEX_SALT, CK_SALT_SIZE);
  return true;
}

/* ---- while it is used ---- */

/* A mark that cannot be written says less than it could, and nothing wrong. Its number stays, so a
 * database that was overwritten meanwhile differs from it. */
void ck_wal_note_synced(ck_sqlite *self) {
  ck_use use = {0};
  ck_wal_index index;
  ck_error ignored = CK_ERROR_INIT;
  if (!ck_wal_get_index(&index, self->writer->db) || index.frames == 0) return;
  ck_mark before = ck_mark_recall(&self->last_mark, ck_lock_fd(self->lock));
  if (!before.id && ck_use_read(&use, self->writer->db) != SQLITE_OK) return;
  ck_mark mark = {.state = CK_MARK_LIVE, .frames = index.frames};
  mark.id = before.id ? before.id : use.id;
  mark.begins = before.state == CK_MARK_LIVE && before.begins;
  mark.before = mark.begins ? before.before : 0;
  memcpy(mark.salt, index.salt, CK_SALT_SIZE);
  if (ck_mark_renew(&self->last_mark, ck_lock_fd(self->lock), &mark, &ignored) != CK_OK) return;
}

/* Whether the log that the mark knows goes on: the same round of it, or one of the same use, in
 * which the marks since were lost with the power. */
static bool is_known_log(const ck_mark *mark, const ck_wal_index *index, const ck_use *before) {
  bool same = memcmp(mark->salt, index->salt, CK_SALT_SIZE) == 0;
  return mark->state != CK_MARK_NONE && (same || (mark->id && mark->id == before->id));
}

/* What the mark says before the database has the number of a new use. A log that goes on (of a
 * store that an older ckrun began to use, or that another program or a full disk kept from being
 * emptied) keeps what is known of it, and its number, which its first pages have; those of an older
 * ckrun have none, and bring that back whenever the log is moved into the file. */
static ck_mark mark_of_new(ck_sqlite *self, const ck_use *before) {
  ck_wal_index index;
  ck_mark mark = ck_mark_read(ck_lock_fd(self->lock));
  bool goes_on = ck_wal_get_index(&index, self->writer->db) && index.frames > 0 &&
                 is_known_log(&mark, &index, before);
  bool counted = mark.state == CK_MARK_LIVE && memcmp(mark.salt, index.salt, CK_SALT_SIZE) == 0;
  if (goes_on && !counted) mark.frames = index.frames;
  if (goes_on) memcpy(mark.salt, index.salt, CK_SALT_SIZE);
  if (!goes_on) mark.frames = 0;
  mark.state = goes_on ? CK_MARK_LIVE : CK_MARK_BEGUN;
  mark.before = before->id;
  mark.id = goes_on && before->id ? before->id : ck_use_make_id();
  mark.begins = true;
  return mark;
}

/* Who moved the log into the file may have been killed before it emptied it, when SQLite had
 * forgotten its frames: they would be taken for those of the use that begins. Or before the zeros
 * were on disk, in this function, too: frames that come back with the power are of no log that the
 * mark of that use knows. */
static int empty_forgotten(ck_sqlite *self) {
  static const char zeros[LOG_HEADER];
  ck_wal_index index;
  sqlite3_file *file = ck_wal_file(self);
  ck_wal_state head = ck_wal_read_head(self->wal_path).state;
  bool forgotten = ck_wal_get_index(&index, self->writer->db) && index.frames == 0 &&
                   (head == CK_WAL_HEADED || head == CK_WAL_EMPTY);
  if (!forgotten || !file) return SQLITE_OK;
  int code = SQLITE_OK;
  if (head == CK_WAL_HEADED) code = file->pMethods->xWrite(file, zeros, sizeof zeros, 0);
  return code == SQLITE_OK ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : code;
}

/* Who took the sign away before may have been killed before that was on disk, which the mark tells:
 * then it is synced first. The header goes back when its sync fails: found there, it would be taken
 * to be on disk. */
static ck_status sign_file(ck_sqlite *self, const ck_use *before, ck_error *err) {
  ck_mark last = ck_mark_read(ck_lock_fd(self->lock)), mark = mark_of_new(self, before);
  ck_use use = {.state = CK_USE_LIVE, .id = mark.id};
  bool rested = last.state == CK_MARK_FOLDED && last.id == before->id;
  int code = rested ? SQLITE_OK : ck_use_write(self->writer->db, before);
  if (code == SQLITE_OK && !rested) code = empty_forgotten(self);
  if (code != SQLITE_OK) return ck_wal_error(self, code, "sync its header", err);
  ck_status status = ck_mark_write(ck_lock_fd(self->lock), &mark, true, err);
  if (status != CK_OK) {
    ck_error_prefix(err, "store %s", self->path);
    return status;
  }
  code = ck_use_write(self->writer->db, &use);
  if (code == SQLITE_OK) return CK_OK;
  status = ck_wal_error(self, code, "sign its header", err);
  if (ck_use_write(self->writer->db, before) != SQLITE_OK) return status;
  return status;
}

/* Other writers have their numbers from the file as well: a page that was read before they began
 * their use is older. */
static ck_status forget_page(ck_sqlite *self, ck_error *err) {
  ck_use use;
  int code = ck_use_read(&use, self->writer->db);
  if (code == SQLITE_OK && use.id != self->use) code = sqlite3_db_release_memory(self->writer->db);
  if (code != SQLITE_OK)
    return ck_sqlite_error(self, self->writer->db, code, "read its header", err);
  self->use = use.id;
  return CK_OK;
}

/* Whoever signed the file may have been killed before that was on disk. */
static ck_status join_use(ck_sqlite *self, const ck_use *use, ck_error *err) {
  int code = ck_use_write(self->writer->db, use);
  return code == SQLITE_OK ? forget_page(self, err)
                           : ck_wal_error(self, code, "sign its header", err);
}

ck_status ck_wal_begin_use(ck_sqlite *self, ck_error *err) {
  ck_use use;
  errno = 0;
  int code = ck_use_read(&use, self->writer->db);
  if (code != SQLITE_OK)
    return ck_sqlite_error(self, self->writer->db, code, "read its header", err);
  if (use.state == CK_USE_LIVE && use.id)
    return use.id == self->use ? CK_OK : join_use(self, &use, err);
  ck_status status = ck_place_check_whole(self, err);
  if (status != CK_OK) return status;
  self->used = true;
  self->use = 0;
  status = sign_file(self, &use, err);
  return status == CK_OK ? forget_page(self, err) : status;
}

/* A process moved the log into the file, and was killed before it said so, or could not take the
 * sign away: SQLite has forgotten its frames, and begins it anew under any salt. While the mark
 * went on calling for what was in it, power lost before the new log's first commit is on disk would
 * have it missed. */
static ck_status note_forgotten(ck_sqlite *self, ck_error *err) {
  ck_mark mark = ck_mark_read(ck_lock_fd(self->lock));
  if (mark.state != CK_MARK_LIVE || !mark.id) return CK_OK;
  mark.state = CK_MARK_BEGUN;
  ck_status status = ck_mark_write(ck_lock_fd(self->lock), &mark, true, err);
  if (status != CK_OK) ck_error_prefix(err, "store %s", self->path);
  return status;
}

/* SQLite starts a log again when all of it had been moved before the transaction began. */
ck_status ck_wal_sign(ck_sqlite *self, ck_error *err) {
  ck_wal_index index;
  bool known = ck_wal_get_index(&index, self->writer->db);
  if (known && index.moved < index.frames) return CK_OK;
  ck_status status = known && index.frames == 0 ? note_forgotten(self, err) : CK_OK;
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_SIGN);
  return ck_sqlite_write(self, &binder, "sign its write-ahead log", err);
}

/* ---- at rest ---- */

/* The sign is cleared, and that is synced, before the mark is written: a file without a sign is
 * whole, and one with a sign is none that the mark calls folded. Where it cannot be cleared the use
 * goes on, and whoever begins the log anew says so first (note_forgotten). */
static ck_status set_at_rest(ck_sqlite *self, const uint8_t salt[CK_SALT_SIZE], ck_error *err) {
  ck_use use;
  ck_mark mark = {.state = CK_MARK_FOLDED};
  memcpy(mark.salt, salt, CK_SALT_SIZE);
  errno = 0;
  int code = ck_use_read(&use, self->writer->db);
  if (use.id == 0) use.id = ck_use_make_id();
  use.state = CK_USE_REST;
  mark.id = use.id;
  if (code == SQLITE_OK) code = ck_use_write(self->writer->db, &use);
  if (code == SQLITE_OK) return ck_mark_write(ck_lock_fd(self->lock), &mark, false, err);
  return ck_wal_error(self, code, "sign its header", err);
}

static int before_emptying(void *to, const uint8_t salt[CK_SALT_SIZE]) {
  ck_sqlite *self = to;
  ck_error err = CK_ERROR_INIT;
  if (ck_place_check_whole(self, &err) != CK_OK) return SQLITE_READONLY_DBMOVED;
  ck_status status = set_at_rest(self, salt, &err);
  if (status == CK_OK) return SQLITE_OK;
  return status == CK_E_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

static int empty_log(ck_sqlite *self, bool cut) {
  sqlite3 *db = self->writer->db;
  sqlite3_busy_timeout(db, 0);
  ck_vfs_set_emptying(ck_wal_file(self), before_emptying, self, cut);
  errno = 0;
  int code = sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  ck_vfs_set_emptying(ck_wal_file(self), NULL, NULL, false);
  ck_lock_holder_wait(db, self);
  return code;
}

/* A use that began and committed nothing; or one whose log could not be emptied: SQLite has then
 * forgotten its frames, which are in the database, and the mark may not know of it. */
static ck_status rest_without_log(bool *folded, ck_sqlite *self, ck_error *err) {
  ck_use use;
  ck_mark mark = ck_mark_read(ck_lock_fd(self->lock));
  ck_wal_head head = ck_wal_read_head(self->wal_path);
  *folded = true;
  if (ck_use_read(&use, self->writer->db) != SQLITE_OK || use.state != CK_USE_LIVE) return CK_OK;
  return set_at_rest(self, head.state == CK_WAL_HEADED ? head.salt : mark.salt, err);
}

ck_status ck_wal_fold(bool *folded, ck_sqlite *self, bool cut, ck_error *err) {
  ck_wal_index index;
  *folded = false;
  if (!ck_wal_file(self) || !ck_wal_get_index(&index, self->writer->db)) return CK_OK;
  if (index.frames == 0 && !cut) return rest_without_log(folded, self, err);
  int code = empty_log(self, cut);
  *folded = code == SQLITE_OK;
  if (*folded) ck_wal_watch(self);
  if (*folded || (code & 0xff) == SQLITE_BUSY) return CK_OK;
  return ck_wal_error(self, code, "move its write-ahead log into the database", err);
}

void ck_wal_rest(ck_sqlite *self) {
  bool folded;
  ck_error ignored = CK_ERROR_INIT;
  if (!self->writer || !self->used || self->unknown) return;
  if (ck_place_check_whole(self, &ignored) != CK_OK) return;
  if (ck_lock_acquire(self->lock, REST_WAIT_MS, &ignored) != CK_OK) return;
  if (ck_wal_fold(&folded, self, false, &ignored) == CK_OK && folded) {
    self->used = false;
    ck_inventory_note_synced(self);
  }
  ck_lock_release(self->lock);
}
