/* simulate.h - puts the boundaries of a recorded session through policies: which checkpoints they
 * would have kept, and the work that crashes would have cost.
 *
 * A policy gets the recorded inputs, except for those that depend on the last checkpoint: `since`
 * is counted anew from the checkpoints that the simulated policies take, so that it equals the
 * recorded one for as long as the decisions do. Where decisions differ, keys changed are
 * an estimate (their number is known per interval between recorded checkpoints, not their names),
 * and milliseconds are off by up to one for each recorded checkpoint in between. A resume is taken
 * as it was recorded: counting starts anew there.
 *
 * A crash right after an event, before the checkpoint that the event may bring, loses the work done
 * since the last checkpoint. */
#ifndef CK_RUNTIME_SIMULATION_SIMULATE_H
#define CK_RUNTIME_SIMULATION_SIMULATE_H

#include "core/runtime/simulation/recording.h"

/* Bytes of a checkpoint besides the changed values: its row, its share of an index and the event
 * that announces it. */
enum { CK_SIMULATE_ROW_BYTES = 400 };

typedef struct ck_simulated_decision {
  size_t boundary; /* index in the recording */
  bool taken, sync;
  bool failed;       /* a policy failed or overran: the answer is the closed one */
  bool as_recorded;  /* taken, sync and reasons are those of the recording */
  int64_t bytes;     /* estimate of what it writes, uncompressed; 0 when not taken */
  bool kept;         /* taken, and not dropped when the policies prune */
  ck_value *reasons; /* owned; NULL: none */
} ck_simulated_decision;

typedef struct ck_simulation {
  ck_simulated_decision *decisions; /* one per boundary */
  size_t decision_count;
  ck_work *lost; /* one per event of the recording */
  size_t lost_count;
  int64_t checkpoints, as_recorded, failures;
  int64_t bytes_written, kept, bytes_kept;
  ck_error failure; /* the first of a policy */
} ck_simulation;

/* `policies` are fresh: asked about no other session. `as`: what they are shown; of
 * ck_recording_read_texts, where texts are. Its limit stands where no person had set one.
 * `prunes`: when they are asked which checkpoints go; not known: when the recorded runs were; NULL:
 * never. As live, what a run went on from, a fork goes on from, or a person has pinned is not
 * dropped. A policy's failure is no failure of the simulation; CK_E_NO_MEMORY is. */
CK_CHECKED ck_status ck_simulate(ck_simulation *out, const ck_recording *recording,
                                 const ck_policy_engine *policies, const ck_shown_as *as,
                                 const ck_prune_rules *prunes, ck_error *err);
void ck_simulation_clear(ck_simulation *self);

/* Of losses at all moments. p95 by nearest rank: a loss of the list that at least 95 % do not
 * exceed. */
typedef struct ck_loss {
  double mean;
  int64_t p95, worst;
} ck_loss;
/* Sorts the list. */
void ck_loss_measure(ck_loss *out, int64_t *losses, size_t count);

#endif
