/* backup.c - copies a store in use: all pages as one read transaction sees them.
 *
 * SQLite's own backup copies page by page under one snapshot, so writers go on meanwhile; their
 * commits only keep the log from beginning anew. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal.h"

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

/* Several backups to one name do not meet: each has a draft of its own, and only one is renamed. */
static ck_status make_draft(char **out, const char *path, ck_error *err) {
  if (asprintf(out, "%s.XXXXXX", path) < 0) {
    *out = NULL;
    return ck_error_no_memory(err);
  }
  int fd = mkostemp(*out, O_CLOEXEC); /* mode 0600 */
  if (fd >= 0) close(fd);
  return fd >= 0 ? CK_OK : ck_sqlite_path_error(err, "make it", path);
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

typedef struct backup {
  ck_sqlite *from;
  ck_sqlite draft; /* only its path */
  sqlite3 *to;
  char doing[PATH_MAX + 32]; /* for errors */
  ck_backup_report *report;
} backup;

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

static ck_status copy_snapshot(backup *self, ck_error *err) {
  ck_connection *reader = NULL;
  ck_status status = ck_sqlite_get_reader(&reader, self->from, err);
  if (status != CK_OK) return status;
  int code = sqlite3_exec(reader->db, "BEGIN", NULL, NULL, NULL);
  if (code != SQLITE_OK) status = failed(self, reader->db, code, err);
  if (status == CK_OK)
    status = ck_connection_get_int(&self->report->sessions, self->from, reader,
                                   "SELECT count(*) FROM session", err);
  if (status == CK_OK) status = ck_sqlite_check_key_by(self->from, reader, err);
  if (status == CK_OK) status = copy_pages(self, reader, err);
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
  int code =
      sqlite3_exec(to->db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF", NULL, NULL, NULL);
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
  if (status == CK_OK) status = make_draft(&self->draft.path, path, err);
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
  backup self = {.from = to, .report = out};
  *out = (ck_backup_report){0};
  ck_status status = ck_sqlite_resolve(&path, order->file, false, err);
  if (status == CK_OK) status = back_up(&self, path, order, err);
  free(self.draft.path);
  free(path);
  return status;
}
