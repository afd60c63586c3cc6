/* rerun.h - another policy, or those of a profile, are asked about the recorded boundaries of a
 * session. */
#ifndef CK_HOST_EXPLAIN_RERUN_H
#define CK_HOST_EXPLAIN_RERUN_H

#include "core/host/inspect/inspect.h"
#include "core/runtime/simulation/simulate.h"

/* Zero: nothing is asked. */
typedef struct ck_rerun {
  const char *policy; /* a file, or the name of a shipped one; or of a profile. Borrowed */
  ck_recording *recording;
  ck_simulation simulation;
} ck_rerun;
void ck_rerun_clear(ck_rerun *self);

/* What is told since the last checkpoint is counted from those that this policy takes; all else is
 * as it was recorded; of a profile the budget and the text of messages are its own. CK_E_NOT_FOUND,
 * CK_E_PARSE: of the policy. CK_E_USAGE: it has no hook that is asked. Without a checkpoint hook
 * there is no recording and no simulation. That it fails when it is asked is no failure here:
 * simulation.failures. */
CK_CHECKED ck_status ck_rerun_ask(ck_rerun *out, const ck_inspection *of, const char *policy,
                                  ck_error *err);
/* Of the boundary whose event has this seq; NULL: it is none of a known kind. */
const ck_simulated_decision *ck_rerun_at(const ck_rerun *self, int64_t seq);
/* It takes a checkpoint where none was taken, or the other way round. */
bool ck_rerun_differs(const ck_rerun *self, const ck_simulated_decision *decision);

#endif
