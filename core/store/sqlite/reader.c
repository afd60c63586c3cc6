/* reader.c - a reading statement begins and ends here, so that its connection is always
 * returned. */
#include "core/store/sqlite/reader.h"

#include <string.h>

ck_status ck_reader_begin(ck_reader *self, ck_sqlite *store, ck_sql sql, ck_error *err) {
  self->store = store;
  ck_status status = ck_sqlite_get_reader(&self->connection, store, err);
  if (status == CK_OK) self->binder = ck_binder_of(self->connection, sql);
  return status;
}

ck_status ck_reader_end(ck_reader *self, ck_status status, const char *doing, ck_error *err) {
  int code = self->binder.code;
  if (status == CK_OK && code != SQLITE_ROW && code != SQLITE_DONE)
    status = ck_sqlite_error(self->store, self->connection->db, code, doing, err);
  ck_binder_clear(&self->binder);
  ck_sqlite_put_reader(self->store, self->connection);
  return status;
}

ck_bytes ck_column_bytes(sqlite3_stmt *stmt, int column) {
  const char *data = sqlite3_column_blob(stmt, column);
  return (ck_bytes){data, data ? (size_t)sqlite3_column_bytes(stmt, column) : 0};
}

const char *ck_column_text(sqlite3_stmt *stmt, int column) {
  return (const char *)sqlite3_column_text(stmt, column);
}

void ck_column_id(char out[CK_ID_SIZE], sqlite3_stmt *stmt, int column) {
  const char *text = ck_column_text(stmt, column);
  size_t len = text ? strnlen(text, CK_ID_SIZE - 1) : 0;
  if (len) memcpy(out, text, len);
  out[len] = '\0';
}
