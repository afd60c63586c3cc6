/* reference.c - every_n over the same sessions, for each number of checkpoints. */
#include "core/host/tune/reference.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/host/tune/random.h"

enum { RESAMPLINGS = 1000 };

static const int64_t steps[CK_TUNE_REFERENCE_COUNT] = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 40, 50, 75, 100, 200, 500, 1000};

static ck_status take_one(ck_tune_figures *out, int64_t n, ck_tune_part part, ck_error *err) {
  char text[40];
  ck_profile *profile = NULL;
  ck_value *options = NULL;
  snprintf(text, sizeof text, "{\"n\":%lld}", (long long)n);
  ck_status status = ck_value_copy(&options, ck_bytes_text(text), err);
  if (status == CK_OK) status = ck_profile_new(&profile, "every_n", err);
  if (status == CK_OK) status = ck_profile_append_policy(profile, "every_n", options, err);
  if (status == CK_OK) status = ck_tune_figures_take(out, profile, part, err);
  ck_value_free(options);
  ck_profile_free(profile);
  return status;
}

ck_status ck_tune_reference_take(ck_tune_reference *out, ck_tune_part part, ck_error *err) {
  *out = (ck_tune_reference){0};
  for (size_t i = 0; i < CK_TUNE_REFERENCE_COUNT; i++) {
    ck_status status = take_one(&out->at[i], steps[i], part, err);
    if (status != CK_OK) {
      ck_tune_reference_clear(out);
      return status;
    }
    out->n[i] = steps[i];
    out->count++;
    if (!out->at[i].checkpoints) break;
  }
  return CK_OK;
}

void ck_tune_reference_clear(ck_tune_reference *self) {
  for (size_t i = 0; i < self->count; i++) ck_tune_figures_clear(&self->at[i]);
  self->count = 0;
}

ck_tune_between ck_tune_reference_find(const ck_tune_reference *self, int64_t checkpoints) {
  if (checkpoints >= self->at[0].checkpoints) return (ck_tune_between){.weight = 1};
  for (size_t i = 0; i + 1 < self->count; i++) {
    int64_t above = self->at[i].checkpoints, below = self->at[i + 1].checkpoints;
    if (checkpoints < below || above <= below) continue;
    double weight = (double)(checkpoints - below) / (double)(above - below);
    return (ck_tune_between){.above = i, .below = i + 1, .weight = weight};
  }
  return (ck_tune_between){.above = self->count - 1, .below = self->count - 1, .weight = 1};
}

double ck_tune_reference_share(const ck_tune_reference *self, ck_tune_between at,
                               ck_loss_kind kind) {
  return self->at[at.above].share[kind] * at.weight +
         self->at[at.below].share[kind] * (1 - at.weight);
}

double ck_tune_reference_mean(const ck_tune_reference *self, ck_tune_between at,
                              ck_loss_kind kind) {
  return self->at[at.above].mean[kind] * at.weight +
         self->at[at.below].mean[kind] * (1 - at.weight);
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The change over one choice of as many sessions, with replacement. */
static double resample(const ck_tune_reference *self, const ck_tune_figures *figures,
                       size_t sessions, ck_tune_between at, ck_loss_kind kind, uint64_t *state) {
  double ours = 0, theirs = 0;
  for (size_t i = 0; i < sessions; i++) {
    size_t chosen = ck_tune_random_index(state, sessions);
    ours += figures->sessions[chosen].lost[kind];
    theirs += self->at[at.above].sessions[chosen].lost[kind] * at.weight +
              self->at[at.below].sessions[chosen].lost[kind] * (1 - at.weight);
  }
  return theirs > 0 ? ours / theirs - 1 : 0;
}

ck_status ck_tune_reference_compare(ck_tune_change *out, const ck_tune_reference *self,
                                    const ck_tune_figures *figures, size_t sessions,
                                    ck_loss_kind kind, uint64_t seed, ck_error *err) {
  *out = (ck_tune_change){0};
  ck_tune_between at = ck_tune_reference_find(self, figures->checkpoints);
  double theirs = ck_tune_reference_mean(self, at, kind);
  if (!figures->recorded[kind] || theirs <= 0) return CK_OK;
  *out = (ck_tune_change){.known = true, .mean = figures->mean[kind] / theirs - 1};
  if (sessions < 2) return CK_OK;
  double *changes = calloc(RESAMPLINGS, sizeof *changes);
  if (!changes) return ck_error_no_memory(err);
  uint64_t state = seed;
  for (size_t i = 0; i < RESAMPLINGS; i++)
    changes[i] = resample(self, figures, sessions, at, kind, &state);
  qsort(changes, RESAMPLINGS, sizeof *changes, compare);
  out->interval = true;
  out->low = changes[RESAMPLINGS * 25 / 1000];
  out->high = changes[RESAMPLINGS * 975 / 1000 - 1];
  free(changes);
  return CK_OK;
}
