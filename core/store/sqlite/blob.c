/* blob.c - bytes that are kept by their content, in the tables blob and blob_use. */
#include "core/store/sqlite/reader.h"
#include "core/store/sqlite/rekey.h"
#include "core/store/sqlite/scrub.h"

static const char doing_put[] = "keep a file", doing_read[] = "read a file that it keeps";

static ck_bytes bytes_of(const ck_digest *digest) {
  return (ck_bytes){(const char *)digest->bytes, CK_DIGEST_SIZE};
}

/* ---- writing ---- */

static ck_status put_row(ck_sqlite *self, const ck_blob_row *row, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_BLOB);
  ck_bind_blob(&binder, bytes_of(&row->name));
  ck_bind_text(&binder, row->kind);
  ck_bind_int(&binder, row->encoding);
  ck_bind_int(&binder, row->plain_len);
  ck_bind_blob(&binder, row->body);
  return ck_sqlite_write(self, &binder, doing_put, err);
}

static ck_status put_use(ck_sqlite *self, int64_t session, const ck_blob_row *row, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_BLOB_USE);
  ck_bind_int(&binder, session);
  ck_bind_blob(&binder, bytes_of(&row->name));
  return ck_sqlite_write(self, &binder, doing_put, err);
}

static ck_status uses_blob(bool *out, void *to, int64_t session, const ck_digest *name,
                           ck_error *err) {
  ck_sqlite *self = to;
  ck_reader read;
  *out = false;
  if (self->schema < 3) return CK_OK;
  ck_status status = ck_reader_begin(&read, self, CK_SQL_HAS_BLOB_USE, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, session);
  ck_bind_blob(&read.binder, bytes_of(name));
  *out = ck_binder_next(&read.binder) == SQLITE_ROW;
  return ck_reader_end(&read, CK_OK, doing_read, err);
}

ck_status ck_sqlite_put_blob_rows(ck_sqlite *self, int64_t session, const ck_blob_row *rows,
                                  size_t count, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    status = put_row(self, &rows[i], err);
    if (status == CK_OK) status = put_use(self, session, &rows[i], err);
  }
  return status;
}

static ck_status put_blobs(void *to, ck_lease lease, const ck_blob_row *rows, size_t count,
                           ck_error *err) {
  ck_sqlite *self = to;
  bool all = true;
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && all && status == CK_OK; i++)
    status = uses_blob(&all, self, lease.session, &rows[i].name, err);
  if (status != CK_OK || all) return status;
  status = ck_sqlite_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_check_lease(self, lease, err);
  if (status == CK_OK) status = ck_sqlite_check_key(self, err);
  if (status == CK_OK) status = ck_sqlite_put_blob_rows(self, lease.session, rows, count, err);
  return ck_sqlite_end(self, status, err);
}

/* ---- reading ---- */

bool ck_sqlite_take_blob(ck_blob_row *out, sqlite3_stmt *stmt) {
  ck_bytes name = ck_column_bytes(stmt, 1);
  *out = (ck_blob_row){.kind = ck_column_text(stmt, 2),
                       .encoding = sqlite3_column_int(stmt, 3),
                       .plain_len = sqlite3_column_int64(stmt, 4),
                       .body = ck_column_bytes(stmt, 5)};
  if (name.len != CK_DIGEST_SIZE || !out->kind || !sqlite3_column_int(stmt, 6)) return false;
  for (size_t i = 0; i < CK_DIGEST_SIZE; i++) out->name.bytes[i] = (uint8_t)name.data[i];
  return true;
}

static ck_status get_blob(void *to, const ck_digest *name, ck_blob_row_visit visit, void *visitor,
                          ck_error *err) {
  ck_sqlite *self = to;
  ck_blob_row row;
  ck_reader read;
  if (self->schema < 3) return ck_error_set(err, CK_E_NOT_FOUND, "it is not kept");
  ck_status status = ck_reader_begin(&read, self, CK_SQL_GET_BLOB, err);
  if (status != CK_OK) return status;
  ck_bind_blob(&read.binder, bytes_of(name));
  int code = ck_binder_next(&read.binder);
  if (code == SQLITE_DONE)
    status = ck_error_set(err, CK_E_NOT_FOUND, "it is not kept");
  else if (code == SQLITE_ROW && !ck_sqlite_take_blob(&row, read.binder.stmt))
    status = ck_error_set(err, CK_E_CORRUPT,
                          "what store %s keeps of it is not what was written: its check differs",
                          self->path);
  else if (code == SQLITE_ROW)
    visit(visitor, &row);
  return ck_reader_end(&read, status, doing_read, err);
}

static ck_status list_blobs(void *to, ck_blob_row_visit visit, void *visitor, ck_error *err) {
  ck_sqlite *self = to;
  ck_blob_row row;
  ck_reader read;
  bool more = true;
  if (self->schema < 3) return CK_OK;
  ck_status status = ck_reader_begin(&read, self, CK_SQL_LIST_BLOBS, err);
  if (status != CK_OK) return status;
  ck_bind_int(&read.binder, 0);
  while (more && ck_binder_next(&read.binder) == SQLITE_ROW)
    if (ck_sqlite_take_blob(&row, read.binder.stmt)) more = visit(visitor, &row);
  return ck_reader_end(&read, CK_OK, doing_read, err);
}

/* ---- a change of key ---- */

/* `*no`: that of the row before; 0 when none is left. */
static ck_status change_next(int64_t *no, ck_sqlite *self, const ck_rekey *with, ck_error *err) {
  ck_blob_row row;
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_LIST_BLOBS);
  ck_bind_int(&binder, *no);
  int code = ck_binder_next(&binder);
  *no = code == SQLITE_ROW ? sqlite3_column_int64(binder.stmt, 0) : 0;
  ck_status status = CK_OK;
  if (code == SQLITE_ROW && ck_sqlite_take_blob(&row, binder.stmt)) {
    status = with->blob(with->self, &row, err);
    ck_binder change = ck_binder_of(self->writer, CK_SQL_CHANGE_BLOB);
    ck_bind_int(&change, *no);
    ck_bind_blob(&change, bytes_of(&row.name));
    ck_bind_int(&change, row.encoding);
    ck_bind_blob(&change, row.body);
    if (status == CK_OK) status = ck_sqlite_write(self, &change, "change its key", err);
  } else if (code != SQLITE_ROW && code != SQLITE_DONE) {
    status = ck_sqlite_error(self, self->writer->db, code, "change its key", err);
  }
  ck_binder_clear(&binder);
  return status;
}

ck_status ck_sqlite_rekey_blobs(ck_sqlite *self, const ck_rekey *with, ck_error *err) {
  int64_t no = 0;
  ck_status status;
  do status = change_next(&no, self, with, err);
  while (status == CK_OK && no);
  return status;
}

void ck_sqlite_add_blobs(ck_backend *backend) {
  backend->put_blobs = put_blobs;
  backend->get_blob = get_blob;
  backend->list_blobs = list_blobs;
  backend->uses_blob = uses_blob;
}
