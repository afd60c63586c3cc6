/* checkpoint_list.h - a session's own checkpoints, for policies to choose which of them to drop. */
#ifndef CK_RUNTIME_SESSION_CHECKPOINT_LIST_H
#define CK_RUNTIME_SESSION_CHECKPOINT_LIST_H

#include "core/runtime/session/policy.h"
#include "core/store/maintenance.h"

typedef struct ck_checkpoint_list {
  ck_checkpoint_info *list; /* ascending; inherited and pruned ones are left out */
  size_t count, cap;
} ck_checkpoint_list;
void ck_checkpoint_list_clear(ck_checkpoint_list *self);
CK_CHECKED ck_status ck_checkpoint_list_read(ck_checkpoint_list *out, ck_store *store,
                                             int64_t session, ck_error *err);
/* The same, of a session whose lease is held. */
CK_CHECKED ck_status ck_checkpoint_list_read_held(ck_checkpoint_list *out, ck_store *store,
                                                  ck_lease lease, ck_error *err);
/* Elements of what is kept of who said what: of a plan with more the others are counted alone. */
enum { CK_PRUNE_CANDIDATES_MAX = 64 };
/* The seqs that go, and who said so. */
typedef struct ck_prune_choice {
  int64_t *seqs; /* caller's memory, with room for all */
  size_t count;
  ck_answers said; /* what each policy answered, without hook and time */
  /* who said what about which, a JSON array as in the body of a PRUNE event; NULL: nobody about
   * any. Owned */
  ck_value *candidates;
} ck_prune_choice;
/* What the policies drop; none when a hook fails (its status). */
CK_CHECKED ck_status ck_checkpoint_list_ask(ck_prune_choice *out, const ck_checkpoint_list *self,
                                            const ck_policy_engine *policies, int64_t now_ms,
                                            ck_error *err);
/* Body of a PRUNE event. `policies`: those that were asked, when they are not the run's own, a JSON
 * array of {name, version, …}; NULL: none. `candidates`: of the choice. */
CK_CHECKED ck_status ck_prune_report_describe(ck_value **out, const ck_prune_report *report,
                                              const ck_value *policies, const ck_value *candidates,
                                              ck_error *err);

#endif
