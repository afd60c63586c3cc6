/* simulated_prunes.h - asks policies which of the checkpoints that they have taken in a simulation
 * go, wherever a live run would ask them. Within the room. */
#ifndef CK_RUNTIME_SIMULATION_SIMULATED_PRUNES_H
#define CK_RUNTIME_SIMULATION_SIMULATED_PRUNES_H

#include "core/runtime/simulation/simulate.h"

/* Zero-initialise but for the first line, and the rules of `points`. */
typedef struct ck_simulated_prunes {
  ck_simulation *out; /* whose decisions lose `kept` */
  const ck_recording *recording;
  const ck_policy_engine *policies;
  ck_prune_points points;
  /* those that there are by now, ascending, and which decisions they come from */
  ck_checkpoint_info *list;
  size_t *decisions;
  size_t count, cap, decision_cap;
} ck_simulated_prunes;
void ck_simulated_prunes_clear(ck_simulated_prunes *self);
/* The last decision has taken a checkpoint. */
CK_CHECKED ck_status ck_simulated_prunes_take(ck_simulated_prunes *self, ck_error *err);
/* A person has policies asked. */
CK_CHECKED ck_status ck_simulated_prunes_ask(ck_simulated_prunes *self, int64_t now_ms,
                                             ck_error *err);
/* After the last event. A session that ran elsewhere is asked about once: at its end. */
CK_CHECKED ck_status ck_simulated_prunes_end(ck_simulated_prunes *self, ck_error *err);

#endif
