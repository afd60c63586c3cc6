/* foreign.c - reads another program's database: no view, no trigger, no function of its schema is
 * run, and what takes too long is given up. */
#include "core/store/sqlite/foreign.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/base/msgpack.h"

enum { STEPS_BETWEEN = 10000, STEPS_MAX = 500000 }; /* of SQLite's machine */

typedef struct reading {
  sqlite3 *db;
  const char *path;
  size_t most;
} reading;

static int count_steps(void *to) { return ++*(int *)to > STEPS_MAX; }

/* ---- opening ---- */

static bool has_log(const char *path) {
  ck_buffer name = {0};
  struct stat info;
  ck_buffer_append_format(&name, "%s-wal", path);
  bool has = !name.failed && stat(name.data, &info) == 0 && info.st_size > 0;
  ck_buffer_clear(&name);
  return has;
}

/* Without a log beside it no file is made there. */
static int open_handle(sqlite3 **out, const char *path) {
  int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (has_log(path)) return sqlite3_open_v2(path, out, flags, NULL);
  ck_buffer uri = {0};
  ck_buffer_append_text(&uri, "file:");
  for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
    if (*c > ' ' && *c < 127 && *c != '%' && *c != '?' && *c != '#')
      ck_buffer_append_char(&uri, (char)*c);
    else
      ck_buffer_append_format(&uri, "%%%02X", *c);
  }
  ck_buffer_append_text(&uri, "?immutable=1");
  int code =
      uri.failed ? SQLITE_NOMEM : sqlite3_open_v2(uri.data, out, flags | SQLITE_OPEN_URI, NULL);
  ck_buffer_clear(&uri);
  return code;
}

static void distrust(sqlite3 *db) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;", NULL, NULL, NULL);
}

static ck_status fail(const reading *self, int code, ck_error *err) {
  if ((code & 0xff) == SQLITE_NOMEM) return ck_error_no_memory(err);
  const char *why = (code & 0xff) == SQLITE_INTERRUPT ? "reading its tables takes too long"
                                                      : sqlite3_errmsg(self->db);
  return ck_error_set(err, CK_E_PARSE, "%s: %s", self->path, why);
}

/* ---- rows ---- */

static ck_bytes bytes_of(sqlite3_stmt *row, int column) {
  const void *data = sqlite3_column_blob(row, column);
  return (ck_bytes){data, data ? (size_t)sqlite3_column_bytes(row, column) : 0};
}

/* What the bytes say. JSON comes first: a text of it may be MessagePack by chance. */
static void append_blob(ck_buffer *out, ck_bytes blob) {
  ck_error ignored = CK_ERROR_INIT;
  size_t begin = out->len;
  if (blob.len > 0 && ck_json_check(blob, &ignored) == CK_OK) {
    for (size_t i = 0; i < blob.len; i++) /* one line */
      ck_buffer_append_char(out, blob.data[i] == '\n' || blob.data[i] == '\r' ? ' ' : blob.data[i]);
    return;
  }
  if (ck_msgpack_append_json(out, blob)) return;
  out->len = begin;
  ck_buffer_append_text(out, "{\"$bytes\":\"");
  ck_base64_append(out, blob);
  ck_buffer_append_text(out, "\"}");
}

static void append_cell(ck_buffer *out, sqlite3_stmt *row, int column) {
  int type = sqlite3_column_type(row, column);
  if (type == SQLITE_INTEGER)
    ck_buffer_append_format(out, "%lld", (long long)sqlite3_column_int64(row, column));
  else if (type == SQLITE_TEXT)
    ck_json_append_string(out, bytes_of(row, column));
  else if (type == SQLITE_BLOB)
    append_blob(out, bytes_of(row, column));
  else if (type == SQLITE_FLOAT && isfinite(sqlite3_column_double(row, column)))
    ck_buffer_append_format(out, "%.17g", sqlite3_column_double(row, column));
  else
    ck_buffer_append_text(out, "null");
}

static void append_row(ck_buffer *out, sqlite3_stmt *row, const char *table) {
  ck_buffer_append_text(out, "{\"table\":");
  ck_json_append_string(out, ck_bytes_text(table));
  for (int i = 0; i < sqlite3_column_count(row); i++) {
    ck_buffer_append_char(out, ',');
    ck_json_append_string(out, ck_bytes_text(sqlite3_column_name(row, i)));
    ck_buffer_append_char(out, ':');
    append_cell(out, row, i);
  }
  ck_buffer_append_text(out, "}\n");
}

static bool has_table(int *code, const reading *self, const char *table) {
  sqlite3_stmt *found = NULL;
  *code = sqlite3_prepare_v2(
      self->db, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", -1, &found, NULL);
  if (*code == SQLITE_OK) *code = sqlite3_bind_text(found, 1, table, -1, SQLITE_STATIC);
  if (*code == SQLITE_OK) *code = sqlite3_step(found);
  bool has = *code == SQLITE_ROW;
  sqlite3_finalize(found);
  if (*code == SQLITE_DONE || has) *code = SQLITE_OK;
  return has;
}

static ck_status read_table(ck_buffer *out, const reading *self, const char *table, ck_error *err) {
  int code;
  sqlite3_stmt *row = NULL;
  if (!has_table(&code, self, table)) return code == SQLITE_OK ? CK_OK : fail(self, code, err);
  char *text = sqlite3_mprintf("SELECT * FROM \"%w\" ORDER BY 1, 2, 3", table);
  if (!text) return ck_error_no_memory(err);
  code = sqlite3_prepare_v2(self->db, text, -1, &row, NULL);
  sqlite3_free(text);
  ck_status status = CK_OK;
  while (status == CK_OK && code == SQLITE_OK && (code = sqlite3_step(row)) == SQLITE_ROW) {
    code = SQLITE_OK;
    append_row(out, row, table);
    status = ck_buffer_check(out, err);
    if (status == CK_OK && out->len > self->most)
      status = ck_error_set(err, CK_E_OVERSIZE,
                            "%s: the rows of its tables have more than %zu MiB, the most that is "
                            "imported",
                            self->path, self->most >> 20);
  }
  if (status == CK_OK && code != SQLITE_DONE) status = fail(self, code, err);
  sqlite3_finalize(row);
  return status;
}

ck_status ck_foreign_read(ck_buffer *out, const char *path, const char *const *tables, size_t most,
                          ck_error *err) {
  reading self = {.path = path, .most = most};
  int steps = 0, code = open_handle(&self.db, path);
  ck_status status = code == SQLITE_OK ? CK_OK : fail(&self, code, err);
  if (status == CK_OK) {
    distrust(self.db);
    sqlite3_progress_handler(self.db, STEPS_BETWEEN, count_steps, &steps);
  }
  for (size_t i = 0; status == CK_OK && tables[i]; i++)
    status = read_table(out, &self, tables[i], err);
  sqlite3_close(self.db);
  return status;
}
