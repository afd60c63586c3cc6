/* key.c - the entry about the store's key, in meta. */
#include <string.h>

#include "core/store/sqlite/sqlite.h"

static ck_status read_entry(ck_buffer *out, const ck_sqlite *self, ck_connection *connection,
                            ck_error *err) {
  ck_status status = CK_OK;
  ck_binder binder = ck_binder_of(connection, CK_SQL_GET_KEY);
  int code = ck_binder_next(&binder);
  if (code == SQLITE_ROW && !sqlite3_column_int(binder.stmt, 1))
    status = ck_error_set(
        err, CK_E_CORRUPT,
        "store %s: its entry about its key is not what was written: its check differs", self->path);
  else if (code == SQLITE_ROW)
    ck_buffer_append(out, sqlite3_column_blob(binder.stmt, 0),
                     (size_t)sqlite3_column_bytes(binder.stmt, 0));
  else if (code != SQLITE_DONE)
    status = ck_sqlite_error(self, connection->db, code, "read the entry about its key", err);
  ck_binder_clear(&binder);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

static ck_status get_key_entry(ck_buffer *out, void *to, ck_error *err) {
  ck_sqlite *self = to;
  ck_connection *reader;
  ck_buffer_reset(&self->key_entry);
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  status = read_entry(&self->key_entry, self, reader, err);
  ck_sqlite_put_reader(self, reader);
  ck_buffer_append_bytes(out, ck_buffer_bytes(&self->key_entry));
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

static ck_status compare_key_entry(ck_buffer *out, bool *same, void *to, ck_error *err) {
  ck_sqlite *self = to;
  ck_connection *reader;
  *same = false;
  ck_status status = ck_sqlite_get_reader(&reader, self, err);
  if (status != CK_OK) return status;
  status = read_entry(out, self, reader, err);
  ck_sqlite_put_reader(self, reader);
  *same = ck_bytes_equal(ck_buffer_bytes(out), ck_buffer_bytes(&self->key_entry));
  return status;
}

/* A process that opened the store before its key was changed still has the old one. */
ck_status ck_sqlite_check_key_by(ck_sqlite *self, ck_connection *connection, ck_error *err) {
  ck_buffer now = {0};
  ck_status status = read_entry(&now, self, connection, err);
  bool same =
      status == CK_OK && ck_bytes_equal(ck_buffer_bytes(&now), ck_buffer_bytes(&self->key_entry));
  ck_buffer_clear(&now);
  if (status != CK_OK || same) return status;
  return ck_error_set(err, CK_E_OTHER_KEY,
                      "store %s: its key was changed since it was opened: try again with that one",
                      self->path);
}

ck_status ck_sqlite_check_key(ck_sqlite *self, ck_error *err) {
  return ck_sqlite_check_key_by(self, self->writer, err);
}

static ck_status put_rows(ck_sqlite *self, ck_bytes entry, ck_error *err) {
  ck_binder binder = ck_binder_of(self->writer, CK_SQL_PUT_KEY);
  ck_bind_blob(&binder, entry);
  ck_status status = ck_sqlite_write(self, &binder, "note its key", err);
  if (status != CK_OK) return status;
  if (sqlite3_changes64(self->writer->db) == 1) return ck_inventory_make(self, 0, err);
  return ck_error_set(err, CK_E_REFUSED, "store %s is not empty", self->path);
}

static ck_status put_key_entry(void *to, ck_bytes entry, ck_error *err) {
  ck_sqlite *self = to;
  ck_status status = ck_sqlite_begin(self, CK_DURABLE_POWER, err);
  if (status != CK_OK) return status;
  status = ck_sqlite_end(self, put_rows(self, entry, err), err);
  if (status != CK_OK) return status;
  ck_buffer_reset(&self->key_entry);
  ck_buffer_append_bytes(&self->key_entry, entry);
  return ck_buffer_check(&self->key_entry, err);
}

static void use_seal(void *to, const ck_seal *seal, bool is_signed) {
  ck_sqlite *self = to;
  self->seal = seal;
  self->signs = is_signed;
}

void ck_sqlite_add_key(ck_backend *backend) {
  backend->get_key_entry = get_key_entry;
  backend->compare_key_entry = compare_key_entry;
  backend->put_key_entry = put_key_entry;
  backend->use_seal = use_seal;
}
