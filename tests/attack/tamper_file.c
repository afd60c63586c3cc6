/* tamper_file.c - a store's file under attack, in memory: FOLDER has kept.db, older.db, twin.db and
 * other.db. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/sqlite/sql_columns.h"
#include "core/store/sqlite/sqlite.h"
#include "tests/attack/tamper_place.h"

static const tamper_table tables[] = {{"meta", "key", CK_SQL_META_IS_SOUND},
                                      {"session", "no", CK_SQL_SESSION_IS_SOUND},
                                      {"head", "session", CK_SQL_HEAD_IS_SOUND},
                                      {"timeline", "session, no", CK_SQL_TIMELINE_IS_SOUND},
                                      {"event", "row", NULL},
                                      {"checkpoint", "row", NULL},
                                      {"pin", "session, seq", CK_SQL_PIN_IS_SOUND},
                                      {"request", "no", CK_SQL_REQUEST_IS_SOUND},
                                      {"fact", "owner, key", CK_SQL_FACT_IS_SOUND},
                                      {"agent", "session, name", CK_SQL_AGENT_IS_SOUND},
                                      {"lease", "session", CK_SQL_LEASE_IS_SOUND},
                                      {"session_key", "session", CK_SQL_SESSION_KEY_IS_SOUND},
                                      {"blob", "no", CK_SQL_BLOB_IS_SOUND},
                                      {"blob_use", "session, blob", CK_SQL_BLOB_USE_IS_SOUND},
                                      {NULL, NULL, NULL}};

static const char *folder;
static sqlite3 *db;
static char url[600], answer[8000];

static const char *path_of(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static unsigned char *read_file(const char *name, size_t *len) {
  FILE *file = fopen(path_of(name), "rb");
  tamper_must(file && fseek(file, 0, SEEK_END) == 0, name);
  *len = (size_t)ftell(file);
  unsigned char *bytes = sqlite3_malloc64(*len);
  rewind(file);
  tamper_must(bytes && fread(bytes, 1, *len, file) == *len && fclose(file) == 0, name);
  return bytes;
}

static void write_file(const char *name, const unsigned char *bytes, size_t len) {
  FILE *file = fopen(path_of(name), "wb");
  tamper_must(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0, name);
}

/* flip(VALUE, TYPE): another value of the kind that the column has. */
static void flip(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  char bytes[8192] = "";
  const char *type = (const char *)sqlite3_value_text(values[1]);
  int len = sqlite3_value_bytes(values[0]);
  tamper_must(len < (int)sizeof bytes - 1, "a value is too long");
  switch (sqlite3_value_type(values[0])) {
    case SQLITE_INTEGER:
      sqlite3_result_int64(context, sqlite3_value_int64(values[0]) ^ 1);
      return;
    case SQLITE_TEXT:
      snprintf(bytes, sizeof bytes, "%sx", (const char *)sqlite3_value_text(values[0]));
      sqlite3_result_text(context, bytes, -1, SQLITE_TRANSIENT);
      return;
    case SQLITE_BLOB:
      if (len > 0) memcpy(bytes, sqlite3_value_blob(values[0]), (size_t)len);
      bytes[len / 2] ^= 4;
      sqlite3_result_blob(context, bytes, len > 0 ? len : 1, SQLITE_TRANSIENT);
      return;
    default:
      if (strcmp(type, "INTEGER") == 0) sqlite3_result_int64(context, 1);
      if (strcmp(type, "TEXT") == 0) sqlite3_result_text(context, "x", 1, SQLITE_STATIC);
      if (strcmp(type, "BLOB") == 0) sqlite3_result_zeroblob(context, 1);
  }
}

static const char *ask(const char *sql) {
  sqlite3_stmt *stmt = NULL;
  tamper_must(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, sqlite3_errmsg(db));
  for (*answer = '\0'; sqlite3_step(stmt) == SQLITE_ROW; strcat(answer, "\n"))
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
      const char *text = (const char *)sqlite3_column_text(stmt, i);
      if (!text) text = "";
      tamper_must(strlen(answer) + strlen(text) + 3 < sizeof answer, "an answer is too long");
      if (i) strcat(answer, "\t");
      strcat(answer, text);
    }
  sqlite3_finalize(stmt);
  return answer;
}

static void open_place(const char *where) {
  char sql[4000];
  folder = where;
  snprintf(url, sizeof url, "sqlite:%s/work.db", folder);
  tamper_must(sqlite3_open(":memory:", &db) == SQLITE_OK, "memory");
  tamper_must(ck_sqlite_add_check(db, NULL) == SQLITE_OK, "row_check");
  sqlite3_create_function(db, "flip", 2, SQLITE_UTF8, NULL, flip, NULL, NULL);
  sqlite3_snprintf(sizeof sql, sql,
                   "ATTACH '%s/kept.db' AS kept; ATTACH '%s/older.db' AS older;"
                   "ATTACH '%s/twin.db' AS twin; ATTACH '%s/other.db' AS other",
                   folder, folder, folder, folder);
  tamper_must(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(db));
}

/* In memory, where there is no log: the header says so (bytes 18, 19), and is set right in the
 * file. */
static void take_copy(void) {
  size_t len;
  unsigned char *bytes = read_file("kept.db", &len);
  bytes[18] = bytes[19] = 1;
  unsigned flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  tamper_must(sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)len, (sqlite3_int64)len,
                                  flags) == SQLITE_OK,
              "the copy");
}

static void put_copy(void) {
  sqlite3_int64 len;
  unsigned char *bytes = sqlite3_serialize(db, "main", &len, 0);
  tamper_must(bytes != NULL, "the copy");
  bytes[18] = bytes[19] = 2;
  write_file("work.db", bytes, (size_t)len);
  sqlite3_free(bytes);
}

static bool attack(const char *sql) { return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK; }

static void put_rows(char *out, size_t size, const tamper_table *to, const char *from, bool over) {
  snprintf(out, size, "INSERT OR %s INTO main.%s SELECT * FROM %s.%s", over ? "REPLACE" : "IGNORE",
           to->name, from, to->name);
}

static void close_place(void) { sqlite3_close(db); }

const tamper_place tamper_file = {
    .tables = tables,
    .columns = "PRAGMA kept.table_info(%s)",
    .count = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    .open = open_place,
    .take_copy = take_copy,
    .attack = attack,
    .ask = ask,
    .put_copy = put_copy,
    .url = url,
    .put_rows = put_rows,
    .close = close_place};
