/* place.c - whether the files that the writer has open are still what their paths name, and whole.
 * A commit into a file that was removed, renamed, replaced or cut is one that nobody finds. */
#include <fcntl.h>
#include <string.h>

#include "core/base/file_identity.h"
#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

enum { PAGES_AT = 28 /* in the database's header: how many pages it has */ };

/* Not its times, which would make each commit write an inode more; see file_identity.h. */
static ck_place find(const char *path) {
  ck_file_identity found;
  if (!ck_file_identity_read(&found, AT_FDCWD, path, false)) return (ck_place){0};
  return (ck_place){found.device, found.inode, found.size};
}

static const char *path_of(const ck_sqlite *self, int which) {
  return which == CK_PLACE_LOG ? self->wal_path : self->path;
}

static void note_salt(ck_sqlite *self) {
  ck_wal_index index;
  if (ck_wal_get_index(&index, self->writer->db)) memcpy(self->salt, index.salt, CK_SALT_SIZE);
}

void ck_place_note(ck_sqlite *self) {
  for (int i = 0; i < CK_PLACES; i++) self->places[i] = find(path_of(self, i));
  note_salt(self);
}

static ck_status lost(const ck_sqlite *self, int which, const char *how, ck_error *err) {
  return ck_error_set(err, CK_E_IO,
                      "store %s: %s was %s while the store was open: nothing more is written; put "
                      "the same file back",
                      self->path, path_of(self, which), how);
}

static bool is_same(const ck_place *was, const ck_place *is) {
  return was->inode == 0 || (is->device == was->device && is->inode == was->inode);
}

static ck_status look(ck_place found[CK_PLACES], const ck_sqlite *self, ck_error *err) {
  for (int i = 0; i < CK_PLACES; i++) {
    found[i] = find(path_of(self, i));
    if (is_same(&self->places[i], &found[i])) continue;
    const char *how = found[i].inode == 0 ? "removed or renamed" : "replaced by another file";
    return lost(self, i, how, err);
  }
  return CK_OK;
}

ck_status ck_place_check(const ck_sqlite *self, ck_error *err) {
  ck_place found[CK_PLACES];
  return look(found, self, err);
}

/* ---- whole ---- */

/* Giving back free pages makes it shorter; then its header says how long it is. */
static bool is_cut_database(ck_sqlite *self, int64_t size) {
  uint8_t at[4] = {0};
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(self->writer->db, "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
          SQLITE_OK ||
      !file || !file->pMethods || file->pMethods->xRead(file, at, sizeof at, PAGES_AT) != SQLITE_OK)
    return true;
  uint32_t pages = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  return size < (int64_t)pages * CK_SQLITE_PAGE;
}

/* It becomes shorter down to what is kept allocated, and when it starts again from its beginning.
 */
static bool is_cut_log(ck_sqlite *self, int64_t size) {
  ck_wal_index index;
  if (size >= CK_WAL_CAP || !ck_wal_get_index(&index, self->writer->db)) return false;
  return index.frames > 0 && memcmp(index.salt, self->salt, CK_SALT_SIZE) == 0;
}

/* The file says which use it is in, and so does the mark; an older ckrun says nothing. */
static bool is_overwritten(ck_sqlite *self) {
  ck_use use;
  ck_mark mark = ck_mark_recall(&self->last_mark, ck_lock_fd(self->lock));
  if (ck_use_read(&use, self->writer->db) != SQLITE_OK || use.state == CK_USE_DAMAGED) return true;
  if (mark.id == 0) return false;
  if (mark.state == CK_MARK_FOLDED) return use.state == CK_USE_LIVE;
  return use.id != mark.id && !(mark.begins && use.id == mark.before);
}

ck_status ck_place_check_whole(ck_sqlite *self, ck_error *err) {
  ck_place found[CK_PLACES];
  ck_status status = look(found, self, err);
  if (status != CK_OK || !self->writer) return status;
  for (int i = 0; i < CK_PLACES; i++) {
    int64_t size = found[i].size;
    bool less = size < self->places[i].size;
    if (less && (i == CK_PLACE_LOG ? is_cut_log(self, size) : is_cut_database(self, size)))
      return lost(self, i, "cut short", err);
    self->places[i].size = size;
  }
  note_salt(self);
  return is_overwritten(self) ? lost(self, CK_PLACE_DATABASE, "overwritten", err) : CK_OK;
}
