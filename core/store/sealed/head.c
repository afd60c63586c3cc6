/* head.c - seals and signs the row that says how far a session has come, checks and opens it. */
#include <string.h>

#include "core/store/sealed/sealed.h"

static void begin(ck_digester *out, const char *use, const ck_sealer *with,
                  const ck_head_row *row) {
  ck_digester_init(out);
  ck_digester_update_field(out, ck_bytes_text(use));
  ck_digester_update(out, with->key->bytes, sizeof with->key->bytes);
  ck_digester_update_field(out, ck_bytes_text(with->home->id));
  ck_digester_update_int(out, with->home->created_ms);
  ck_digester_update_int(out, (int64_t)row->epoch);
  ck_digester_update_int(out, (int64_t)row->status);
  ck_digester_update_int(out, row->seq);
}

static ck_digest location_of(const ck_sealer *with, const ck_head_row *row) {
  ck_digester digester;
  begin(&digester, "ckrun sealed head 1", with, row);
  return ck_digester_final(&digester);
}

/* Over the digest as it is stored. */
static ck_digest sign(const ck_sealer *with, const ck_head_row *row) {
  ck_digester digester;
  begin(&digester, "ckrun signed head 1", with, row);
  ck_digester_update_field(&digester, ck_head_row_digest(row));
  ck_digest what = ck_digester_final(&digester);
  return ck_seal_sign(with->seal, &what);
}

void ck_sealed_encode_head(ck_head_row *row, const ck_sealer *with) {
  if (row->seq == 0) return;
  if (!with->signs_only) {
    ck_digest location = location_of(with, row);
    memmove(row->digest + CK_SEAL_NONCE, row->digest, CK_DIGEST_SIZE);
    ck_seal_encode(with->seal, (char *)row->digest, CK_DIGEST_SIZE, &location);
    row->digest_len = sizeof row->digest;
  }
  ck_digest signature = sign(with, row);
  row->is_signed = true;
  memcpy(row->mac, signature.bytes, sizeof row->mac);
  memcpy(row->key_id, with->key->bytes, sizeof row->key_id);
}

static ck_status check_key(const ck_head_row *row, const ck_sealer *with, ck_error *err) {
  char theirs[CK_KEY_ID_TEXT_SIZE], ours[CK_KEY_ID_TEXT_SIZE];
  ck_key_id id;
  if (!row->is_signed)
    return ck_error_set(err, CK_E_CORRUPT, "its head is not signed, in a store that has a key");
  memcpy(id.bytes, row->key_id, sizeof id.bytes);
  if (ck_key_id_equal(&id, with->key)) return CK_OK;
  ck_key_id_hex(theirs, &id);
  ck_key_id_hex(ours, with->key);
  return ck_error_set(err, CK_E_WRONG_KEY,
                      "its head is signed with the key %s; the store's key is %s", theirs, ours);
}

static bool open_digest(ck_head_row *row, const ck_sealer *with) {
  char plain[CK_DIGEST_SIZE];
  if (row->digest_len == CK_DIGEST_SIZE) return true;
  ck_digest location = location_of(with, row);
  if (!ck_seal_decode(plain, with->seal, ck_head_row_digest(row), &location)) return false;
  memcpy(row->digest, plain, sizeof plain);
  row->digest_len = sizeof plain;
  return true;
}

ck_status ck_sealed_decode_head(ck_head_row *row, const ck_sealer *with, ck_error *err) {
  if (row->seq == 0) return CK_OK;
  ck_status status = check_key(row, with, err);
  if (status) return status;
  ck_digest signature = sign(with, row), given;
  memcpy(given.bytes, row->mac, sizeof given.bytes);
  if (ck_digest_equal(&given, &signature) && open_digest(row, with)) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "its head is not what was written, or of another session: its signature "
                      "differs");
}

ck_status ck_sealed_get_head(ck_head_row *out, void *to, int64_t session, ck_error *err) {
  ck_sealed *self = to;
  ck_sealed_home home;
  *out = (ck_head_row){0};
  ck_status status = self->inner.get_head(out, self->inner.self, session, err);
  if (status || out->seq == 0) return status;
  status = ck_sealed_get_home(&home, self, session, err);
  if (status) return status;
  ck_sealer with = ck_sealed_sealer(self, &home);
  return ck_sealed_decode_head(out, &with, err);
}

ck_status ck_sealed_get_about(ck_value **out, char run[CK_ID_SIZE], void *to, int64_t session,
                              int64_t timeline, ck_error *err) {
  ck_sealed *self = to;
  ck_value *stored;
  ck_sealed_home nowhere = {.created_ms = 0};
  ck_sealer with = ck_sealed_sealer(self, &nowhere);
  *out = NULL;
  ck_status status = self->inner.get_about(&stored, run, self->inner.self, session, timeline, err);
  if (status) return status;
  status = ck_sealed_decode_value(out, &with, "about", run, stored, err);
  if (status && status != CK_E_NO_MEMORY) ck_error_prefix(err, "%s", run);
  ck_value_free(stored);
  return status;
}
