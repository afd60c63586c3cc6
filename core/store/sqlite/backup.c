/* backup.c - copies a store in use: all pages as one read transaction sees them, or all rows of one
 * session.
 *
 * SQLite's own backup copies page by page under one snapshot, so writers go on meanwhile; their
 * commits only keep the log from beginning anew. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/sqlite/archive.h"
#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/wal.h"

#define DRAFT ".ckrun-draft-" /* and letters, as many as mkostemp(3) makes */
enum { DRAFT_RANDOM = 6 };

typedef struct backup {
  ck_sqlite *from;
  ck_sqlite draft; /* only its path */
  int lock;        /* of the draft; -1: none */
  sqlite3 *to;
  char doing[PATH_MAX + 32]; /* for errors */
  const char *session;       /* NULL: all */
  ck_backup_report *report;
} backup;

/* ---- the place of the copy ---- */

static ck_status exists(const char *name, ck_error *err) {
  return ck_error_set(err, CK_E_EXISTS,
                      "%s exists already, and a backup replaces nothing: name a new file", name);
}

/* A stale log or mark at the copy's name would be taken for its own. */
static ck_status check_absent(const char *path, ck_error *err) {
  static const char *const suffixes[] = {"",      "-wal",      "-shm",  "-journal",
                                         ".lock", ".sessions", ".spill"};
  ck_status status = CK_OK;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && status == CK_OK; i++) {
    char *name = NULL;
    struct stat found;
    if (asprintf(&name, "%s%s", path, suffixes[i]) < 0) return ck_error_no_memory(err);
    if (lstat(name, &found) == 0) status = exists(name, err);
    free(name);
  }
  return status;
}

/* A draft that nobody locks is one of a backup that was killed. */
static void remove_if_stale(int folder, const char *name) {
  int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) unlinkat(folder, name, 0);
  if (fd >= 0) close(fd);
}

static void remove_stale_drafts(const char *path) {
  char prefix[NAME_MAX + 1];
  const char *slash = strrchr(path, '/');
  char *folder_path = strndup(path, (size_t)(slash - path) + 1);
  DIR *folder = folder_path ? opendir(folder_path) : NULL;
  size_t len = (size_t)snprintf(prefix, sizeof prefix, "%s" DRAFT, slash + 1);
  for (struct dirent *entry; folder && len < sizeof prefix && (entry = readdir(folder));) {
    if (strncmp(entry->d_name, prefix, len) == 0 && strlen(entry->d_name) == len + DRAFT_RANDOM)
      remove_if_stale(dirfd(folder), entry->d_name);
  }
  if (folder) closedir(folder);
  free(folder_path);
}

/* Held as long as the draft is written; false: it was taken for a stale one meanwhile. */
static bool lock_draft(int fd) {
  struct stat found;
  return flock(fd, LOCK_EX) == 0 && fstat(fd, &found) == 0 && found.st_nlink > 0;
}

/* Several backups to one name do not meet: each has a draft of its own, and only one is renamed. */
static ck_status make_draft(backup *self, const char *path, ck_error *err) {
  remove_stale_drafts(path);
  do {
    if (self->lock >= 0) close(self->lock);
    free(self->draft.path);
    if (asprintf(&self->draft.path, "%s" DRAFT "XXXXXX", path) < 0) {
      self->draft.path = NULL;
      self->lock = -1;
      return ck_error_no_memory(err);
    }
    self->lock = mkostemp(self->draft.path, O_CLOEXEC); /* mode 0600 */
    if (self->lock < 0) return ck_sqlite_path_error(err, "make it", path);
  } while (!lock_draft(self->lock));
  return CK_OK;
}

/* Never over a file that came meanwhile. */
static ck_status name_draft(const char *draft, const char *path, ck_error *err) {
  int failed = renameat2(AT_FDCWD, draft, AT_FDCWD, path, RENAME_NOREPLACE);
  if (failed && (errno == EINVAL || errno == ENOSYS)) /* not on every file system */
    failed = link(draft, path) != 0 || unlink(draft) != 0;
  if (!failed) return ck_sqlite_sync_folder(path, err);
  return errno == EEXIST ? exists(path, err) : ck_sqlite_path_error(err, "make it", path);
}

/* ---- the pages ---- */

static ck_status failed(const backup *self, sqlite3 *db, int code, ck_error *err) {
  return ck_sqlite_error(self->from, db, code, self->doing, err);
}

/* In the reader's transaction. */
static ck_status copy_pages(backup *self, ck_connection *reader, ck_error *err) {
  errno = 0;
  sqlite3_backup *pages = sqlite3_backup_init(self->to, "main", reader->db, "main");
  if (!pages) return failed(self, self->to, sqlite3_errcode(self->to), err);
  int code = sqlite3_backup_step(pages, -1), ended = sqlite3_backup_finish(pages);
  if (code == SQLITE_DONE && ended == SQLITE_OK) return CK_OK;
  return failed(self, self->to, ended == SQLITE_OK ? code : ended, err);
}

static ck_status count_sessions(backup *self, ck_connection *connection, ck_error *err) {
  return ck_connection_get_int(&self->report->sessions, self->from, connection,
                               "SELECT count(*) FROM session", err);
}

