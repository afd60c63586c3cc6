/* tool_tamper_table.c - changes each place of a store, one at a time, as somebody does who can
 * write it and has no key, and says which changes `store verify` does not find: tool_tamper_table
 * PLACE [EVERY TURN] PLACE is a folder with files, or the URL of a server's database; see
 * tamper_place.h. $CKRUN_KEY is the key, or empty. Of all changes each one in EVERY is made, others
 * with each TURN. Columns are those of the schema: one that comes is attacked without a word here;
 * of a table that comes it is said that it is not. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/format/seal.h"
#include "core/store/verify.h"
#include "tests/attack/tamper_place.h"

enum { ROWS = 4, META_ROWS = 9, COLUMNS = 40 };

typedef struct column {
  char name[64], type[40];
} column;

static tamper_place place;
static ck_key *key;
static int found, same, refused;
static unsigned every = 1, turn, made;
static column columns[COLUMNS];
static int column_count, row_count;
static char label[100]; /* the table, of meta with the row */

void tamper_must(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "tool_tamper_table: %s\n", what);
  exit(2);
}

/* ---- the store ---- */

static bool is_same(void) {
  char sql[400];
  for (const tamper_table *at = place.tables; at->name; at++) {
    snprintf(sql, sizeof sql,
             "SELECT CASE WHEN EXISTS (SELECT * FROM main.%s EXCEPT SELECT * FROM kept.%s)"
             " OR (SELECT count(*) FROM main.%s) <> (SELECT count(*) FROM kept.%s)"
             " THEN 1 ELSE 0 END",
             at->name, at->name, at->name, at->name);
    if (atoi(place.ask(sql))) return false;
  }
  return true;
}

static bool is_found(void) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report = {0};
  ck_store_options options = {.read_only = true, .key = key};
  if (ck_store_open(&store, place.url, &options, &err) != CK_OK) return true;
  ck_status status = ck_store_verify(&report, store, NULL, NULL, NULL, &err);
  ck_store_close(store);
  return status != CK_OK || report.problems > 0;
}

/* What the database refuses, and what changes nothing, is no attack. */
static void attack(const char *name, const char *sql) {
  if (made++ % every != turn % every) return;
  place.take_copy();
  bool done = place.attack(sql);
  if (!done || is_same()) {
    *(done ? &same : &refused) += 1;
    return;
  }
  place.put_copy();
  if (is_found())
    found++;
  else
    printf("unfound\t%s\n", name);
}

/* ---- the attacks ---- */

static void read_columns(const tamper_table *table) {
  char sql[300];
  snprintf(sql, sizeof sql, place.columns, table->name);
  char *rest = strdup(place.ask(sql)), *at = rest, *line;
  for (column_count = 0; (line = strsep(&at, "\n")) && *line; column_count++) {
    tamper_must(column_count < COLUMNS, "too many columns");
    column *one = &columns[column_count];
    strsep(&line, "\t");
    snprintf(one->name, sizeof one->name, "\"%s\"", strsep(&line, "\t"));
    snprintf(one->type, sizeof one->type, "%s", strsep(&line, "\t"));
  }
  free(rest);
  snprintf(sql, sizeof sql, "SELECT count(*) FROM kept.%s", table->name);
  row_count = atoi(place.ask(sql));
}

/* "(KEY) = (that of the row at `at`)". */
static const char *where(const tamper_table *table, int at) {
  static char text[300];
  snprintf(text, sizeof text, "(%s) = (SELECT %s FROM kept.%s ORDER BY %s LIMIT 1 OFFSET %d)",
           table->key, table->key, table->name, table->key, at);
  return text;
}

/* SQL, or the name of an attack. */
__attribute__((format(printf, 3, 4))) static void form(char *out, size_t size, const char *format,
                                                       ...) {
  va_list args;
  va_start(args, format);
  int len = vsnprintf(out, size, format, args);
  va_end(args);
  tamper_must(len >= 0 && (size_t)len < size, "a text is too long");
}

static void attack_column(const tamper_table *table, int at, const column *one) {
  const char *name = table->name, *sound = table->sound, *row = where(table, at);
  char sql[2400], text[200];
  form(text, sizeof text, "%s: %s changed", label, one->name);
  form(sql, sizeof sql, "UPDATE main.%s SET %s = flip(%s, '%s') WHERE %s", name, one->name,
       one->name, one->type, row);
  attack(text, sql);
  form(text, sizeof text, "%s: %s emptied", label, one->name);
  form(sql, sizeof sql, "UPDATE main.%s SET %s = NULL WHERE %s", name, one->name, row);
  attack(text, sql);
  if (!sound || strcmp(one->name, "\"check\"") == 0) return;
  form(text, sizeof text, "%s: %s changed, with its check", label, one->name);
  form(sql, sizeof sql,
       "UPDATE main.%s SET %s = flip(%s, '%s') WHERE %s; UPDATE main.%s SET %s WHERE NOT (%s)",
       name, one->name, one->name, one->type, row, name, sound, sound);
  attack(text, sql);
}

/* Appends "a, b, c" of the columns that are not of the key. */
static void append_others(char out[2000], const tamper_table *table) {
  char padded[100], wanted[100];
  form(padded, sizeof padded, ", %s, ", table->key);
  *out = '\0';
  for (int i = 0; i < column_count; i++) {
    size_t len = strlen(columns[i].name) - 2;
    form(wanted, sizeof wanted, ", %.*s, ", (int)len, columns[i].name + 1);
    if (strstr(padded, wanted)) continue;
    if (*out) strcat(out, ", ");
    strcat(out, columns[i].name);
  }
}

