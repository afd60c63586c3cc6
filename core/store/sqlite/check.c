/* check.c - finds damaged rows: the SQL function row_check(), which computes the check columns; and
 * the database's part of verify. */
#include <stdio.h>
#include <string.h>

#include "core/store/format/chain.h"
#include "core/store/sqlite/sqlite.h"

/* ---- row_check() ---- */

/* Appends the value with its type first, so that different rows never give the same bytes. False
 * without memory. */
static bool update_value(ck_digester *digester, sqlite3_value *value) {
  int type = sqlite3_value_type(value);
  ck_digester_update_int(digester, type);
  if (type == SQLITE_NULL) return true;
  if (type == SQLITE_INTEGER) {
    ck_digester_update_int(digester, sqlite3_value_int64(value));
    return true;
  }
  const void *data =
      type == SQLITE_BLOB ? sqlite3_value_blob(value) : (const void *)sqlite3_value_text(value);
  ck_bytes bytes = {data, (size_t)sqlite3_value_bytes(value)};
  if (!data && bytes.len) return false;
  ck_digester_update_field(digester, bytes);
  return true;
}

/* The first 8 bytes of BLAKE2b-256 of the arguments, as in the checks of events; when the store has
 * a key, 8 bytes keyed with it, except for the entries of meta, which are read before the key is
 * known. */
static int64_t check_of(const ck_seal *seal, ck_digester *digester, sqlite3_value *table) {
  ck_digest digest = ck_digester_final(digester);
  const char *name = (const char *)sqlite3_value_text(table);
  return seal && name && strcmp(name, "meta") != 0 ? ck_seal_check(seal, &digest)
                                                   : ck_chain_check_of(&digest);
}

static void check_values(sqlite3_context *context, int count, sqlite3_value **values) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text("ckrun row 1"));
  for (int i = 0; i < count; i++) {
    if (update_value(&digester, values[i])) continue;
    sqlite3_result_error_nomem(context);
    return;
  }
  const ck_sqlite *store = sqlite3_user_data(context);
  sqlite3_result_int64(context, check_of(store ? store->seal : NULL, &digester, values[0]));
}

/* NULLs at the end are left out: a row keeps its check when its table gets columns that it does not
 * fill. */
static void check_grown_values(sqlite3_context *context, int count, sqlite3_value **values) {
  while (count > 1 && sqlite3_value_type(values[count - 1]) == SQLITE_NULL) count--;
  check_values(context, count, values);
}

int ck_sqlite_add_check(sqlite3 *db, const ck_sqlite *store) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  void *to = (void *)(uintptr_t)store;
  int code = sqlite3_create_function(db, "row_check", -1, flags, to, check_values, NULL, NULL);
  if (code != SQLITE_OK) return code;
  return sqlite3_create_function(db, "row_check_grown", -1, flags, to, check_grown_values, NULL,
                                 NULL);
}

/* ---- verify ---- */

typedef struct checking {
  ck_problem_visit visit;
  void *to;
  int64_t problems;
} checking;

static void tell(checking *self, const char *text) {
  self->problems++;
  if (self->visit) self->visit(self->to, "", 0, CK_E_CORRUPT, text);
}

static const char *column_text(sqlite3_stmt *stmt, int column) {
  const char *text = (const char *)sqlite3_column_text(stmt, column);
  return text ? text : "?";
}

/* SQLite puts several findings into one row, each on a line. */
static void tell_lines(checking *self, sqlite3_stmt *stmt) {
  char line[256];
  const char *text = column_text(stmt, 0);
  if (strcmp(text, "ok") == 0) return;
  while (*text) {
    size_t len = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)len, text);
    if (len && strncmp(line, "*** in", 6) != 0) tell(self, line);
    text += len + (text[len] != '\0');
  }
}

