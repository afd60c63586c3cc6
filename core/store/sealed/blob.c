/* blob.c - seals files that are kept by their content, and opens them. */
#include <string.h>

#include "core/store/sealed/sealed.h"

static const char use[] = "file";

ck_status ck_sealed_encode_blob(ck_blob_row *row, const ck_sealer *with, ck_buffer *space,
                                ck_error *err) {
  ck_buffer_reset(space);
  ck_status status = ck_sealed_encode_bytes(space, with, use, "", row->body, err);
  if (status) return status;
  row->name = ck_seal_mask(with->seal, &row->name);
  row->encoding |= CK_ENCODING_SEALED;
  row->body = ck_buffer_bytes(space);
  return CK_OK;
}

ck_status ck_sealed_decode_blob(ck_blob_row *row, const ck_sealer *with, ck_buffer *space,
                                ck_error *err) {
  ck_buffer_reset(space);
  if (!(row->encoding & CK_ENCODING_SEALED) || !ck_sealed_is_sealed(row->body))
    return ck_error_set(err, CK_E_CORRUPT, "a kept %s is not sealed, in a store that has a key",
                        row->kind);
  ck_status status = ck_sealed_decode_bytes(space, with, use, "", row->body, err);
  if (status) return status;
  ck_digest digest = ck_digest_of(ck_buffer_bytes(space));
  ck_digest name = ck_seal_mask(with->seal, &digest);
  if (!ck_digest_equal(&name, &row->name))
    return ck_error_set(err, CK_E_CORRUPT, "a kept %s is not the one of its name", row->kind);
  row->name = digest;
  row->encoding &= ~CK_ENCODING_SEALED;
  row->body = ck_buffer_bytes(space);
  return CK_OK;
}

/* ---- the functions of backend.h ---- */

static const ck_sealed_home nowhere;

/* Rows lie in the arena until they are written. */
static ck_status encode_rows(ck_blob_row *out, ck_sealed *self, const ck_blob_row *rows,
                             size_t count, ck_error *err) {
  ck_sealer with = ck_sealed_sealer(self, &nowhere);
  ck_buffer space = {0};
  ck_status status = CK_OK;
  for (size_t i = 0; i < count && !status; i++) {
    out[i] = rows[i];
    status = ck_sealed_encode_blob(&out[i], &with, &space, err);
    char *body = status ? NULL : ck_arena_push(self->arena, space.len);
    if (!status && !body) status = ck_error_no_memory(err);
    if (status) break;
    memcpy(body, space.data, space.len);
    out[i].body = (ck_bytes){body, space.len};
  }
  ck_buffer_clear(&space);
  return status;
}

ck_status ck_sealed_encode_blobs(const ck_blob_row **rows, ck_sealed *self, size_t count,
                                 ck_error *err) {
  if (!count) return CK_OK;
  ck_blob_row *sealed = ck_arena_push(self->arena, count * sizeof *sealed);
  if (!sealed) return ck_error_no_memory(err);
  ck_status status = encode_rows(sealed, self, *rows, count, err);
  if (!status) *rows = sealed;
  return status;
}

static ck_status put_blobs(void *to, ck_lease lease, const ck_blob_row *rows, size_t count,
                           ck_error *err) {
  ck_sealed *self = to;
  ck_status status = ck_sealed_encode_blobs(&rows, self, count, err);
  return status ? status : self->inner.put_blobs(self->inner.self, lease, rows, count, err);
}

typedef struct opening {
  ck_sealed *sealed;
  ck_buffer space;
  ck_blob_row_visit visit;
  void *to;
} opening;

static bool open_row(void *to, const ck_blob_row *stored) {
  opening *self = to;
  ck_blob_row row = *stored;
  ck_error fault = CK_ERROR_INIT;
  ck_sealer with = ck_sealed_sealer(self->sealed, &nowhere);
  fault.status = ck_sealed_decode_blob(&row, &with, &self->space, &fault);
  if (fault.status) row.fault = &fault;
  return self->visit(self->to, &row);
}

static ck_status get_blob(void *to, const ck_digest *name, ck_blob_row_visit visit, void *visitor,
                          ck_error *err) {
  opening open = {.sealed = to, .visit = visit, .to = visitor};
  const ck_backend *inner = &open.sealed->inner;
  ck_digest masked = ck_seal_mask(open.sealed->seal, name);
  ck_status status = inner->get_blob(inner->self, &masked, open_row, &open, err);
  ck_buffer_clear(&open.space);
  return status;
}

static ck_status list_blobs(void *to, ck_blob_row_visit visit, void *visitor, ck_error *err) {
  opening open = {.sealed = to, .visit = visit, .to = visitor};
  const ck_backend *inner = &open.sealed->inner;
  ck_status status = inner->list_blobs(inner->self, open_row, &open, err);
  ck_buffer_clear(&open.space);
  return status;
}

static ck_status uses_blob(bool *out, void *to, int64_t session, const ck_digest *name,
                           ck_error *err) {
  const ck_sealed *self = to;
  ck_digest masked = ck_seal_mask(self->seal, name);
  return self->inner.uses_blob(out, self->inner.self, session, &masked, err);
}

void ck_sealed_add_blobs(ck_backend *out) {
  const ck_backend *inner = &((ck_sealed *)out->self)->inner;
  if (!inner->put_blobs || !inner->get_blob || !inner->list_blobs) return;
  out->put_blobs = put_blobs;
  out->get_blob = get_blob;
  out->list_blobs = list_blobs;
  if (inner->uses_blob) out->uses_blob = uses_blob;
}
