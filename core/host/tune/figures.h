/* figures.h - what a profile's checkpoints cost over recorded sessions, and what crashes would. */
#ifndef CK_HOST_TUNE_FIGURES_H
#define CK_HOST_TUNE_FIGURES_H

#include "core/host/simulate/simulation.h"

/* Some of the recordings. Borrowed. */
typedef struct ck_tune_part {
  ck_recording *const *list;
  size_t count;
} ck_tune_part;

/* Of one session: sums over its events of what a crash right behind the event loses. */
typedef struct ck_tune_losses {
  double lost[CK_LOSS_COUNT];
} ck_tune_losses;

typedef struct ck_tune_figures {
  int64_t checkpoints, boundaries, bytes;
  /* over all events of the sessions that record that kind of work: as `policy simulate` */
  double mean[CK_LOSS_COUNT];
  /* of its session's work, from 0 to 1; the mean over those sessions, whatever their size */
  double share[CK_LOSS_COUNT];
  size_t recorded[CK_LOSS_COUNT]; /* sessions that record it */
  ck_tune_losses *sessions;       /* in the order of the part */
} ck_tune_figures;

/* Each session has an engine of its own, as each run has. A policy's failure is CK_E_POLICY. */
CK_CHECKED ck_status ck_tune_figures_take(ck_tune_figures *out, const ck_profile *profile,
                                          ck_tune_part part, ck_error *err);
void ck_tune_figures_clear(ck_tune_figures *self);
/* All the work of that kind that the session holds. */
double ck_tune_work(const ck_recording *recording, ck_loss_kind kind);

#endif
