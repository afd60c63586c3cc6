/* tables.c - compares a store's schema with ckrun's own: a generated column, a trigger, an index
 * that somebody added can make SQLite drop or change rows without a word. */
#include <stdio.h>
#include <string.h>

#include "core/store/sqlite/schema_known.h"
#include "core/store/sqlite/sqlite.h"

enum { DIGEST_LEN = 32 };

typedef struct known {
  const char *type, *name, *table;
  int schemas;
  const char *digest;
} known;

#define ROW(type, name, table, schemas, digest) {type, name, table, schemas, digest},
static const known all[] = {CK_SCHEMA_KNOWN_TABLE(ROW)};
#undef ROW
enum { KNOWN = sizeof all / sizeof *all };

typedef struct comparison {
  ck_problem_visit visit;
  void *to;
  int64_t problems;
  int schema;        /* one bit */
  bool found[KNOWN]; /* an object of that name, whatever its text */
} comparison;

static const char *text_at(sqlite3_stmt *stmt, int column) {
  const char *text = (const char *)sqlite3_column_text(stmt, column);
  return text ? text : "";
}

static void tell(comparison *self, const char *text) {
  self->problems++;
  if (self->visit) self->visit(self->to, "", 0, CK_E_CORRUPT, text);
}

/* What SQLite makes by itself: the index of a key, and what ANALYZE counts. */
static bool is_of_sqlite(sqlite3_stmt *stmt) {
  const char *type = text_at(stmt, 0), *name = text_at(stmt, 1);
  if (sqlite3_column_type(stmt, 3) == SQLITE_NULL)
    return strcmp(type, "index") == 0 && strncmp(name, "sqlite_autoindex_", 17) == 0;
  return strcmp(type, "table") == 0 && strncmp(name, "sqlite_stat", 11) == 0;
}

static void tell_strange(comparison *self, sqlite3_stmt *stmt) {
  char text[400];
  snprintf(text, sizeof text,
           "%.16s '%.64s' of table '%.64s' is not ckrun's, and can change what is written: remove "
           "it with 'DROP %.16s', or restore a backup",
           text_at(stmt, 0), text_at(stmt, 1), text_at(stmt, 2), text_at(stmt, 0));
  tell(self, text);
}

static void tell_changed(comparison *self, const known *is) {
  char text[400];
  snprintf(text, sizeof text,
           "%s '%s' is declared in another way than ckrun does, which can change what is written: "
           "restore a backup",
           is->type, is->name);
  tell(self, text);
}

static void compare(comparison *self, sqlite3_stmt *stmt) {
  char hex[CK_DIGEST_HEX_SIZE];
  const char *sql = text_at(stmt, 3);
  const known *same_name = NULL;
  if (is_of_sqlite(stmt)) return;
  ck_digest digest = ck_digest_of((ck_bytes){sql, (size_t)sqlite3_column_bytes(stmt, 3)});
  ck_digest_hex(hex, &digest);
  for (size_t i = 0; i < KNOWN; i++) {
    if (!(all[i].schemas & self->schema) || strcmp(all[i].name, text_at(stmt, 1)) != 0) continue;
    same_name = &all[i];
    self->found[i] = true;
    bool same = strcmp(all[i].type, text_at(stmt, 0)) == 0 &&
                strcmp(all[i].table, text_at(stmt, 2)) == 0 &&
                memcmp(all[i].digest, hex, DIGEST_LEN) == 0;
    if (same) return;
  }
  if (same_name)
    tell_changed(self, same_name);
  else
    tell_strange(self, stmt);
}

/* Rows of one name stand together; all of a schema are found, or none. */
static void tell_missing(comparison *self) {
  char text[160];
  for (size_t i = 0; i < KNOWN; i++) {
    bool again =
        i > 0 && strcmp(all[i].name, all[i - 1].name) == 0 && (all[i - 1].schemas & self->schema);
    if (again || self->found[i] || !(all[i].schemas & self->schema)) continue;
    snprintf(text, sizeof text, "%s '%s' is not there: restore a backup", all[i].type, all[i].name);
    tell(self, text);
  }
}

ck_status ck_sqlite_compare_tables(int64_t *problems, ck_sqlite *self, ck_connection *by,
                                   ck_problem_visit visit, void *to, ck_error *err) {
  comparison with = {.visit = visit, .to = to, .schema = 1 << self->schema};
  sqlite3_stmt *stmt = NULL;
  int code = sqlite3_prepare_v2(by->db, "SELECT type, name, tbl_name, sql FROM sqlite_schema", -1,
                                &stmt, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(stmt);
    if (code == SQLITE_ROW) compare(&with, stmt);
  }
  sqlite3_finalize(stmt);
  if (code != SQLITE_DONE) return ck_sqlite_error(self, by->db, code, "read it", err);
  tell_missing(&with);
  *problems += with.problems;
  return CK_OK;
}

/* `to`: the error; keeps the first. */
static void keep_first(void *to, const char *session, int64_t seq, ck_status status,
                       const char *text) {
  ck_error *first = to;
  (void)session, (void)seq;
  if (first->status == CK_OK) ck_error_set(first, status, "%s", text);
}

ck_status ck_sqlite_check_tables(ck_sqlite *self, ck_connection *by, ck_error *err) {
  ck_error first = CK_ERROR_INIT;
  int64_t problems = 0;
  ck_status status = ck_sqlite_compare_tables(&problems, self, by, keep_first, &first, err);
  if (status != CK_OK || problems == 0) return status;
  if (problems > 1)
    return ck_error_set(err, CK_E_CORRUPT, "store %s: %s (and %lld more of its schema)", self->path,
                        first.text, (long long)problems - 1);
  return ck_error_set(err, CK_E_CORRUPT, "store %s: %s", self->path, first.text);
}
