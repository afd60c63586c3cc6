/* row.c - seals and signs one row, checks and opens it. */
#include <string.h>

#include "core/store/format/row.h"
#include "core/store/sealed/sealed.h"

enum { CHECK_SIZE = 8, DIGESTS_SIZE = 3 * CK_DIGEST_SIZE };

/* ---- the location of bytes: associated data of the seal, and content of signatures ---- */

static void begin(ck_digester *out, const char *use, const ck_sealer *with) {
  ck_digester_init(out);
  ck_digester_update_field(out, ck_bytes_text(use));
  ck_digester_update(out, with->key->bytes, sizeof with->key->bytes);
  ck_digester_update_field(out, ck_bytes_text(with->home->id));
  ck_digester_update_int(out, with->home->created_ms);
}

static void update_ints(ck_digester *to, const int64_t *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) ck_digester_update_int(to, numbers[i]);
}

static void update_event(ck_digester *to, const ck_event_row *row) {
  const int64_t numbers[] = {row->seq,      row->timeline,  (int64_t)row->kind, row->at_ms,
                             row->encoding, row->plain_len, row->agent != NULL};
  update_ints(to, numbers, sizeof numbers / sizeof *numbers);
  ck_digester_update_field(to, ck_bytes_text(row->scope));
  ck_digester_update_field(to, ck_bytes_text(row->agent));
}

static ck_digest location_of_event(const ck_sealer *with, const ck_event_row *row) {
  ck_digester digester;
  begin(&digester, "ckrun sealed event 1", with);
  update_event(&digester, row);
  return ck_digester_final(&digester);
}

static ck_digest sign_event(const ck_sealer *with, const ck_event_row *row) {
  ck_digester digester;
  begin(&digester, "ckrun signed event 1", with);
  update_event(&digester, row);
  ck_digester_update_int(&digester, row->check);
  ck_digester_update_field(&digester, row->body);
  if (row->decision.len) ck_digester_update_field(&digester, row->decision);
  ck_digest what = ck_digester_final(&digester);
  return ck_seal_sign(with->seal, &what);
}

static ck_digest location_of_info(const ck_sealer *with, const ck_checkpoint_row *row) {
  ck_digester digester;
  begin(&digester, "ckrun sealed info 1", with);
  ck_digester_update_field(&digester, ck_bytes_text(row->id));
  ck_digester_update_int(&digester, row->seq);
  return ck_digester_final(&digester);
}

/* Contains the checkpoint's digest, which depends on its parent's; not CK_ENCODING_PRUNED, because
 * a payload stays unchanged when its checkpoint is pruned and the payload hidden. */
static ck_digest location_of_payload(const ck_sealer *with, const ck_checkpoint_row *row) {
  ck_digester digester;
  const int64_t numbers[] = {row->seq, (int64_t)row->kind, row->format,
                             row->encoding & CK_ENCODING_ZSTD, row->plain_len};
  begin(&digester, "ckrun sealed payload 1", with);
  ck_digester_update(&digester, row->digest.bytes, sizeof row->digest.bytes);
  update_ints(&digester, numbers, sizeof numbers / sizeof *numbers);
  return ck_digester_final(&digester);
}

/* The signature of an opened row, with the encoding of the stored one. It covers the payload by its
 * digest. */
static ck_digest sign_checkpoint(const ck_sealer *with, const ck_checkpoint_row *row,
                                 int encoding) {
  ck_digester digester;
  int64_t numbers[CK_CHECKPOINT_ROW_INTS];
  ck_checkpoint_row_ints(numbers, row);
  numbers[CK_CHECKPOINT_ROW_ENCODING] = encoding;
  begin(&digester, "ckrun signed checkpoint 1", with);
  ck_digester_update_field(&digester, ck_bytes_text(row->id));
  update_ints(&digester, numbers, CK_CHECKPOINT_ROW_INTS);
  ck_digester_update(&digester, row->events_digest.bytes, CK_DIGEST_SIZE);
  ck_digester_update(&digester, row->payload_digest.bytes, CK_DIGEST_SIZE);
  ck_digester_update(&digester, row->digest.bytes, CK_DIGEST_SIZE);
  ck_digester_update_field(&digester, row->info);
  ck_digest what = ck_digester_final(&digester);
  return ck_seal_sign(with->seal, &what);
}

/* ---- sealing ---- */

/* Seals `before` and `bytes` as one text. */
static ck_status seal(ck_bytes *out, const ck_sealer *with, const ck_digest *location,
                      ck_bytes before, ck_bytes bytes, ck_arena *arena) {
  size_t len = before.len + bytes.len;
  char *to = ck_arena_push(arena, len + CK_SEAL_OVERHEAD);
  if (!to) return CK_E_NO_MEMORY;
  char *at = to + CK_SEAL_NONCE;
  if (before.len) memcpy(at, before.data, before.len);
  if (bytes.len) memcpy(at + before.len, bytes.data, bytes.len);
  ck_seal_encode(with->seal, to, len, location);
  *out = (ck_bytes){to, len + CK_SEAL_OVERHEAD};
  return CK_OK;
}

