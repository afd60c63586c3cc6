/* payload_seqs.h - which of a session's checkpoints are more than stubs.
 *
 * A checkpoint that was pruned stays as a row without a payload, for the chain of digests: a stub.
 * A session that prunes while it runs has few others, and goes over them again and again: who
 * holds its lease remembers which these are, for no stub gets its payload back under a lease. */
#ifndef CK_STORE_PAYLOAD_SEQS_H
#define CK_STORE_PAYLOAD_SEQS_H

#include "core/store/backend.h"

/* All checkpoints up to `until` but these are stubs. Zero-initialise: nothing is known. */
typedef struct ck_payload_seqs {
  int64_t until;
  int64_t *seqs; /* ascending */
  size_t count, cap;
} ck_payload_seqs;
void ck_payload_seqs_clear(ck_payload_seqs *self);

/* Visits the session's own checkpoints that are no stubs, ascending; rows->session and
 * rows->payloads are as of read_checkpoints. What was found is known from then on, unless it fails
 * or `visit` stops it. */
CK_CHECKED ck_status ck_payload_seqs_read(ck_payload_seqs *self, const ck_backend *backend,
                                          const ck_checkpoint_rows *rows,
                                          ck_checkpoint_row_visit visit, void *to, ck_error *err);

#endif
