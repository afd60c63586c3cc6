/* head.h - the row that says how far a session has come: its bytes in place, so that it can be
 * copied. */
#ifndef CK_STORE_FORMAT_HEAD_H
#define CK_STORE_FORMAT_HEAD_H

#include "core/model/session.h"
#include "core/store/format/seal.h"

typedef struct ck_head_row {
  uint64_t epoch;
  ck_session_status status;
  int64_t seq; /* of the session's last event when this was written; 0: there is no row */
  uint8_t digest[CK_DIGEST_SIZE + CK_SEAL_OVERHEAD]; /* of that event; in a row that is sealed,
                                                        sealed */
  size_t digest_len;
  uint8_t mac[CK_DIGEST_SIZE], key_id[CK_KEY_ID_SIZE];
  bool is_signed;
} ck_head_row;

ck_head_row ck_head_row_of(uint64_t epoch, ck_session_status status, int64_t seq,
                           const ck_digest *digest);
/* The columns; borrowed. No bytes: none. */
ck_bytes ck_head_row_digest(const ck_head_row *self);
ck_bytes ck_head_row_mac(const ck_head_row *self);
ck_bytes ck_head_row_key_id(const ck_head_row *self);
/* Copies stored columns into the row; false: one has a length that was never written. */
bool ck_head_row_take(ck_head_row *self, ck_bytes digest, ck_bytes mac, ck_bytes key_id);
/* Whether `digest` is that of the row's event; of a row that is not sealed, or was opened. */
bool ck_head_row_is_at(const ck_head_row *self, const ck_digest *digest);

/* CK_E_CORRUPT: events are gone. `last_seq` is that of the last one, read after the row. */
CK_CHECKED ck_status ck_head_row_check_end(const ck_head_row *self, const ck_session_record *record,
                                           int64_t last_seq, ck_error *err);
/* The two change in one transaction. CK_E_CORRUPT: one is older than the other. */
CK_CHECKED ck_status ck_head_row_check_session(const ck_head_row *self,
                                               const ck_session_record *record, ck_error *err);

#endif
