/* tool_tamper_table.c - changes each place of a store's file, one at a time, as somebody does who
 * can write it and has no key, and says which changes `store verify` does not find:
 *   tool_tamper_table FOLDER [EVERY TURN]
 * FOLDER has kept.db, and as sources of rows older.db (itself, before), twin.db (another store with
 * the same key) and other.db (one with another key, or none). $CKRUN_KEY is the key, or empty.
 * Of all changes each one in EVERY is made, others with each TURN. Columns are those of the schema:
 * one that comes is attacked without a word here; of a table that comes it is said that it is not.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/format/seal.h"
#include "core/store/sqlite/sql_columns.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/verify.h"

enum { ROWS = 4, META_ROWS = 9, TABLES = 14, COLUMNS = 40 };

/* How rows are named, and the check that anybody can make for them; NULL: they have another one. */
static const struct {
  const char *name, *key, *sound;
} tables[TABLES] = {{"meta", "key", CK_SQL_META_IS_SOUND},
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
                    {"blob_use", "session, blob", CK_SQL_BLOB_USE_IS_SOUND}};

typedef struct column {
  char name[64], type[16];
} column;

static const char *folder;
static ck_key *key;
static int found, same, refused;
static unsigned every = 1, turn, made;
static sqlite3 *db;
static column columns[COLUMNS];
static int column_count, row_count;
static char label[100]; /* the table, of meta with the row */

static void must(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "tool_tamper_table: %s\n", what);
  exit(2);
}

/* ---- the store ---- */

