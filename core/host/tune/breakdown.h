/* breakdown.h - what a profile's checkpoints cost and what crashes would, by agent and kind of
 * boundary. */
#ifndef CK_HOST_TUNE_BREAKDOWN_H
#define CK_HOST_TUNE_BREAKDOWN_H

#include "core/host/tune/figures.h"

/* Of one profile, in one group. */
typedef struct ck_tune_group_sum {
  int64_t checkpoints;
  double lost[CK_LOSS_COUNT]; /* sums over events */
} ck_tune_group_sum;

/* A crash right behind an event counts for the boundary that comes next, or that the event is. */
typedef struct ck_tune_group {
  const char *agent; /* NULL: nobody acts there. Borrowed from the recordings */
  const char *kind;  /* of boundary; NULL: behind the last one of a session. Static */
  int64_t boundaries;
  int64_t events[CK_LOSS_COUNT]; /* of sessions that record that kind of work */
  ck_tune_group_sum given, tuned;
} ck_tune_group;

typedef struct ck_tune_breakdown {
  ck_tune_group *list; /* by agent, then kind, once it is sorted; nobody, and no kind, last */
  size_t count, cap;
} ck_tune_breakdown;
void ck_tune_breakdown_clear(ck_tune_breakdown *self);

/* Adds the part under a profile, as the given or the tuned one; each once. CK_E_NO_MEMORY, and the
 * answers of ck_simulate_profile. */
CK_CHECKED ck_status ck_tune_breakdown_add(ck_tune_breakdown *self, const ck_profile *profile,
                                           ck_tune_part part, bool tuned, ck_error *err);
void ck_tune_breakdown_sort(ck_tune_breakdown *self);

#endif
