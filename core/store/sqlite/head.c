/* head.c - how far sessions have come, and what their runs executed. */
#include <string.h>

#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/rekey.h"
#include "core/store/sqlite/scrub.h"

ck_status ck_sqlite_put_head(ck_sqlite *self, int64_t session, const ck_head_row *row,
                             ck_error *err) {
  ck_status status = ck_inventory_touch_session(self, session, err);
  if (status != CK_OK) return status;
  ck_binder binder = ck_binder_of(self->writer, row->seq ? CK_SQL_PUT_HEAD : CK_SQL_DELETE_HEAD);
  ck_bind_int(&binder, session);
  if (row->seq == 0) return ck_sqlite_write(self, &binder, "write the head of a session", err);
  ck_bind_int(&binder, (int64_t)row->epoch);
  ck_bind_int(&binder, row->status);
  ck_bind_int(&binder, row->seq);
  ck_bind_blob(&binder, ck_head_row_digest(row));
  ck_bind_optional(&binder, ck_head_row_mac(row));
  ck_bind_optional(&binder, ck_head_row_key_id(row));
  return ck_sqlite_write_row(self, &binder, "write the head of a session", err);
}

/* The first six columns of CK_SQL_HEAD. False: one cannot have been written. */
static bool take_columns(ck_head_row *out, sqlite3_stmt *stmt) {
  *out = (ck_head_row){.epoch = (uint64_t)sqlite3_column_int64(stmt, 0),
                       .status = (ck_session_status)sqlite3_column_int(stmt, 1),
                       .seq = sqlite3_column_int64(stmt, 2)};
  return ck_head_row_take(out, ck_column_bytes(stmt, 3), ck_column_bytes(stmt, 4),
                          ck_column_bytes(stmt, 5));
}

static ck_status get_head(ck_head_row *out, void *to, int64_t session, ck_error *err) {
  *out = (ck_head_row){0};
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_GET_HEAD, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  if (ck_binder_next(&read.binder) == SQLITE_ROW) {
    sqlite3_stmt *stmt = read.binder.stmt;
    bool taken = take_columns(out, stmt);
    if (!taken || !sqlite3_column_int(stmt, 6))
      status = ck_error_set(err, CK_E_CORRUPT,
                            "its head in store %s is not what was written: its check differs",
                            read.store->path);
  }
  return ck_reader_end(&read, status, "read the head of a session", err);
}

static ck_status get_about(ck_value **out, char run[CK_ID_SIZE], void *to, int64_t session,
                           int64_t timeline, ck_error *err) {
  *out = NULL;
  *run = '\0';
  ck_reader read;
  ck_status status = ck_reader_begin(&read, to, CK_SQL_GET_ABOUT, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  ck_bind_int(&read.binder, timeline);
  if (ck_binder_next(&read.binder) == SQLITE_ROW) {
    ck_bytes about = ck_column_bytes(read.binder.stmt, 0);
    ck_column_id(run, read.binder.stmt, 2);
    if (!sqlite3_column_int(read.binder.stmt, 1))
      status = ck_error_set(err, CK_E_CORRUPT,
                            "timeline %lld in store %s is not what was written: its check differs",
                            (long long)timeline, read.store->path);
    else if (about.len)
      status = ck_value_copy(out, about, err);
  }
  return ck_reader_end(&read, status, "read what a run executed", err);
}

/* ---- changes of all rows ---- */

static ck_status next_head(int64_t *session, ck_head_row *row, ck_sqlite *self, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_NEXT_HEAD);
  ck_bind_int(&binder, *session);
  int code = ck_binder_next(&binder);
  *session = 0;
  if (code == SQLITE_ROW) {
    *session = sqlite3_column_int64(binder.stmt, 6);
    (void)take_columns(row, binder.stmt);
  }
  ck_binder_clear(&binder);
  if (code == SQLITE_ROW || code == SQLITE_DONE) return CK_OK;
  return ck_sqlite_error(self, self->writer->db, code, "change its key", err);
}

ck_status ck_sqlite_read_head(ck_head_row *out, ck_sqlite *self, int64_t session, ck_error *err) {
  int64_t found = session - 1;
  *out = (ck_head_row){0};
  ck_status status = next_head(&found, out, self, err);
  if (found != session) *out = (ck_head_row){0};
  return status;
}

ck_status ck_sqlite_rekey_heads(ck_sqlite *self, const ck_rekey *with, ck_error *err) {
  int64_t session = 0;
  ck_head_row row;
  ck_status status;
  do {
    status = next_head(&session, &row, self, err);
    if (status == CK_OK && session) status = with->head(with->self, session, &row, err);
    if (status == CK_OK && session) status = ck_sqlite_put_head(self, session, &row, err);
  } while (status == CK_OK && session);
  return status;
}

void ck_sqlite_add_heads(ck_backend *backend) {
  backend->get_head = get_head;
  backend->get_about = get_about;
}
