/* connection.h - one SQLite connection of a store: its statements, its errors, and the pool of
 * reading ones. Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_CONNECTION_H
#define CK_STORE_SQLITE_CONNECTION_H

#include <sqlite3.h>

#include "core/store/backend.h"
#include "core/store/sqlite/sql.h"

struct ck_sqlite;

typedef struct ck_connection {
  sqlite3 *db;
  sqlite3_stmt *statements[CK_SQL_COUNT];
  unsigned generation;
  int64_t schema; /* of the store; an older one has statements of its own (sql_older.h) */
  struct ck_connection *next;
} ck_connection;

/* PROBE: for the file's header alone; never reads a page. DRAFT: of a database that no other
 * process knows. */
typedef enum {
  CK_CONNECTION_WRITE,
  CK_CONNECTION_READ,
  CK_CONNECTION_PROBE,
  CK_CONNECTION_DRAFT
} ck_connection_mode;
CK_CHECKED ck_status ck_connection_open(ck_connection **out, const struct ck_sqlite *store,
                                        ck_connection_mode mode, ck_error *err);
void ck_connection_close(ck_connection *self);
/* One integer; 0 when there is no row. */
CK_CHECKED ck_status ck_connection_get_int(int64_t *out, const struct ck_sqlite *store,
                                           ck_connection *self, const char *sql, ck_error *err);
/* "store PATH: cannot DOING: cause"; `code` as SQLite gave it. */
ck_status ck_sqlite_error(const struct ck_sqlite *store, sqlite3 *db, int code, const char *doing,
                          ck_error *err);
/* The errno behind the code; 0: the code does not come from the system. */
int ck_sqlite_errno(sqlite3 *db, int code);
bool ck_sqlite_is_sync_error(int extended_code);
/* A reading connection of the pool, or a new one; return it with ck_sqlite_put_reader. */
CK_CHECKED ck_status ck_sqlite_get_reader(ck_connection **out, struct ck_sqlite *self,
                                          ck_error *err);
void ck_sqlite_put_reader(struct ck_sqlite *self, ck_connection *reader);
void ck_sqlite_close_readers(struct ck_sqlite *self);

/* Binds parameters in order; the first failure stays in `code`. Texts and blobs are borrowed until
 * the statement has run. */
typedef struct ck_binder {
  sqlite3_stmt *stmt;
  int at, code;
} ck_binder;
ck_binder ck_binder_of(ck_connection *connection, ck_sql sql);
void ck_bind_int(ck_binder *self, int64_t number);
void ck_bind_text(ck_binder *self, const char *text);   /* NULL: NULL */
void ck_bind_blob(ck_binder *self, ck_bytes bytes);     /* never NULL */
void ck_bind_optional(ck_binder *self, ck_bytes bytes); /* no bytes: NULL */
void ck_bind_digest(ck_binder *self, const ck_digest *digest);
/* SQLITE_ROW, SQLITE_DONE or an error; after DONE and errors the statement is reset. */
int ck_binder_next(ck_binder *self);
void ck_binder_clear(ck_binder *self);

#endif
