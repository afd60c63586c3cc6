/* payload.c - checks a payload from the outside in: format, encoding and length, digest, frame,
 * head. */
#include "core/store/format/payload.h"

#include <string.h>

#include "core/store/format/chain.h"
#include "core/store/format/row.h"

void ck_payload_clear(ck_payload *self) {
  ck_compress_clear(&self->compress);
  ck_buffer_clear(&self->space);
}

ck_status ck_payload_error(ck_status status, ck_error *err, const char *session_id,
                           const ck_checkpoint_row *row) {
  if (status)
    ck_error_prefix(err, "session %s, checkpoint %s (seq %lld)", session_id, row->id,
                    (long long)row->seq);
  return status;
}

void ck_payload_init(ck_payload *self, const char *session_id) {
  *self = (ck_payload){.head = ck_codec_head_of(session_id, 0)};
}

static ck_status check_head(const ck_payload *self, const ck_codec_reader *reader,
                            const ck_checkpoint_row *row, ck_error *err) {
  if (memcmp(self->head.tag, reader->head.tag, sizeof self->head.tag) != 0)
    return ck_error_set(err, CK_E_WRONG_SESSION, "its payload belongs to another session");
  if (row->seq != reader->head.seq)
    return ck_error_set(err, CK_E_CORRUPT, "its payload belongs to seq %lld",
                        (long long)reader->head.seq);
  if (reader->change_count != (uint64_t)row->changed)
    return ck_error_set(err, CK_E_CORRUPT, "its payload changes %llu keys, its row says %lld",
                        (unsigned long long)reader->change_count, (long long)row->changed);
  if ((reader->form == CK_CODEC_KEYFRAME) != (row->keyframe == row->seq))
    return ck_error_set(err, CK_E_CORRUPT,
                        "its payload and its row differ on whether it is a keyframe");
  return CK_OK;
}

static ck_status check_row(const ck_checkpoint_row *row, ck_error *err) {
  if (row->fault) return ck_row_check_fault(row->fault, err);
  if (row->format > CK_PAYLOAD_FORMAT)
    return ck_error_set(err, CK_E_NEWER, "its payload has format %d; this version knows up to %d",
                        row->format, CK_PAYLOAD_FORMAT);
  if (row->format < 1)
    return ck_error_set(err, CK_E_CORRUPT, "its payload has format %d", row->format);
  return CK_OK;
}

/* ---- pruned checkpoints ---- */

bool ck_payload_is_pruned(const ck_checkpoint_row *row) {
  return (row->encoding & CK_ENCODING_PRUNED) != 0;
}
bool ck_payload_is_stub(const ck_checkpoint_row *row) {
  return ck_payload_is_pruned(row) && row->payload.len == 0;
}

ck_digest ck_payload_hide(const ck_digest *digest) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update(&digester, "ckrun hidden 1", 14);
  ck_digester_update(&digester, digest->bytes, sizeof digest->bytes);
  return ck_digester_final(&digester);
}

/* The digest of a checkpoint that would be its own parent, with these words for its changed
 * section: no real checkpoint has it. */
ck_digest ck_payload_seal(const ck_checkpoint_row *row, const char *session_id) {
  return ck_chain_digest_checkpoint(row, session_id, &row->digest, ck_bytes_text("ckrun pruned 1"));
}

ck_status ck_payload_check_stub(const ck_checkpoint_row *row, const char *session_id,
                                ck_error *err) {
  ck_status status = check_row(row, err);
  if (status) return status;
  ck_digest seal = ck_payload_seal(row, session_id);
  bool bare = row->encoding == CK_ENCODING_PRUNED && row->keyframe == 0 && row->plain_len == 0 &&
              row->payload.len == 0;
  if (bare && ck_digest_equal(&seal, &row->payload_digest)) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "it was pruned, and what is left of it is not what was left (seal)");
}

/* ---- whole ones ---- */

/* Decodes before the digest is compared: a truncated payload fails its digest like any other
 * damage, and only decoding distinguishes the two. */
ck_status ck_payload_open(ck_codec_reader *out, ck_payload *self, const ck_checkpoint_row *row,
                          ck_error *err) {
  ck_bytes plain;
  *out = (ck_codec_reader){0};
  ck_status status = check_row(row, err);
  if (status) return status;
  ck_stored stored = {row->encoding & ~CK_ENCODING_PRUNED, row->plain_len, row->payload};
  status = ck_compress_decode(&plain, &self->compress, &self->space, &stored, err);
  if (status) {
    ck_error_prefix(err, "payload");
    return status;
  }
  ck_digest digest = ck_digest_of(row->payload);
  if (ck_payload_is_pruned(row)) digest = ck_payload_hide(&digest);
  if (!ck_digest_equal(&digest, &row->payload_digest))
    return ck_error_set(err, CK_E_CORRUPT, "its payload is not the one that was written (digest)");
  status = ck_codec_open(out, plain, err);
  return status ? status : check_head(self, out, row, err);
}