static ck_status put_signature(ck_bytes *mac, ck_bytes *key_id, const ck_sealer *with,
                               const ck_digest *signature, ck_arena *arena) {
  char *to = ck_arena_push(arena, CK_DIGEST_SIZE + CK_KEY_ID_SIZE);
  if (!to) return CK_E_NO_MEMORY;
  memcpy(to, signature->bytes, CK_DIGEST_SIZE);
  memcpy(to + CK_DIGEST_SIZE, with->key->bytes, CK_KEY_ID_SIZE);
  *mac = (ck_bytes){to, CK_DIGEST_SIZE};
  *key_id = (ck_bytes){to + CK_DIGEST_SIZE, CK_KEY_ID_SIZE};
  return CK_OK;
}

static ck_status seal_event(ck_event_row *row, const ck_sealer *with, ck_arena *arena) {
  row->encoding |= CK_ENCODING_SEALED;
  ck_digest location = location_of_event(with, row);
  ck_bytes check = {(const char *)&row->check, CHECK_SIZE};
  ck_status status = seal(&row->body, with, &location, check, row->body, arena);
  row->check = 0;
  return status;
}

ck_status ck_sealed_encode_event(ck_event_row *row, const ck_sealer *with, ck_arena *arena,
                                 ck_error *err) {
  ck_status status = with->signs_only ? CK_OK : seal_event(row, with, arena);
  ck_digest signature = sign_event(with, row);
  if (!status) status = put_signature(&row->mac, &row->key_id, with, &signature, arena);
  return status ? ck_error_no_memory(err) : CK_OK;
}

static ck_status seal_checkpoint(ck_checkpoint_row *row, const ck_sealer *with, ck_arena *arena) {
  char digests[DIGESTS_SIZE];
  ck_digest location = location_of_payload(with, row);
  ck_status status = row->payload.len ? seal(&row->payload, with, &location, (ck_bytes){NULL, 0},
                                             row->payload, arena)
                                      : CK_OK;
  memcpy(digests, row->events_digest.bytes, CK_DIGEST_SIZE);
  memcpy(digests + CK_DIGEST_SIZE, row->payload_digest.bytes, CK_DIGEST_SIZE);
  memcpy(digests + 2 * CK_DIGEST_SIZE, row->digest.bytes, CK_DIGEST_SIZE);
  location = location_of_info(with, row);
  if (!status)
    status =
        seal(&row->info, with, &location, (ck_bytes){digests, sizeof digests}, row->info, arena);
  row->encoding |= CK_ENCODING_SEALED;
  row->events_digest = row->payload_digest = (ck_digest){{0}};
  row->digest = ck_seal_mask(with->seal, &row->digest);
  return status;
}

ck_status ck_sealed_encode_checkpoint(ck_checkpoint_row *row, const ck_sealer *with,
                                      ck_arena *arena, ck_error *err) {
  int encoding = row->encoding | (with->signs_only ? 0 : CK_ENCODING_SEALED);
  ck_digest signature = sign_checkpoint(with, row, encoding);
  ck_status status = with->signs_only ? CK_OK : seal_checkpoint(row, with, arena);
  if (!status) status = put_signature(&row->mac, &row->key_id, with, &signature, arena);
  return status ? ck_error_no_memory(err) : CK_OK;
}

/* ---- opening ---- */

static ck_status check_key(const ck_sealer *with, ck_bytes mac, ck_bytes key_id, ck_error *err) {
  ck_key_id id;
  char theirs[CK_KEY_ID_TEXT_SIZE], ours[CK_KEY_ID_TEXT_SIZE];
  if (mac.len == 0 && key_id.len == 0)
    return ck_error_set(err, CK_E_CORRUPT, "is not signed, in a store that has a key");
  if (mac.len != CK_DIGEST_SIZE || !ck_key_id_read(&id, key_id))
    return ck_error_set(err, CK_E_CORRUPT, "has no whole signature");
  if (ck_key_id_equal(&id, with->key)) return CK_OK;
  ck_key_id_hex(theirs, &id);
  ck_key_id_hex(ours, with->key);
  return ck_error_set(err, CK_E_WRONG_KEY, "is signed with the key %s; the store's key is %s",
                      theirs, ours);
}

static bool is_signature(ck_bytes mac, const ck_digest *signature) {
  ck_digest given;
  memcpy(given.bytes, mac.data, sizeof given.bytes);
  return ck_digest_equal(&given, signature);
}

