/* figures.c - simulates a profile over sessions, and sums up. */
#include "core/host/tune/figures.h"

#include <stdlib.h>

double ck_tune_work(const ck_recording *recording, ck_loss_kind kind) {
  size_t count = recording->event_count;
  return count ? (double)ck_loss_of(&recording->events[count - 1].work, kind) : 0;
}

/* Sums first: means at the end. */
static void add(ck_tune_figures *self, size_t index, const ck_recording *recording,
                const ck_simulation *simulation, double events[CK_LOSS_COUNT]) {
  self->checkpoints += simulation->checkpoints;
  self->boundaries += (int64_t)simulation->decision_count;
  self->bytes += simulation->bytes_written;
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    double whole = ck_tune_work(recording, kind), sum = 0;
    if (whole <= 0) continue;
    for (size_t i = 0; i < simulation->lost_count; i++)
      sum += (double)ck_loss_of(&simulation->lost[i], kind);
    self->sessions[index].lost[kind] = sum;
    self->mean[kind] += sum;
    self->share[kind] += sum / (double)simulation->lost_count / whole;
    self->recorded[kind]++;
    events[kind] += (double)simulation->lost_count;
  }
}

static ck_status take_one(ck_tune_figures *out, const ck_profile *profile,
                          const ck_recording *recording, size_t index, double events[CK_LOSS_COUNT],
                          ck_error *err) {
  ck_simulation simulation;
  ck_status status = ck_simulate_profile(&simulation, recording, profile, false, err);
  if (status != CK_OK) return status;
  add(out, index, recording, &simulation, events);
  if (simulation.failures)
    status =
        ck_error_set(err, CK_E_POLICY, "session %s: %s", recording->id, simulation.failure.text);
  ck_simulation_clear(&simulation);
  return status;
}

ck_status ck_tune_figures_take(ck_tune_figures *out, const ck_profile *profile, ck_tune_part part,
                               ck_error *err) {
  double events[CK_LOSS_COUNT] = {0};
  *out = (ck_tune_figures){0};
  out->sessions = calloc(part.count + 1, sizeof *out->sessions);
  ck_status status = out->sessions ? CK_OK : ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < part.count; i++)
    status = take_one(out, profile, part.list[i], i, events, err);
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    if (!out->recorded[kind]) continue;
    out->mean[kind] /= events[kind];
    out->share[kind] /= (double)out->recorded[kind];
  }
  if (status != CK_OK) ck_tune_figures_clear(out);
  return status;
}

void ck_tune_figures_clear(ck_tune_figures *self) {
  free(self->sessions);
  *self = (ck_tune_figures){0};
}
