/* backup.c - copies a store in use: all pages as one read transaction sees them, or all rows of one
 * session.
 *
 * SQLite's own backup copies page by page under one snapshot, so writers go on meanwhile; their
 * commits only keep the log from beginning anew. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/store/sqlite/archive.h"
#include "core/store/sqlite/binding.h"
#include "core/store/sqlite/new_file.h"
#include "core/store/sqlite/wal.h"

typedef struct backup {
  ck_sqlite *from;
  ck_sqlite draft; /* only its path */
  sqlite3 *to;
  char doing[PATH_MAX + 32]; /* for errors */
  const char *session;       /* NULL: all */
  ck_backup_report *report;
} backup;

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
  return status == CK_OK ? ck_inventory_make_in(&self->of->draft, self->of->to, 0, err) : status;
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

static ck_status write_draft(void *of, char *path, ck_error *err) {
  backup *self = of;
  ck_connection *to = NULL;
  self->draft.path = path;
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

ck_status ck_sqlite_backup(ck_backup_report *out, void *to, const ck_backup_order *order,
                           ck_error *err) {
  char *path = NULL;
  backup self = {.from = to, .session = order->session, .report = out};
  self.draft.seal = self.from->seal; /* for the checks of rows */
  *out = (ck_backup_report){0};
  ck_status status = ck_sqlite_resolve(&path, order->file, false, err);
  ck_new_file file = {
      .path = path, .write = write_draft, .self = &self, .before = order->before, .to = order->to};
  if (status == CK_OK) {
    snprintf(self.doing, sizeof self.doing, "copy it to %s", path);
    status = ck_new_file_make(&file, err);
  }
  free(path);
  return status;
}
