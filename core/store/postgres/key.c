/* key.c - the entry about the store's key, in meta. */
#include "core/store/postgres/postgres.h"

static const char doing[] = "read the entry about its key";

static void bind_name(ck_postgres_query *query) {
  *query = (ck_postgres_query){.sql = CK_POSTGRES_GET_META};
  ck_postgres_bind_text(query, "key");
}

static ck_status append_entry(ck_buffer *out, ck_postgres *self, PGresult *result, ck_error *err) {
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (row.count) ck_buffer_append_bytes(out, ck_postgres_bytes(&row, 0));
  self->pq->clear(result);
  return ck_buffer_check(out, err);
}

static ck_status compare_key_entry(ck_buffer *out, bool *same, void *to, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query;
  *same = false;
  bind_name(&query);
  ck_status status = ck_postgres_read(&result, self, &query, doing, err);
  if (status == CK_OK) status = append_entry(out, self, result, err);
  *same = ck_bytes_equal(ck_buffer_bytes(out), ck_buffer_bytes(&self->key_entry));
  return status;
}

static ck_status get_key_entry(ck_buffer *out, void *to, ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query;
  ck_buffer_reset(&self->key_entry);
  bind_name(&query);
  ck_status status = ck_postgres_read(&result, self, &query, doing, err);
  if (status == CK_OK) status = append_entry(&self->key_entry, self, result, err);
  ck_buffer_append_bytes(out, ck_buffer_bytes(&self->key_entry));
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

ck_status ck_postgres_check_key(ck_postgres *self, ck_error *err) {
  PGresult *result;
  ck_postgres_query query;
  ck_buffer now = {0};
  bind_name(&query);
  ck_status status = ck_postgres_run(&result, self->writer, &query, doing, err);
  ck_postgres_query_clear(&query);
  if (status == CK_OK) status = append_entry(&now, self, result, err);
  bool same =
      status == CK_OK && ck_bytes_equal(ck_buffer_bytes(&now), ck_buffer_bytes(&self->key_entry));
  ck_buffer_clear(&now);
  if (status != CK_OK || same) return status;
  return ck_error_set(err, CK_E_OTHER_KEY,
                      "store %s: its key was changed since it was opened: try again with that one",
                      self->url.name);
}

static ck_status put_entry(ck_postgres *self, ck_bytes entry, ck_error *err) {
  int rows = 0;
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_KEY};
  ck_postgres_bind_blob(&query, entry);
  ck_status status = ck_postgres_write(&rows, self->writer, &query, "note its key", err);
  if (status != CK_OK || rows == 1) return status;
  return ck_error_set(err, CK_E_REFUSED, "store %s is not empty", self->url.name);
}

/* Alone: whoever makes a session or a fact has looked at the entry, and has ended, or looks later.
 */
static ck_status put_key_entry(void *to, ck_bytes entry, ck_error *err) {
  ck_postgres *self = to;
  ck_status status = ck_postgres_begin_alone(self, err);
  if (status != CK_OK) return status;
  status = ck_postgres_end(self, put_entry(self, entry, err), err);
  if (status != CK_OK) return status;
  ck_buffer_reset(&self->key_entry);
  ck_buffer_append_bytes(&self->key_entry, entry);
  return ck_buffer_check(&self->key_entry, err);
}

void ck_postgres_add_key(ck_backend *backend) {
  backend->get_key_entry = get_key_entry;
  backend->compare_key_entry = compare_key_entry;
  backend->put_key_entry = put_key_entry;
}