/* ---- one session ---- */

typedef struct filling {
  backup *of;
  ck_connection *reader;
} filling;

/* Into the new schema: first those that it was forked from, under the numbers that they have. */
static ck_status copy_session(void *to, ck_error *err) {
  const filling *self = to;
  static const char sql[] =
      "WITH RECURSIVE up(no, origin) AS (SELECT no, origin FROM session WHERE id = ?1 UNION ALL"
      " SELECT s.no, s.origin FROM up JOIN session s ON s.no = up.origin)"
      " SELECT no, origin FROM up ORDER BY no";
  sqlite3_stmt *list = NULL;
  ck_copying copying = {.from = self->of->from,
                        .into = &self->of->draft,
                        .source = self->reader->db,
                        .target = self->of->to};
  ck_status status = ck_copying_identity(&copying, err);
  int code = sqlite3_prepare_v2(self->reader->db, sql, -1, &list, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_text(list, 1, self->of->session, -1, SQLITE_STATIC);
  while (code == SQLITE_OK && status == CK_OK && (code = sqlite3_step(list)) == SQLITE_ROW) {
    copying.session = copying.as = sqlite3_column_int64(list, 0);
    copying.origin = sqlite3_column_int64(list, 1);
    status = ck_copying_session(&copying, err);
    self->of->report->sessions++;
    code = SQLITE_OK;
  }
  if (status == CK_OK && code != SQLITE_DONE)
    status = failed(self->of, self->reader->db, code, err);
  sqlite3_finalize(list);
  return status == CK_OK ? ck_inventory_make_in(&self->of->draft, self->of->to, err) : status;
}

/* ---- the snapshot ---- */

static ck_status copy_part(backup *self, ck_connection *reader, ck_error *err) {
  filling with = {self, reader};
  if (self->session) return ck_sqlite_make_schema(&self->draft, self->to, copy_session, &with, err);
  ck_status status = count_sessions(self, reader, err);
  return status == CK_OK ? copy_pages(self, reader, err) : status;
}

static ck_status copy_snapshot(backup *self, ck_error *err) {
  ck_connection *reader = NULL;
  ck_status status = ck_sqlite_get_reader(&reader, self->from, err);
  if (status != CK_OK) return status;
  int code = sqlite3_exec(reader->db, "BEGIN", NULL, NULL, NULL);
  if (code != SQLITE_OK) status = failed(self, reader->db, code, err);
  if (status == CK_OK) status = ck_sqlite_check_key_by(self->from, reader, err);
  if (status == CK_OK) status = copy_part(self, reader, err);
  sqlite3_exec(reader->db, "ROLLBACK", NULL, NULL, NULL);
  ck_sqlite_put_reader(self->from, reader);
  return status;
}

/* The copy is at rest, with a number of its own: it has no log, and takes none that it finds. */
static ck_status finish(backup *self, ck_error *err) {
  sqlite3_file *file = NULL;
  sqlite3_int64 size = 0;
  errno = 0;
  int code = sqlite3_file_control(self->to, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code == SQLITE_OK) code = file->pMethods->xFileSize(file, &size);
  if (code == SQLITE_OK) code = ck_use_write(self->to, &(ck_use){.id = ck_use_make_id()});
  self->report->bytes = size;
  return code == SQLITE_OK ? CK_OK : failed(self, self->to, code, err);
}

static ck_status write_draft(backup *self, ck_error *err) {
  ck_connection *to = NULL;
  ck_status status = ck_connection_open(&to, &self->draft, CK_CONNECTION_DRAFT, err);
  if (status != CK_OK) return status;
  self->to = to->db;
  int code = self->session
                 ? SQLITE_OK
                 : sqlite3_exec(to->db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF", NULL,
                                NULL, NULL);
  if (code != SQLITE_OK) status = failed(self, to->db, code, err);
  if (status == CK_OK) status = copy_snapshot(self, err);
  if (status == CK_OK) status = finish(self, err);
  ck_connection_close(to);
  return status;
}

static ck_status back_up(backup *self, const char *path, const ck_backup_order *order,
                         ck_error *err) {
  snprintf(self->doing, sizeof self->doing, "copy it to %s", path);
  ck_status status = check_absent(path, err);
  if (status == CK_OK) status = make_draft(self, path, err);
  if (status != CK_OK) return status;
  status = write_draft(self, err);
  if (status == CK_OK && order->before) status = order->before(order->to, path, err);
  if (status == CK_OK) status = name_draft(self->draft.path, path, err);
  if (status != CK_OK) unlink(self->draft.path);
  return status;
}

ck_status ck_sqlite_backup(ck_backup_report *out, void *to, const ck_backup_order *order,
                           ck_error *err) {
  char *path = NULL;
  backup self = {.from = to, .session = order->session, .report = out, .lock = -1};
  self.draft.seal = self.from->seal; /* for the checks of rows */
  *out = (ck_backup_report){0};
  ck_status status = ck_sqlite_resolve(&path, order->file, false, err);
  if (status == CK_OK) status = back_up(&self, path, order, err);
  if (self.lock >= 0) close(self.lock);
  free(self.draft.path);
  free(path);
  return status;
}
