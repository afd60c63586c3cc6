/* kept_state.h - the state that a run goes on from, kept from its preflight to its first
 * checkpoint: it is read and verified once. */
#ifndef CK_STORE_KEPT_STATE_H
#define CK_STORE_KEPT_STATE_H

#include <pthread.h>

#include "core/store/format/chain.h"
#include "core/store/store.h"

/* ck_store_get_state for who goes on from the checkpoint: what was read is kept until the session's
 * next one, for who asks by this name and for that checkpoint itself. Of a row that was pruned or
 * written again meanwhile nothing is kept. */
CK_CHECKED ck_status ck_store_get_state_to_go_on(ck_state **out, ck_store *self, int64_t session,
                                                 int64_t seq, ck_error *err);

/* ---- within the store core ---- */

/* One for each store; of any thread. */
typedef struct ck_kept_state {
  pthread_mutex_t mutex;
  ck_state *state;             /* NULL: none is kept */
  int64_t session, owner, seq; /* asked for by `session`; the row is one of `owner` */
  ck_digest digest;            /* of the checkpoint */
  ck_chain_base base;          /* what it was loaded from; none, when the row is another's */
} ck_kept_state;

void ck_kept_state_init(ck_kept_state *self);
void ck_kept_state_clear(ck_kept_state *self);
/* Keeps a copy that shares the values. For want of memory none is kept. */
void ck_kept_state_put(ck_kept_state *self, const ck_kept_state *from);
/* The state at the checkpoint `seq`, when it is kept and the row is still the one that it was read
 * from, kept by no prune since; else out->state is NULL. Caller owns the state. */
CK_CHECKED ck_status ck_kept_state_get(ck_kept_state *out, ck_store *store, int64_t session,
                                       int64_t seq, ck_error *err);
/* The session goes on: what is kept of it is not needed any more. */
void ck_kept_state_drop(ck_kept_state *self, int64_t session);

#endif
