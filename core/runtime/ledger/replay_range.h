/* replay_range.h - the effects that a resume can meet again: all but those that its view shows up
 * to the cut.
 *
 * An effect that may be asked for again lies behind the earliest cut of any open scope, or on an
 * abandoned branch: a checkpoint taken early in the flow can have a higher seq than an older
 * branch's events from later in it. */
#ifndef CK_RUNTIME_LEDGER_REPLAY_RANGE_H
#define CK_RUNTIME_LEDGER_REPLAY_RANGE_H

#include "core/store/store.h"

typedef struct ck_replay_range {
  int64_t session;
  const ck_view *view;   /* of the checkpoint's timeline, or of one that goes on from it */
  const ck_state *state; /* at the checkpoint: the scopes' positions hold their cuts */
  int64_t cut;           /* seq of the checkpoint; without one, of the first event */
  int64_t until;         /* last seq to read; 0: no bound */
} ck_replay_range;

/* Intents, outcomes and resolutions, ascending by seq. */
CK_CHECKED ck_status ck_replay_range_read(ck_store *store, const ck_replay_range *range,
                                          ck_event_visit visit, void *to, ck_error *err);

/* The earliest cut of any open scope, or `cut`. */
CK_CHECKED ck_status ck_replay_range_earliest(int64_t *out, const ck_state *state, int64_t cut,
                                              ck_error *err);

/* Calls `visit` with each scope that has a position in the state. */
CK_CHECKED ck_status ck_replay_range_visit_positions(const ck_state *state,
                                                     void (*visit)(void *to, const char *scope,
                                                                   ck_bytes position),
                                                     void *to, ck_error *err);
/* The seq up to which a scope's conversation is kept when the scope goes on in this attempt; -1:
 * its position does not say. A scope that failed in the same attempt, and a flow that has ended,
 * are not run again from their cuts: their whole conversation stays. A person's report after a
 * rewind ("said") is kept, too. */
int64_t ck_replay_range_cut(ck_bytes position, uint32_t attempt);
/* Whether the scope has ended for good as far as this attempt goes: a scope that failed in it, a
 * flow that has ended. What came behind its end, as a call whose outcome was lost, it does not do
 * again. */
bool ck_replay_range_has_ended(ck_bytes position, uint32_t attempt);
/* The seq up to which scope `scope` is over for an attempt that goes on from a checkpoint at seq
 * `cut`: as its position in `state` says, which lies before the checkpoint of a pause; `cut` when
 * it has none there, and when it has ended. `state` may be NULL. */
int64_t ck_replay_range_scope_cut(const ck_state *state, const char *scope, uint32_t attempt,
                                  int64_t cut);

#endif
