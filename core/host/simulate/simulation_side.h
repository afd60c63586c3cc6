/* simulation_side.h - one of the profiles, or policies alone, that stand side by side in a
 * simulation. */
#ifndef CK_HOST_SIMULATE_SIMULATION_SIDE_H
#define CK_HOST_SIMULATE_SIMULATION_SIDE_H

#include "core/host/simulate/rerun_sum.h"
#include "core/host/simulate/simulation.h"
#include "core/host/simulate/simulation_redact.h"

enum { CK_SIMULATION_NAME_SIZE = CK_ID_SIZE + 8 };

/* Zero-initialise. */
typedef struct ck_simulation_side {
  const char *given; /* borrowed */
  ck_profile *profile;
  char name[CK_SIMULATION_NAME_SIZE]; /* the profile's, or as the policy is given; numbered when
                                         several have the same */
  ck_simulation_sum sum;              /* so far */
  ck_simulated_masks masks;           /* the same of redact */
  ck_rerun_sum rerun;                 /* of another hook */
  struct cJSON *object, *sessions;    /* with --json */
} ck_simulation_side;

/* `side` is behind the `before` others, whose names it does not get. */
CK_CHECKED ck_status ck_simulation_side_load_profile(ck_simulation_side *side, size_t before,
                                                     const char *given, ck_error *err);
/* A policy alone: a file or the name of a shipped one. The budget is that of each recording. It
 * must have the hook that is asked; `hook` NULL or "checkpoint": checkpoint or prune. */
CK_CHECKED ck_status ck_simulation_side_load_policy(ck_simulation_side *side, size_t before,
                                                    const char *given, const char *hook,
                                                    ck_error *err);
/* How many calls of its policies failed, of all that was asked. */
int64_t ck_simulation_side_failures(const ck_simulation_side *side, const char **first);
void ck_simulation_side_clear(ck_simulation_side *self);

#endif