static void tell_orphan(checking *self, sqlite3_stmt *stmt) {
  char text[160];
  if (sqlite3_column_type(stmt, 1) == SQLITE_NULL)
    snprintf(text, sizeof text, "a row of %s refers to a %s that is not there",
             column_text(stmt, 0), column_text(stmt, 2));
  else
    snprintf(text, sizeof text, "row %lld of %s refers to a %s that is not there",
             (long long)sqlite3_column_int64(stmt, 1), column_text(stmt, 0), column_text(stmt, 2));
  tell(self, text);
}

static void tell_unsound(checking *self, sqlite3_stmt *stmt) {
  char text[160];
  snprintf(text, sizeof text, "%s '%.80s' is not what was written: its check differs",
           column_text(stmt, 0), column_text(stmt, 1));
  tell(self, text);
}

/* Tables whose checks no walk compares; rows of sessions, heads, timelines, events and checkpoints
 * are checked where they are read. */
typedef struct question {
  const char *sql;
  void (*tell)(checking *self, sqlite3_stmt *stmt);
  int schema; /* the first schema that has the table; 0: any */
} question;

static void tell_miscounted(checking *self, sqlite3_stmt *stmt) {
  char text[160];
  snprintf(text, sizeof text, "entry '%.80s' does not have the number of its session's checkpoints",
           column_text(stmt, 0));
  tell(self, text);
}

static const question questions[] = {
    {"PRAGMA integrity_check", tell_lines, 0},
    {"PRAGMA foreign_key_check", tell_orphan, 0},
    {"SELECT 'entry', key FROM meta WHERE NOT " CK_SQL_META_IS_SOUND, tell_unsound, 0},
    {CK_SQL_COUNTED_WRONGLY, tell_miscounted, 2},
    {"SELECT 'request', no FROM request WHERE NOT " CK_SQL_REQUEST_IS_SOUND, tell_unsound, 0},
    {"SELECT 'fact', key FROM fact WHERE NOT " CK_SQL_FACT_IS_SOUND, tell_unsound, 2},
    {"SELECT 'pin', seq FROM pin WHERE NOT " CK_SQL_PIN_IS_SOUND, tell_unsound, 2},
    {"SELECT 'agent', name FROM agent WHERE NOT " CK_SQL_AGENT_IS_SOUND, tell_unsound, 3},
    {"SELECT 'lease', session FROM lease WHERE NOT " CK_SQL_LEASE_IS_SOUND, tell_unsound, 3},
    {"SELECT 'session_key', session FROM session_key WHERE NOT " CK_SQL_SESSION_KEY_IS_SOUND,
     tell_unsound, 3},
    {"SELECT 'blob', no FROM blob WHERE NOT " CK_SQL_BLOB_IS_SOUND, tell_unsound, 3},
    {"SELECT 'blob_use', blob FROM blob_use WHERE NOT " CK_SQL_BLOB_USE_IS_SOUND, tell_unsound, 3},
};

/* A database too broken to be walked is a finding, not a failure of the check. */
static ck_status ask(checking *self, ck_sqlite *store, ck_connection *reader, const question *with,
                     ck_error *err) {
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(reader->db, with->sql, -1, &stmt, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    if (code == SQLITE_ROW) with->tell(self, stmt);
  }
  ck_status status = CK_OK;
  int primary = code & 0xff;
  if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB)
    tell(self, sqlite3_errmsg(reader->db));
  else if (code != SQLITE_DONE)
    status = ck_sqlite_error(store, reader->db, code, "check it", err);
  sqlite3_finalize(stmt);
  return status;
}

ck_status ck_sqlite_check(void *to, ck_problem_visit visit, void *visitor, int64_t *problems,
                          ck_error *err) {
  ck_sqlite *self = to;
  checking found = {visit, visitor, 0};
  ck_connection *reader;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_compare_tables(&found.problems, self, reader, visit, visitor, err);
  for (size_t i = 0; i < sizeof questions / sizeof *questions && status == CK_OK; i++)
    if (self->schema >= questions[i].schema) status = ask(&found, self, reader, &questions[i], err);
  ck_sqlite_put_reader(self, reader);
  if (status == CK_OK) status = ck_inventory_compare(&found.problems, self, visit, visitor, err);
  if (problems) *problems += found.problems;
  return status;
}