static ck_status unsigned_error(ck_error *err) {
  return ck_error_set(
      err, CK_E_CORRUPT,
      "is not what was written, or not where it was written: its signature differs");
}

ck_status ck_sealed_decode_event(ck_event_row *row, const ck_sealer *with, ck_buffer *space,
                                 ck_error *err) {
  ck_status status = check_key(with, row->mac, row->key_id, err);
  if (status) return status;
  ck_digest signature = sign_event(with, row);
  if (!is_signature(row->mac, &signature)) return unsigned_error(err);
  if (row->encoding & CK_ENCODING_SEALED) {
    ck_digest location = location_of_event(with, row);
    size_t len = row->body.len;
    if (len < CK_SEAL_OVERHEAD + CHECK_SIZE) return unsigned_error(err);
    ck_buffer_reset(space);
    char *to = ck_buffer_extend(space, len - CK_SEAL_OVERHEAD);
    if (!to) return ck_error_no_memory(err);
    if (!ck_seal_decode(to, with->seal, row->body, &location)) return unsigned_error(err);
    memcpy(&row->check, to, CHECK_SIZE);
    row->body = (ck_bytes){to + CHECK_SIZE, len - CK_SEAL_OVERHEAD - CHECK_SIZE};
    row->encoding &= ~CK_ENCODING_SEALED;
  }
  row->key_id = (ck_bytes){NULL, 0};
  return CK_OK;
}

/* Opens the info and the digests, into `to`, which has room for both. Two of these have nothing in
 * their columns. */
static bool open_info(ck_checkpoint_row *row, const ck_sealer *with, char *to) {
  ck_digest location = location_of_info(with, row), stored = row->digest, none = {{0}};
  if (!ck_digest_equal(&row->events_digest, &none) || !ck_digest_equal(&row->payload_digest, &none))
    return false;
  if (!ck_seal_decode(to, with->seal, row->info, &location)) return false;
  memcpy(row->events_digest.bytes, to, CK_DIGEST_SIZE);
  memcpy(row->payload_digest.bytes, to + CK_DIGEST_SIZE, CK_DIGEST_SIZE);
  memcpy(row->digest.bytes, to + 2 * CK_DIGEST_SIZE, CK_DIGEST_SIZE);
  row->info = (ck_bytes){to + DIGESTS_SIZE, row->info.len - CK_SEAL_OVERHEAD - DIGESTS_SIZE};
  ck_digest masked = ck_seal_mask(with->seal, &row->digest);
  return ck_digest_equal(&masked, &stored);
}

static ck_status open_payload(ck_checkpoint_row *row, const ck_sealer *with, char *to,
                              ck_error *err) {
  ck_digest location = location_of_payload(with, row);
  if (row->payload.len < CK_SEAL_OVERHEAD)
    return ck_error_set(err, CK_E_TRUNCATED, "has %zu bytes where its payload was sealed",
                        row->payload.len);
  if (!ck_seal_decode(to, with->seal, row->payload, &location))
    return ck_error_set(
        err, CK_E_CORRUPT,
        "has another payload than was written: it cannot be opened with the store's key");
  row->payload = (ck_bytes){to, row->payload.len - CK_SEAL_OVERHEAD};
  row->sealing = CK_SEAL_OVERHEAD;
  return CK_OK;
}

/* All but the payload, which goes to *payload. */
static ck_status open_columns(char **payload, ck_checkpoint_row *row, const ck_sealer *with,
                              ck_buffer *space, ck_error *err) {
  if (row->info.len < CK_SEAL_OVERHEAD + DIGESTS_SIZE) return unsigned_error(err);
  ck_buffer_reset(space);
  size_t info = row->info.len;
  char *to = ck_buffer_extend(space, info + (row->payload.data ? row->payload.len : 0));
  if (!to) return ck_error_no_memory(err);
  if (!open_info(row, with, to)) return unsigned_error(err);
  row->encoding &= ~CK_ENCODING_SEALED;
  if (row->payload.data && row->payload.len) *payload = to + info;
  return CK_OK;
}

ck_status ck_sealed_decode_checkpoint(ck_checkpoint_row *row, const ck_sealer *with,
                                      ck_buffer *space, ck_error *err) {
  ck_checkpoint_row open = *row;
  char *payload = NULL;
  ck_status status = check_key(with, row->mac, row->key_id, err);
  if (!status && row->encoding & CK_ENCODING_SEALED)
    status = open_columns(&payload, &open, with, space, err);
  if (status) return status;
  ck_digest signature = sign_checkpoint(with, &open, row->encoding);
  if (!is_signature(row->mac, &signature)) return unsigned_error(err);
  if (payload) status = open_payload(&open, with, payload, err);
  open.key_id = (ck_bytes){NULL, 0};
  *row = open;
  return status;
}
