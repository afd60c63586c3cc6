/* prune_points.h - when a run asks which checkpoints go, as core/runtime/session does: at its end,
 * and after so many checkpoints. */
#ifndef CK_RUNTIME_SIMULATION_PRUNE_POINTS_H
#define CK_RUNTIME_SIMULATION_PRUNE_POINTS_H

#include "core/base/json.h"
#include "core/model/boundary.h"
#include "core/model/profile.h"

typedef struct ck_prune_rules {
  bool known;    /* else an earlier version recorded them, or nobody */
  bool asks;     /* the run has policies with the hook; of recorded ones alone */
  bool single;   /* a new checkpoint replaces the previous one, and nobody is asked */
  int64_t every; /* checkpoints; 0: at the end of a run alone */
} ck_prune_rules;
/* Of what a run executed, see ck_store_get_about; no bytes: not known. */
ck_prune_rules ck_prune_rules_read(ck_bytes about);
/* NULL, or that of a policy alone: not known, so those that were recorded count. */
ck_prune_rules ck_prune_rules_of(const ck_profile *profile);

typedef struct ck_prune_points {
  ck_prune_rules rules; /* not known: each run's own */
  int64_t unpruned;     /* checkpoints since policies were last asked */
} ck_prune_points;
/* The rules that count in a run that was recorded with these. */
ck_prune_rules ck_prune_points_rules(const ck_prune_points *self, const ck_prune_rules *recorded);
/* A run begins. */
void ck_prune_points_begin(ck_prune_points *self);
/* A checkpoint is taken: true when it is asked now which go. `pruned`: the recorded run has dropped
 * some here; that counts where nothing else is known. Of `at` kind and waits are read; earlier
 * versions, which did not prune where a run waits, did not record the latter. */
bool ck_prune_points_pass(ck_prune_points *self, const ck_prune_rules *recorded,
                          const ck_boundary *at, bool pruned);

#endif
