/* reference.h - what every_n comes to at any number of checkpoints: what a tuned profile is held
 * against. */
#ifndef CK_HOST_TUNE_REFERENCE_H
#define CK_HOST_TUNE_REFERENCE_H

#include "core/host/tune/figures.h"

enum { CK_TUNE_REFERENCE_COUNT = 24 };

/* every_n for growing n, so with fewer and fewer checkpoints. */
typedef struct ck_tune_reference {
  ck_tune_figures at[CK_TUNE_REFERENCE_COUNT];
  int64_t n[CK_TUNE_REFERENCE_COUNT];
  size_t count;
} ck_tune_reference;

CK_CHECKED ck_status ck_tune_reference_take(ck_tune_reference *out, ck_tune_part part,
                                            ck_error *err);
void ck_tune_reference_clear(ck_tune_reference *self);

/* Between two n, `above` (more checkpoints) by its `weight` from 0 to 1, and the next. */
typedef struct ck_tune_between {
  size_t above, below;
  double weight;
} ck_tune_between;
/* Where every_n takes that many checkpoints; its nearest end when it never does. */
ck_tune_between ck_tune_reference_find(const ck_tune_reference *self, int64_t checkpoints);
double ck_tune_reference_share(const ck_tune_reference *self, ck_tune_between at,
                               ck_loss_kind kind);
double ck_tune_reference_mean(const ck_tune_reference *self, ck_tune_between at, ck_loss_kind kind);

/* How a profile compares with every_n at as many checkpoints, in the mean loss: -0.2 is a fifth
 * less. From `low` to `high` lie 95 of 100 resamplings of the sessions; one alone has no such
 * interval. */
typedef struct ck_tune_change {
  bool known;    /* both lose something */
  bool interval; /* low and high are known: of several sessions */
  double mean, low, high;
} ck_tune_change;
CK_CHECKED ck_status ck_tune_reference_compare(ck_tune_change *out, const ck_tune_reference *self,
                                               const ck_tune_figures *figures, size_t sessions,
                                               ck_loss_kind kind, uint64_t seed, ck_error *err);

#endif
