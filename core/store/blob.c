/* blob.c - bytes that are kept by their content: rows of them, and whether they still are it. */
#include "core/store/blob.h"

#include "core/store/store_core.h"
#include "core/store/verify_walk.h"

bool ck_store_keeps_blobs(const ck_store *self) {
  return ck_backend_can(&self->backend, CK_BACKEND_BLOB);
}

static ck_status put(ck_store *self, ck_lease lease, const ck_blob *list, size_t count,
                     ck_error *err) {
  const ck_blob_row *rows;
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_BLOB, self->url, err);
  if (!status) status = ck_store_core_encode_blobs(&rows, self, list, count, err);
  return status ? status : self->backend.put_blobs(self->backend.self, lease, rows, count, err);
}

ck_status ck_store_put_blobs(ck_store *self, ck_lease lease, const ck_blob *list, size_t count,
                             ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  return ck_store_core_end_write(self, put(self, lease, list, count, err), err);
}

static bool is_its_content(const ck_blob_row *row) {
  ck_digest digest = ck_digest_of(row->body);
  return row->encoding == CK_ENCODING_PLAIN && row->plain_len == (int64_t)row->body.len &&
         ck_digest_equal(&digest, &row->name);
}

static ck_status refuse(const ck_blob_row *row, const ck_store *self, ck_error *err) {
  char name[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(name, &row->name);
  return ck_error_set(err, CK_E_CORRUPT,
                      "the %s that store %s keeps as %s is not what was written: its digest "
                      "differs",
                      row->kind, self->url, name);
}

typedef struct reading {
  const ck_store *store;
  const ck_digest *digest; /* what was asked for */
  ck_buffer *out;
  ck_status status;
  ck_error *err;
} reading;

static bool take(void *to, const ck_blob_row *row) {
  reading *self = to;
  if (row->fault)
    self->status = ck_error_set(self->err, row->fault->status, "%s", row->fault->text);
  else if (!is_its_content(row) || !ck_digest_equal(&row->name, self->digest))
    self->status = refuse(row, self->store, self->err);
  else
    ck_buffer_append_bytes(self->out, row->body);
  return false;
}

ck_status ck_store_get_blob(ck_buffer *out, ck_store *self, const ck_digest *digest,
                            ck_error *err) {
  reading read = {.store = self, .digest = digest, .out = out, .err = err};
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_BLOB, self->url, err);
  if (!status) status = self->backend.get_blob(self->backend.self, digest, take, &read, err);
  if (!status) status = read.status;
  return status ? status : ck_buffer_check(out, err);
}

/* ---- verify ---- */

static bool verify_one(void *to, const ck_blob_row *row) {
  ck_verify *self = to;
  ck_error found = CK_ERROR_INIT;
  if (row->fault)
    found = *row->fault;
  else if (!is_its_content(row))
    (void)refuse(row, self->store, &found);
  self->status = ck_verify_add_error(self, 0, found.status, &found);
  return !self->status;
}

ck_status ck_verify_blobs(ck_verify *self) {
  const ck_backend *backend = &self->store->backend;
  if (!ck_backend_can(backend, CK_BACKEND_BLOB)) return CK_OK;
  self->status = CK_OK;
  ck_status status = backend->list_blobs(backend->self, verify_one, self, self->err);
  return status ? status : self->status;
}