static const char *path_of(const char *name) {
  static char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static unsigned char *read_file(const char *name, size_t *len) {
  FILE *file = fopen(path_of(name), "rb");
  must(file && fseek(file, 0, SEEK_END) == 0, name);
  *len = (size_t)ftell(file);
  unsigned char *bytes = sqlite3_malloc64(*len);
  rewind(file);
  must(bytes && fread(bytes, 1, *len, file) == *len && fclose(file) == 0, name);
  return bytes;
}

static void write_file(const char *name, const unsigned char *bytes, size_t len) {
  FILE *file = fopen(path_of(name), "wb");
  must(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0, name);
}

/* flip(VALUE, TYPE): another value of the kind that the column has. */
static void flip(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  char bytes[8192] = "";
  const char *type = (const char *)sqlite3_value_text(values[1]);
  int len = sqlite3_value_bytes(values[0]);
  must(len < (int)sizeof bytes - 1, "a value is too long");
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

static int64_t number(const char *sql) {
  sqlite3_stmt *stmt = NULL;
  must(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, sqlite3_errmsg(db));
  must(sqlite3_step(stmt) == SQLITE_ROW, sql);
  int64_t value = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  return value;
}

static void run(const char *sql) {
  must(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, sqlite3_errmsg(db));
}

static void open_sources(void) {
  char sql[4000];
  must(sqlite3_open(":memory:", &db) == SQLITE_OK, "memory");
  must(ck_sqlite_add_check(db, NULL) == SQLITE_OK, "row_check");
  sqlite3_create_function(db, "flip", 2, SQLITE_UTF8, NULL, flip, NULL, NULL);
  sqlite3_snprintf(sizeof sql, sql,
                   "ATTACH '%s/kept.db' AS kept; ATTACH '%s/older.db' AS older;"
                   "ATTACH '%s/twin.db' AS twin; ATTACH '%s/other.db' AS other",
                   folder, folder, folder, folder);
  run(sql);
}

/* In memory, where there is no log: the header says so (bytes 18, 19), and is set right in the
 * file. */
static void take_copy(void) {
  size_t len;
  unsigned char *bytes = read_file("kept.db", &len);
  bytes[18] = bytes[19] = 1;
  unsigned flags = SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE;
  must(sqlite3_deserialize(db, "main", bytes, (sqlite3_int64)len, (sqlite3_int64)len, flags) ==
           SQLITE_OK,
       "the copy");
}

static void put_copy(void) {
  sqlite3_int64 len;
  unsigned char *bytes = sqlite3_serialize(db, "main", &len, 0);
  must(bytes != NULL, "the copy");
  bytes[18] = bytes[19] = 2;
  write_file("work.db", bytes, (size_t)len);
  sqlite3_free(bytes);
}

static bool is_same(void) {
  char sql[300];
  for (int i = 0; i < TABLES; i++) {
    sqlite3_snprintf(sizeof sql, sql,
                     "SELECT EXISTS (SELECT * FROM main.%s EXCEPT SELECT * FROM kept.%s)"
                     " OR (SELECT count(*) FROM main.%s) <> (SELECT count(*) FROM kept.%s)",
                     tables[i].name, tables[i].name, tables[i].name, tables[i].name);
    if (number(sql)) return false;
  }
  return true;
}

static bool is_found(void) {
  char url[600];
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report = {0};
  snprintf(url, sizeof url, "sqlite:%s/work.db", folder);
  ck_store_options options = {.read_only = true, .key = key};
  if (ck_store_open(&store, url, &options, &err) != CK_OK) return true;
  ck_status status = ck_store_verify(&report, store, NULL, NULL, NULL, &err);
  ck_store_close(store);
  return status != CK_OK || report.problems > 0;
}

/* What SQLite refuses, and what changes nothing, is no attack. */
static void attack(const char *name, const char *sql) {
  if (made++ % every != turn % every) return;
  take_copy();
  bool done = sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
  if (!done || is_same()) {
    *(done ? &same : &refused) += 1;
    return;
  }
  put_copy();
  if (is_found())
    found++;
  else
    printf("unfound\t%s\n", name);
}

/* ---- the attacks ---- */

static void read_columns(int table) {
  char sql[200];
  sqlite3_stmt *stmt;
  sqlite3_snprintf(sizeof sql, sql, "PRAGMA kept.table_info(%s)", tables[table].name);
  must(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, sqlite3_errmsg(db));
  for (column_count = 0; sqlite3_step(stmt) == SQLITE_ROW; column_count++) {
    must(column_count < COLUMNS, "too many columns");
    column *one = &columns[column_count];
    snprintf(one->name, sizeof one->name, "\"%s\"", sqlite3_column_text(stmt, 1));
    snprintf(one->type, sizeof one->type, "%s", sqlite3_column_text(stmt, 2));
  }
  sqlite3_finalize(stmt);
  sqlite3_snprintf(sizeof sql, sql, "SELECT count(*) FROM %s", tables[table].name);
  row_count = (int)number(sql);
}

/* "(KEY) = (that of the row at `at`)". */
static const char *where(int table, int at) {
  static char text[300];
  sqlite3_snprintf(sizeof text, text,
                   "(%s) = (SELECT %s FROM kept.%s ORDER BY %s LIMIT 1 OFFSET %d)",
                   tables[table].key, tables[table].key, tables[table].name, tables[table].key, at);
  return text;
}

static void attack_column(int table, int at, const column *one) {
  const char *name = tables[table].name, *sound = tables[table].sound, *row = where(table, at);
  char sql[2400], text[200];
  sqlite3_snprintf(sizeof text, text, "%s: %s changed", label, one->name);
  sqlite3_snprintf(sizeof sql, sql, "UPDATE main.%s SET %s = flip(%s, '%s') WHERE %s", name,
                   one->name, one->name, one->type, row);
  attack(text, sql);
  sqlite3_snprintf(sizeof text, text, "%s: %s emptied", label, one->name);
  sqlite3_snprintf(sizeof sql, sql, "UPDATE main.%s SET %s = NULL WHERE %s", name, one->name, row);
  attack(text, sql);
  if (!sound || strcmp(one->name, "\"check\"") == 0) return;
  sqlite3_snprintf(sizeof text, text, "%s: %s changed, with its check", label, one->name);
  sqlite3_snprintf(
      sizeof sql, sql,
      "UPDATE main.%s SET %s = flip(%s, '%s') WHERE %s; UPDATE main.%s SET %s WHERE NOT (%s)", name,
      one->name, one->name, one->type, row, name, sound, sound);
  attack(text, sql);
}

/* Appends "a, b, c" of the columns that are not of the key. */
static void append_others(char out[2000], int table) {
  char padded[100], wanted[100];
  sqlite3_snprintf(sizeof padded, padded, ", %s, ", tables[table].key);
  *out = '\0';
  for (int i = 0; i < column_count; i++) {
    size_t len = strlen(columns[i].name) - 2;
    sqlite3_snprintf(sizeof wanted, wanted, ", %.*s, ", (int)len, columns[i].name + 1);
    if (strstr(padded, wanted)) continue;
    if (*out) strcat(out, ", ");
    strcat(out, columns[i].name);
  }
}

static void attack_row(int table, int at) {
  const char *name = tables[table].name;
  char sql[6000], text[200], others[2000];
  sqlite3_snprintf(sizeof text, text, "%s: a row taken away", label);
  sqlite3_snprintf(sizeof sql, sql, "DELETE FROM main.%s WHERE %s", name, where(table, at));
  attack(text, sql);
  append_others(others, table);
  char other[300];
  sqlite3_snprintf(sizeof other, other, "%s", where(table, (at + 1) % row_count));
  if (*others) {
    sqlite3_snprintf(sizeof text, text, "%s: what another row has", label);
    sqlite3_snprintf(sizeof sql, sql,
                     "UPDATE main.%s SET (%s) = (SELECT %s FROM kept.%s WHERE %s) WHERE %s", name,
                     others, others, name, other, where(table, at));
    attack(text, sql);
  }
}

/* Rows of the same store before, and of others. */
static void attack_from(int table, const char *from) {
  const char *name = tables[table].name;
  char sql[600], text[200];
  sqlite3_snprintf(sizeof text, text, "%s: all rows of %s", label, from);
  sqlite3_snprintf(sizeof sql, sql, "DELETE FROM main.%s; INSERT INTO main.%s SELECT * FROM %s.%s",
                   name, name, from, name);
  attack(text, sql);
  sqlite3_snprintf(sizeof text, text, "%s: rows of %s over them", label, from);
  sqlite3_snprintf(sizeof sql, sql, "INSERT OR REPLACE INTO main.%s SELECT * FROM %s.%s", name,
                   from, name);
  attack(text, sql);
  sqlite3_snprintf(sizeof text, text, "%s: rows of %s put in", label, from);
  sqlite3_snprintf(sizeof sql, sql, "INSERT OR IGNORE INTO main.%s SELECT * FROM %s.%s", name, from,
                   name);
  attack(text, sql);
}

/* In meta each row is something else. */
static void set_label(int table, int at) {
  char sql[200];
  sqlite3_stmt *stmt;
  sqlite3_snprintf(sizeof label, label, "%s", tables[table].name);
  if (table > 0 || at < 0) return;
  sqlite3_snprintf(sizeof sql, sql, "SELECT 'meta ' || key FROM kept.meta WHERE %s",
                   where(table, at));
  must(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, sqlite3_errmsg(db));
  must(sqlite3_step(stmt) == SQLITE_ROW, sql);
  sqlite3_snprintf(sizeof label, label, "%s", (const char *)sqlite3_column_text(stmt, 0));
  sqlite3_finalize(stmt);
}

static void attack_table(int table) {
  char sql[600], text[200];
  int rows = table ? ROWS : META_ROWS;
  for (int i = 0; i < rows && i < row_count; i++) {
    int at = row_count <= rows ? i : i * (row_count - 1) / (rows - 1);
    set_label(table, at);
    for (int c = 0; c < column_count; c++) attack_column(table, at, &columns[c]);
    attack_row(table, at);
  }
  set_label(table, -1);
  sqlite3_snprintf(sizeof text, text, "%s: all rows taken away", tables[table].name);
  sqlite3_snprintf(sizeof sql, sql, "DELETE FROM main.%s", tables[table].name);
  attack(text, sql);
  attack_from(table, "older");
  attack_from(table, "twin");
  attack_from(table, "other");
}

/* Some tables set back, the others not: each pair, and each with the inventory and both. */
static void attack_pairs(void) {
  static const char back[] = "DELETE FROM main.%s; INSERT INTO main.%s SELECT * FROM older.%s;";
  char sql[2000], text[200];
  for (int a = 0; a < TABLES; a++)
    for (int b = a + 1; b < TABLES; b++)
      for (int meta = 0; meta < 2; meta++) {
        const char *one = tables[a].name, *two = tables[b].name;
        if (meta && a == 0) continue;
        sqlite3_snprintf(sizeof sql, sql, back, one, one, one);
        size_t len = strlen(sql);
        sqlite3_snprintf((int)(sizeof sql - len), sql + len, back, two, two, two);
        len = strlen(sql);
        if (meta)
          sqlite3_snprintf((int)(sizeof sql - len), sql + len, back, "meta", "meta", "meta");
        sqlite3_snprintf(sizeof text, text, "%s, %s%s: set back", one, two, meta ? ", meta" : "");
        attack(text, sql);
      }
}

static void check_tables(void) {
  must(number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE "
              "'sqlite_%'") == TABLES,
       "there is a table that is not attacked");
  must(is_same(), "a copy is no copy");
  for (int i = 0; i < TABLES; i++) {
    read_columns(i);
    printf("rows\t%s\t%d\n", tables[i].name, row_count);
  }
}

int main(int count, char **words) {
  ck_error err = CK_ERROR_INIT;
  const char *text = getenv("CKRUN_KEY");
  must(count == 2 || count == 4, "tool_tamper_table FOLDER [EVERY TURN]");
  folder = words[1];
  if (count == 4) every = (unsigned)atoi(words[2]), turn = (unsigned)atoi(words[3]);
  if (text && *text)
    must(ck_key_read(&key, ck_bytes_text(text), "CKRUN_KEY", &err) == CK_OK, err.text);
  open_sources();
  take_copy();
  check_tables();
  put_copy();
  must(!is_found(), "the store is not whole");
  for (int i = 0; i < TABLES; i++) {
    take_copy();
    read_columns(i);
    attack_table(i);
  }
  attack_pairs();
  printf("found\t%d\nsame\t%d\nrefused\t%d\n", found, same, refused);
  sqlite3_close(db);
  ck_key_free(key);
  return 0;
}
