/* migrate.c - migrates a store of an older schema to the present one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <time.h>

#include "core/base/embed.h"
#include "core/store/sqlite/sqlite.h"

/* One step each: from schema N + 1 to N + 2. */
static const char *const steps[] = {"core/store/sqlite/migrate_2.sql",
                                    "core/store/sqlite/migrate_3.sql"};
_Static_assert(sizeof steps / sizeof *steps == CK_STORE_SCHEMA - 1,
               "a schema without the step that leads to it");

enum { ALONE_TRIES = 100, ALONE_PAUSE_NS = 10 * 1000 * 1000 };

/* Refused while a session is being run: an older program would continue to write rows of the older
 * schema. */
static ck_status check_idle(ck_sqlite *self, ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  ck_status status = CK_OK;
  int code = sqlite3_prepare_v2(self->writer->db, "SELECT id FROM session WHERE status = 1", -1,
                                &stmt, NULL);
  while (code == SQLITE_OK || (code == SQLITE_ROW && status == CK_OK)) {
    code = sqlite3_step(stmt);
    const char *id = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (id && ck_session_lock_check(self->path, id, err) == CK_E_OWNED) {
      ck_error_prefix(
          err,
          "store %s: cannot bring it from schema %lld to %d while an older ckrun runs a session, "
          "which must be paused with that one first",
          self->path, (long long)self->schema, CK_STORE_SCHEMA);
      if (err) err->status = CK_E_BUSY;
      status = CK_E_BUSY;
    }
  }
  if (status == CK_OK && code != SQLITE_DONE)
    status = ck_sqlite_error(self, self->writer->db, code, "read its sessions", err);
  sqlite3_finalize(stmt);
  return status;
}

/* Every connection to a database with a write-ahead log holds a shared lock on its file, from its
 * first read until it is closed. Who wants to open it for writing waits for the store's lock, which
 * the caller holds. *code: of the last call to SQLite. */
static bool is_alone(int *code, sqlite3 *db) {
  sqlite3_file *file = NULL;
  *code = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (*code != SQLITE_OK) return false;
  *code = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
  int unlocked = file->pMethods->xUnlock(file, SQLITE_LOCK_SHARED);
  if (*code == SQLITE_OK) *code = unlocked;
  return *code == SQLITE_OK;
}

/* Refused while another process has the store open: an older program would find the tables changed
 * under its statements, and what it wrote would lack what this schema promises. One that only looks
 * at something is waited for. */
static ck_status check_alone(ck_sqlite *self, ck_error *err) {
  const struct timespec pause = {.tv_nsec = ALONE_PAUSE_NS};
  int code = SQLITE_OK;
  for (int i = 0; i < ALONE_TRIES; i++) {
    if (is_alone(&code, self->writer->db)) return CK_OK;
    if ((code & 0xff) != SQLITE_BUSY)
      return ck_sqlite_error(self, self->writer->db, code, "lock it", err);
    nanosleep(&pause, NULL);
  }
  return ck_error_set(err, CK_E_BUSY,
                      "store %s: cannot bring it from schema %lld to %d while another process has "
                      "it open, perhaps an older ckrun: end that first",
                      self->path, (long long)self->schema, CK_STORE_SCHEMA);
}

static ck_status run_step(ck_sqlite *self, int64_t from, ck_error *err) {
  char number[64];
  ck_bytes sql = ck_embedded_get(steps[from - 1]);
  char *text = sql.data ? strndup(sql.data, sql.len) : NULL;
  if (!text) return ck_error_no_memory(err);
  snprintf(number, sizeof number, "PRAGMA user_version=%lld", (long long)from + 1);
  int code = sqlite3_exec(self->writer->db, text, NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(self->writer->db, number, NULL, NULL, NULL);
  free(text);
  if (code == SQLITE_OK) return CK_OK;
  char doing[80];
  snprintf(doing, sizeof doing, "bring it from schema %lld to %lld", (long long)from,
           (long long)from + 1);
  return ck_sqlite_error(self, self->writer->db, code, doing, err);
}

ck_status ck_sqlite_migrate(ck_sqlite *self, ck_error *err) {
  ck_status status = check_idle(self, err);
  if (status == CK_OK) status = check_alone(self, err);
  if (status == CK_OK) status = ck_sqlite_begin_locked(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  ck_sqlite_note_change(self);
  for (int64_t from = self->schema; from < CK_STORE_SCHEMA && status == CK_OK; from++)
    status = run_step(self, from, err);
  status = ck_sqlite_end_locked(self, status, err);
  if (status == CK_OK) self->schema = CK_STORE_SCHEMA;
  return status;
}
