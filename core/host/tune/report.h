/* report.h - what tuning came to: for people, as JSON, and as comments of the profile. */
#ifndef CK_HOST_TUNE_REPORT_H
#define CK_HOST_TUNE_REPORT_H

#include "core/host/tune/breakdown.h"
#include "core/host/tune/search.h"

/* One part of the sessions under three profiles. */
typedef struct ck_tune_outcome {
  const char *name; /* "training", "held out" */
  ck_tune_part part;
  ck_tune_figures given, tuned;
  ck_tune_reference reference;
  ck_tune_between at; /* where every_n takes as many checkpoints as the tuned profile */
  ck_tune_change changes[CK_LOSS_COUNT];
  ck_tune_breakdown groups; /* of given and tuned */
} ck_tune_outcome;

typedef struct ck_tune_report {
  const char *profile; /* as it was given */
  const char *file;    /* of the tuned profile; NULL: none was written */
  const ck_tune_space *space;
  const ck_tune_found *found;
  int64_t seed, tries, target;
  double holdout;
  const ck_tune_outcome *outcomes; /* the training part, then the one held out if there is one */
  size_t outcome_count;
} ck_tune_report;

/* Lines without a mark of comments. */
void ck_tune_report_append_about(ck_buffer *out, const ck_tune_report *self);
CK_CHECKED ck_status ck_tune_report_print(const ck_tune_report *self, ck_output *output,
                                          ck_error *err);

#endif
