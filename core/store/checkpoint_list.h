/* checkpoint_list.h - pages of a session's checkpoints, and their number. */
#ifndef CK_STORE_CHECKPOINT_LIST_H
#define CK_STORE_CHECKPOINT_LIST_H

#include "core/store/store.h"

/* As ck_store_list_checkpoints, newest first, and only those with seq < before; 0: all. */
CK_CHECKED ck_status ck_store_list_checkpoints_backward(ck_store *self, int64_t session,
                                                        int64_t before, ck_checkpoint_visit visit,
                                                        void *to, ck_error *err);

/* As ck_store_list_checkpoints, without those of origins, for who holds the session's lease: those
 * that were pruned are gone over no more than once. CK_E_FENCED: it is not held. */
CK_CHECKED ck_status ck_store_list_own_checkpoints(ck_store *self, ck_lease lease,
                                                   ck_checkpoint_visit visit, void *to,
                                                   ck_error *err);

/* All that ck_store_list_checkpoints visits, counted where they lie. */
typedef struct ck_checkpoint_count {
  int64_t checkpoints, keyframes;
  int64_t stored_bytes; /* of their payloads */
  int64_t hidden;       /* pruned ones, which are not visited, whose payload is still there */
} ck_checkpoint_count;
CK_CHECKED ck_status ck_store_count_checkpoints(ck_checkpoint_count *out, ck_store *self,
                                                int64_t session, ck_error *err);

#endif
