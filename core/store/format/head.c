/* head.c - the row that says how far a session has come: its columns. */
#include "core/store/format/head.h"

#include <string.h>

ck_head_row ck_head_row_of(uint64_t epoch, ck_session_status status, int64_t seq,
                           const ck_digest *digest) {
  ck_head_row row = {
      .epoch = epoch, .status = status, .seq = seq, .digest_len = sizeof digest->bytes};
  memcpy(row.digest, digest->bytes, sizeof digest->bytes);
  return row;
}

ck_bytes ck_head_row_digest(const ck_head_row *self) {
  return (ck_bytes){(const char *)self->digest, self->digest_len};
}

ck_bytes ck_head_row_mac(const ck_head_row *self) {
  return (ck_bytes){(const char *)self->mac, self->is_signed ? sizeof self->mac : 0};
}

ck_bytes ck_head_row_key_id(const ck_head_row *self) {
  return (ck_bytes){(const char *)self->key_id, self->is_signed ? sizeof self->key_id : 0};
}

bool ck_head_row_take(ck_head_row *self, ck_bytes digest, ck_bytes mac, ck_bytes key_id) {
  bool whole = digest.len == CK_DIGEST_SIZE || digest.len == sizeof self->digest;
  bool plain = mac.len == 0 && key_id.len == 0;
  self->is_signed = mac.len == sizeof self->mac && key_id.len == sizeof self->key_id;
  if (!whole || (!plain && !self->is_signed)) return false;
  self->digest_len = digest.len;
  memcpy(self->digest, digest.data, digest.len);
  if (self->is_signed) memcpy(self->mac, mac.data, mac.len);
  if (self->is_signed) memcpy(self->key_id, key_id.data, key_id.len);
  return true;
}

bool ck_head_row_is_at(const ck_head_row *self, const ck_digest *digest) {
  return self->digest_len == sizeof digest->bytes &&
         memcmp(self->digest, digest->bytes, sizeof digest->bytes) == 0;
}

ck_status ck_head_row_check_end(const ck_head_row *self, const ck_session_record *record,
                                int64_t last_seq, ck_error *err) {
  if (self->seq <= last_seq) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "session %s: its last events are gone: it had come to event %lld, and the "
                      "last one that is there is %lld",
                      record->id, (long long)self->seq, (long long)last_seq);
}

ck_status ck_head_row_check_session(const ck_head_row *self, const ck_session_record *record,
                                    ck_error *err) {
  if (self->seq == 0 || (self->epoch == record->epoch && self->status == record->status))
    return CK_OK;
  const char *said = ck_session_status_name(record->status),
             *had = ck_session_status_name(self->status);
  return ck_error_set(err, CK_E_CORRUPT,
                      "session %s: its row is not as old as the rest of it: it says %s, epoch "
                      "%llu; its head says %s, epoch %llu",
                      record->id, said ? said : "?", (unsigned long long)record->epoch,
                      had ? had : "?", (unsigned long long)self->epoch);
}
