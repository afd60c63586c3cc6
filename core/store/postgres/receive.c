/* receive.c - fills an empty store with the rows that are given, in one transaction. */
#include "core/store/postgres/postgres.h"

static const char doing[] = "copy into it";

static ck_status put_meta(ck_postgres *self, const char *key, ck_bytes value, ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_RECEIVE_META};
  ck_postgres_bind_text(&query, key);
  ck_postgres_bind_blob(&query, value);
  return ck_postgres_write(NULL, self->writer, &query, doing, err);
}

static ck_status put_identity(ck_postgres *self, const ck_receiving *what, ck_error *err) {
  ck_bytes salt = {(const char *)what->fingerprint_key, sizeof self->fingerprint_key};
  ck_status status = put_meta(self, "fingerprint_key", salt, err);
  if (status != CK_OK || !what->key_entry.len) return status;
  return put_meta(self, "key", what->key_entry, err);
}

static ck_status check_empty(ck_postgres *self, ck_error *err) {
  int rows;
  ck_postgres_query query = {.sql = CK_POSTGRES_IS_USED};
  ck_status status = ck_postgres_write(&rows, self->writer, &query, doing, err);
  if (status != CK_OK || !rows) return status;
  return ck_error_set(err, CK_E_EXISTS,
                      "store %s is not empty, and a copy replaces nothing: name another schema "
                      "with ?schema=",
                      self->url.name);
}

typedef struct filling {
  const ck_backend *made;
  const ck_receiving *what;
} filling;

static ck_status fill(void *to, const ck_copy_sink *sink, ck_error *err) {
  const filling *self = to;
  return self->what->fill(self->what->to, sink, self->made, err);
}

static ck_status receive(const ck_backend *made, const ck_receiving *what, ck_error *err) {
  ck_postgres *self = made->self;
  ck_status status = ck_postgres_begin_alone(self, err);
  if (status != CK_OK) return status;
  status = ck_postgres_exec(self->writer, "SET LOCAL idle_in_transaction_session_timeout = 0",
                            doing, err);
  if (status == CK_OK) status = check_empty(self, err);
  if (status == CK_OK) status = put_identity(self, what, err);
  filling with = {made, what};
  if (status == CK_OK) status = ck_postgres_take_rows(self, fill, &with, err);
  if (status == CK_OK)
    status = ck_postgres_exec(self->writer,
                              "SELECT setval(pg_get_serial_sequence('session', 'no'),"
                              " (SELECT max(no) FROM session)) FROM session LIMIT 1",
                              doing, err);
  return ck_postgres_end(self, status, err);
}

ck_status ck_backend_receive_postgres(const char *url, const ck_receiving *what, ck_error *err) {
  ck_backend made = {0};
  ck_store_options options = {.create = true};
  ck_status status = ck_backend_open_postgres(&made, url, &options, err);
  if (status == CK_OK) status = receive(&made, what, err);
  if (made.close) made.close(made.self);
  return status;
}
