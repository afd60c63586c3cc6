/* reader.h - one statement on a reading connection, and its columns. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_READER_H
#define CK_STORE_SQLITE_READER_H

#include "core/store/sqlite/sqlite.h"

typedef struct ck_reader {
  ck_sqlite *store;
  ck_connection *connection; /* of the pool */
  ck_binder binder;
} ck_reader;
/* Borrows a connection of the pool; after CK_OK, end it. */
CK_CHECKED ck_status ck_reader_begin(ck_reader *self, ck_sqlite *store, ck_sql sql, ck_error *err);
/* Returns the connection. Answers `status`, or why the last step failed ("cannot DOING"). */
CK_CHECKED ck_status ck_reader_end(ck_reader *self, ck_status status, const char *doing,
                                   ck_error *err);

/* Columns of the current row; borrowed from it. NULL: no bytes, no text. */
ck_bytes ck_column_bytes(sqlite3_stmt *stmt, int column);
const char *ck_column_text(sqlite3_stmt *stmt, int column);
/* A longer text is cut, NULL is "". */
void ck_column_id(char out[CK_ID_SIZE], sqlite3_stmt *stmt, int column);

/* Rows with CK_SQL_EVENT_COLUMNS, CK_SQL_CHECKPOINT_COLUMNS; borrowed from the current row. */
ck_event_row ck_sqlite_event_row(sqlite3_stmt *stmt);
void ck_sqlite_read_checkpoint(ck_checkpoint_row *out, sqlite3_stmt *stmt);
/* As list_bases of backend.h, on a given connection. */
CK_CHECKED ck_status ck_sqlite_read_bases(int64_t **out, size_t *count, ck_sqlite *self,
                                          ck_connection *connection, int64_t session,
                                          ck_error *err);

#endif
