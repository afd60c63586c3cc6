/* prune_at_rest.h - drops checkpoints of a session that nobody runs. */
#ifndef CK_RUNTIME_HISTORY_PRUNE_AT_REST_H
#define CK_RUNTIME_HISTORY_PRUNE_AT_REST_H

#include "core/runtime/session/checkpoint_list.h"

/* Which checkpoints go: those that fit everything that is set. */
typedef struct ck_prune_filter {
  const int64_t *seqs; /* only these; NULL: all */
  size_t count;
  int64_t before_ms; /* only those that were made before it, wall time; 0: all */
  bool unclean;      /* only those that are not clean */
} ck_prune_filter;
typedef struct ck_prune_order {
  const ck_prune_filter *filter; /* of those that `keep` leaves (all, when negative); NULL: none */
  /* they decide, when `keep` is negative and there is no filter */
  const ck_policy_engine *policies;
  const ck_value *list; /* of them, a JSON array of {name, version, …}: kept with their answers */
  int64_t keep;         /* how many of the latest stay; negative: see policies */
  bool dry_run;         /* only report what would be dropped; needs no lock */
  /* of a dry run with `keep` and no filter: only the oldest of what goes are looked at, so many; 0:
   * all */
  int64_t page;
  /* called under the session's lock with what will be dropped, before anything is; a failure is the
   * prune's, and nothing is dropped. NULL: nothing is */
  ck_status (*before)(void *to, const ck_prune_report *plan, ck_error *err);
  void *to;
} ck_prune_order;
typedef struct ck_pruned {
  ck_answers said;      /* by the policies of the order; none: nobody was asked */
  ck_value *candidates; /* that they spoke about, see ck_prune_choice; NULL */
  ck_prune_report report;
  int64_t freed; /* bytes by which the store's file became smaller */
} ck_pruned;
void ck_pruned_clear(ck_pruned *self);
/* CK_E_OWNED, CK_E_FENCED; otherwise as ck_store_prune. What was dropped is an event of the
 * session; the store's free pages are vacuumed. Caller clears `out`, also after a failure. */
CK_CHECKED ck_status ck_session_prune_at_rest(ck_pruned *out, ck_store *store, const char *id,
                                              const ck_prune_order *order, ck_error *err);

#endif
