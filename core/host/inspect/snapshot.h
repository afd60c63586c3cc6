/* snapshot.h - one checkpoint of a session with everything that is shown of it: its state, its view
 * of the timelines, the session's profile. */
#ifndef CK_HOST_INSPECT_SNAPSHOT_H
#define CK_HOST_INSPECT_SNAPSHOT_H

#include "core/host/inspect/inspect.h"
#include "core/model/profile.h"
#include "core/model/state.h"
#include "core/runtime/session/policy.h"

typedef struct ck_snapshot {
  const ck_inspection *inspection;
  /* false: the session has none; the state is empty and the view has the whole timeline */
  bool has_checkpoint;
  bool named; /* by a word; else the session is shown as it stands */
  ck_checkpoint_info checkpoint;
  ck_state *state;
  ck_state_entry *entries; /* by key */
  size_t entry_count;
  ck_view view; /* of the checkpoint's timeline; up to `until` */
  int64_t until;
  /* NULL: the session was not started from a flow file, so no profile can be loaded */
  ck_profile *profile;
  ck_policy_engine policies; /* of the profile */
} ck_snapshot;

/* `word` as in ck_resolve_checkpoint; NULL: the latest, or none where there is none. The secrets of
 * the profile are registered with the redactor of `output`. Caller clears, also after a failure.
 * Borrows `inspection`. */
CK_CHECKED ck_status ck_snapshot_open(ck_snapshot *out, const ck_inspection *inspection,
                                      ck_output *output, const char *word, ck_error *err);
void ck_snapshot_clear(ck_snapshot *self);

/* Loads the profile that a session was started with (or `given`, when not NULL), and its policies;
 * both stay empty when the session names none. Free the policies before the profile. */
CK_CHECKED ck_status ck_snapshot_load_profile(ck_profile **out, ck_policy_engine *policies,
                                              const ck_inspection *inspection, const char *given,
                                              ck_error *err);

#endif