static void attack_row(const tamper_table *table, int at) {
  const char *name = table->name;
  char sql[6000], text[200], others[2000];
  form(text, sizeof text, "%s: a row taken away", label);
  form(sql, sizeof sql, "DELETE FROM main.%s WHERE %s", name, where(table, at));
  attack(text, sql);
  append_others(others, table);
  char other[300];
  form(other, sizeof other, "%s", where(table, (at + 1) % row_count));
  if (*others) {
    form(text, sizeof text, "%s: what another row has", label);
    form(sql, sizeof sql, "UPDATE main.%s SET (%s) = (SELECT %s FROM kept.%s WHERE %s) WHERE %s",
         name, others, others, name, other, where(table, at));
    attack(text, sql);
  }
}

/* Rows of the same store before, and of others. */
static void attack_from(const tamper_table *table, const char *from) {
  const char *name = table->name;
  char sql[600], text[200];
  form(text, sizeof text, "%s: all rows of %s", label, from);
  form(sql, sizeof sql, "DELETE FROM main.%s; INSERT INTO main.%s SELECT * FROM %s.%s", name, name,
       from, name);
  attack(text, sql);
  form(text, sizeof text, "%s: rows of %s over them", label, from);
  place.put_rows(sql, sizeof sql, table, from, true);
  attack(text, sql);
  form(text, sizeof text, "%s: rows of %s put in", label, from);
  place.put_rows(sql, sizeof sql, table, from, false);
  attack(text, sql);
}

/* In meta each row is something else. */
static void set_label(const tamper_table *table, int at) {
  char sql[400];
  snprintf(label, sizeof label, "%s", table->name);
  if (table != place.tables || at < 0) return;
  snprintf(sql, sizeof sql, "SELECT 'meta ' || key FROM kept.meta WHERE %s", where(table, at));
  const char *said = place.ask(sql);
  snprintf(label, sizeof label, "%.*s", (int)strcspn(said, "\n"), said);
}

static void attack_table(const tamper_table *table) {
  char sql[600], text[200];
  int rows = table == place.tables ? META_ROWS : ROWS;
  for (int i = 0; i < rows && i < row_count; i++) {
    int at = row_count <= rows ? i : i * (row_count - 1) / (rows - 1);
    set_label(table, at);
    for (int c = 0; c < column_count; c++) attack_column(table, at, &columns[c]);
    attack_row(table, at);
  }
  set_label(table, -1);
  snprintf(text, sizeof text, "%s: all rows taken away", table->name);
  snprintf(sql, sizeof sql, "DELETE FROM main.%s", table->name);
  attack(text, sql);
  attack_from(table, "older");
  attack_from(table, "twin");
  attack_from(table, "other");
}

static size_t put_back(char *out, size_t size, const char *table) {
  return (size_t)snprintf(out, size,
                          "DELETE FROM main.%s; INSERT INTO main.%s SELECT * FROM older.%s;", table,
                          table, table);
}

/* Some tables set back, the others not: each pair, and each with meta and both. */
static void attack_pairs(void) {
  char sql[2000], text[200];
  const tamper_table *tables = place.tables;
  for (int a = 0; tables[a].name; a++)
    for (int b = a + 1; tables[b].name; b++)
      for (int meta = 0; meta < 2; meta++) {
        const char *one = tables[a].name, *two = tables[b].name;
        if (meta && a == 0) continue;
        size_t len = put_back(sql, sizeof sql, one);
        len += put_back(sql + len, sizeof sql - len, two);
        if (meta) put_back(sql + len, sizeof sql - len, "meta");
        snprintf(text, sizeof text, "%s, %s%s: set back", one, two, meta ? ", meta" : "");
        attack(text, sql);
      }
}

static void check_tables(void) {
  int count = 0;
  tamper_must(is_same(), "a copy is no copy");
  for (const tamper_table *at = place.tables; at->name; at++, count++) {
    read_columns(at);
    printf("rows\t%s\t%d\n", at->name, row_count);
  }
  tamper_must(atoi(place.ask(place.count)) == count, "there is a table that is not attacked");
}

int main(int count, char **words) {
  static const char scheme[] = "postgres:";
  ck_error err = CK_ERROR_INIT;
  const char *text = getenv("CKRUN_KEY");
  tamper_must(count == 2 || count == 4, "tool_tamper_table PLACE [EVERY TURN]");
  place = strncmp(words[1], scheme, strlen(scheme)) == 0 ? tamper_server : tamper_file;
  if (count == 4) every = (unsigned)atoi(words[2]), turn = (unsigned)atoi(words[3]);
  if (text && *text)
    tamper_must(ck_key_read(&key, ck_bytes_text(text), "CKRUN_KEY", &err) == CK_OK, err.text);
  place.open(words[1]);
  place.take_copy();
  check_tables();
  place.put_copy();
  tamper_must(!is_found(), "the store is not whole");
  for (const tamper_table *at = place.tables; at->name; at++) {
    place.take_copy();
    read_columns(at);
    attack_table(at);
  }
  attack_pairs();
  printf("found\t%d\nsame\t%d\nrefused\t%d\n", found, same, refused);
  place.close();
  ck_key_free(key);
  return 0;
}
