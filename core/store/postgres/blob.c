/* blob.c - bytes that are kept by their content, in the tables blob and blob_use. */
#include <string.h>

#include "core/store/postgres/postgres.h"

static const char doing_put[] = "keep a file", doing_read[] = "read a file that it keeps";

static ck_bytes bytes_of(const ck_digest *digest) {
  return (ck_bytes){(const char *)digest->bytes, CK_DIGEST_SIZE};
}

static ck_status uses_blob(bool *out, void *to, int64_t session, const ck_digest *name,
                           ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_postgres_query query = {.sql = CK_POSTGRES_USES_BLOB};
  *out = false;
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_blob(&query, bytes_of(name));
  ck_status status = ck_postgres_read(&result, self, &query, doing_read, err);
  if (status != CK_OK) return status;
  *out = self->pq->ntuples(result) > 0;
  self->pq->clear(result);
  return CK_OK;
}

static ck_status put_row(ck_postgres *self, int64_t session, const ck_blob_row *row,
                         ck_error *err) {
  ck_postgres_query query = {.sql = CK_POSTGRES_PUT_BLOB};
  ck_postgres_bind_int(&query, session);
  ck_postgres_bind_blob(&query, bytes_of(&row->name));
  ck_postgres_bind_text(&query, row->kind);
  ck_postgres_bind_int(&query, row->encoding);
  ck_postgres_bind_int(&query, row->plain_len);
  ck_postgres_bind_blob(&query, row->body);
  return ck_postgres_write(NULL, self->writer, &query, doing_put, err);
}

static ck_status put_blobs(void *to, ck_lease lease, const ck_blob_row *rows, size_t count,
                           ck_error *err) {
  ck_postgres *self = to;
  bool all = true;
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && all && status == CK_OK; i++)
    status = uses_blob(&all, self, lease.session, &rows[i].name, err);
  if (status != CK_OK || all) return status;
  status = ck_postgres_begin(self, CK_DURABLE_PROCESS, err);
  if (status != CK_OK) return status;
  status = ck_postgres_check_lease(self, lease, err);
  if (status == CK_OK) status = ck_postgres_check_key(self, err);
  for (size_t i = 0; i < count && status == CK_OK; i++)
    status = put_row(self, lease.session, &rows[i], err);
  return ck_postgres_end(self, status, err);
}

/* ---- reading ---- */

bool ck_postgres_take_blob(ck_blob_row *out, const ck_postgres_row *row) {
  ck_bytes name = ck_postgres_bytes(row, 1);
  *out = (ck_blob_row){.kind = ck_postgres_text(row, 2),
                       .encoding = (int)ck_postgres_int(row, 3),
                       .plain_len = ck_postgres_int(row, 4),
                       .body = ck_postgres_bytes(row, 5)};
  if (name.len != CK_DIGEST_SIZE || !out->kind) return false;
  memcpy(out->name.bytes, name.data, CK_DIGEST_SIZE);
  return true;
}

static ck_status get_blob(void *to, const ck_digest *name, ck_blob_row_visit visit, void *visitor,
                          ck_error *err) {
  ck_postgres *self = to;
  PGresult *result;
  ck_blob_row blob;
  ck_postgres_query query = {.sql = CK_POSTGRES_GET_BLOB};
  ck_postgres_bind_blob(&query, bytes_of(name));
  ck_status status = ck_postgres_read(&result, self, &query, doing_read, err);
  if (status != CK_OK) return status;
  ck_postgres_row row = ck_postgres_first(self->pq, result);
  if (!row.count)
    status = ck_error_set(err, CK_E_NOT_FOUND, "it is not kept");
  else if (!ck_postgres_take_blob(&blob, &row))
    status = ck_error_set(err, CK_E_CORRUPT, "what store %s keeps of it is not what was written",
                          self->url.name);
  else
    visit(visitor, &blob);
  self->pq->clear(result);
  return status;
}

static ck_status list_blobs(void *to, ck_blob_row_visit visit, void *visitor, ck_error *err) {
  ck_postgres *self = to;
  int64_t last = 0;
  bool more = true;
  while (more) {
    PGresult *page;
    ck_blob_row blob;
    ck_postgres_query query = {.sql = CK_POSTGRES_LIST_BLOBS};
    ck_postgres_bind_int(&query, last);
    ck_status status = ck_postgres_read(&page, self, &query, doing_read, err);
    if (status != CK_OK) return status;
    ck_postgres_row row = ck_postgres_first(self->pq, page);
    more = row.count > 0;
    for (; row.at < row.count && more; row.at++) {
      last = ck_postgres_int(&row, 0);
      if (ck_postgres_take_blob(&blob, &row)) more = visit(visitor, &blob);
    }
    self->pq->clear(page);
  }
  return CK_OK;
}

void ck_postgres_add_blobs(ck_backend *backend) {
  backend->put_blobs = put_blobs;
  backend->get_blob = get_blob;
  backend->list_blobs = list_blobs;
  backend->uses_blob = uses_blob;
}
