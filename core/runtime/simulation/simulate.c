/* simulate.c - asks policies about recorded boundaries, and counts from the checkpoints that they
 * take. */
#include "core/runtime/simulation/simulate.h"

#include <stdlib.h>

#include "core/redact/redact.h"
#include "core/runtime/simulation/simulated_prunes.h"

/* Since the last simulated checkpoint, or the start of the run. */
typedef struct simulating {
  ck_simulation *out;
  const ck_recording *recording;
  const ck_policy_engine *policies;
  const ck_shown_as *as;
  ck_simulated_prunes prunes;
  bool asks; /* what goes */
  int64_t seq;
  ck_work base;
  ck_changed_keys changed;
  int64_t unnamed, bytes; /* unnamed: keys that an earlier version only counted */
} simulating;

static void begin_interval(simulating *self, const ck_recorded_event *event) {
  self->seq = event->seq;
  self->base = event->work;
  self->unnamed = self->bytes = 0;
  ck_changed_keys_clear(&self->changed);
}

static int64_t difference(int64_t now, int64_t then) { return now > then ? now - then : 0; }

static ck_work lost_at(const simulating *self, const ck_recorded_event *event) {
  return (ck_work){.ms = difference(event->work.ms, self->base.ms),
                   .active_ms = difference(event->work.active_ms, self->base.active_ms),
                   .cost_micros = difference(event->work.cost_micros, self->base.cost_micros),
                   .tokens = difference(event->work.tokens, self->base.tokens),
                   .tool_calls = difference(event->work.tool_calls, self->base.tool_calls)};
}

/* Where keys are only counted, those of recorded intervals add up; in one that begins later some of
 * them may be missing. */
static ck_status add_changes(simulating *self, const ck_recorded_boundary *recorded,
                             ck_error *err) {
  self->bytes += recorded->added_bytes;
  if (!recorded->changed.len) self->unnamed += recorded->added_keys;
  return ck_recorded_boundary_add_changes(&self->changed, recorded, err);
}

static ck_boundary show(const simulating *self, const ck_recorded_boundary *recorded,
                        const ck_work *lost) {
  ck_boundary at = ck_recorded_boundary_show(recorded, self->as);
  int64_t named = (int64_t)ck_changed_keys_count(&self->changed);
  at.since.ms = lost->ms;
  at.since.events = at.seq - 1 - self->seq;
  at.since.cost_micros = lost->cost_micros;
  at.since.tokens = lost->tokens;
  at.since.tool_calls = lost->tool_calls;
  at.since.changed = &self->changed;
  at.since.changed_keys = named + self->unnamed;
  at.since.changed_bytes = self->bytes;
  return at;
}

/* What was masked when it was written down can have been anything. */
static bool same_reasons(const ck_value *recorded, const ck_value *made) {
  if (!recorded || !made) return !recorded && !made;
  return ck_redact_matches(ck_value_bytes(recorded), ck_value_bytes(made));
}

static ck_status decide(simulating *self, ck_simulated_decision *made, const ck_boundary *at,
                        ck_error *err) {
  ck_decision decision = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_status status = CK_OK;
  if (self->policies->checkpoint)
    status = self->policies->checkpoint(&decision, self->policies->self, at, &failure);
  made->reasons = decision.reasons;
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  made->failed = status != CK_OK;
  if (made->failed && self->out->failures++ == 0) self->out->failure = failure;
  bool always = ck_boundary_kind_always(at->kind) || at->asked;
  made->taken = decision.take || always;
  made->sync = made->taken && (decision.sync || always);
  return CK_OK;
}

static ck_status pass_boundary(simulating *self, const ck_recorded_event *event,
                               const ck_work *lost, ck_error *err) {
  ck_simulation *out = self->out;
  const ck_recorded_boundary *recorded = &self->recording->boundaries[event->boundary];
  ck_status status = add_changes(self, recorded, err);
  if (status != CK_OK) return status;
  ck_boundary at = show(self, recorded, lost);
  ck_simulated_decision *made = &out->decisions[out->decision_count++];
  made->boundary = event->boundary;
  status = decide(self, made, &at, err);
  if (status != CK_OK) return status;
  made->as_recorded = made->taken == recorded->taken && made->sync == recorded->sync &&
                      same_reasons(recorded->reasons, made->reasons);
  out->as_recorded += made->as_recorded;
  if (!made->taken) return CK_OK;
  made->kept = true;
  made->bytes = CK_SIMULATE_ROW_BYTES + self->bytes;
  out->checkpoints++;
  out->bytes_written += made->bytes;
  begin_interval(self, event);
  return self->asks ? ck_simulated_prunes_take(&self->prunes, err) : CK_OK;
}

static ck_status replay(simulating *self, ck_error *err) {
  const ck_recording *recording = self->recording;
  for (size_t i = 0; i < recording->event_count; i++) {
    const ck_recorded_event *event = &recording->events[i];
    ck_work lost = lost_at(self, event);
    self->out->lost[self->out->lost_count++] = lost;
    if (i == 0 || event->resumed) begin_interval(self, event);
    if (event->resumed) ck_prune_points_begin(&self->prunes.points);
    ck_status status = CK_OK;
    if (event->prune_ms && self->asks)
      status = ck_simulated_prunes_ask(&self->prunes, event->prune_ms, err);
    else if (event->boundary != SIZE_MAX)
      status = pass_boundary(self, event, &lost, err);
    if (status != CK_OK) return status;
  }
  return ck_simulated_prunes_end(&self->prunes, err);
}

static void count_kept(ck_simulation *out) {
  for (size_t i = 0; i < out->decision_count; i++) {
    if (!out->decisions[i].kept) continue;
    out->kept++;
    out->bytes_kept += out->decisions[i].bytes;
  }
}

/* ---- the whole ---- */

ck_status ck_simulate(ck_simulation *out, const ck_recording *recording,
                      const ck_policy_engine *policies, const ck_shown_as *as,
                      const ck_prune_rules *prunes, ck_error *err) {
  *out = (ck_simulation){.failure = CK_ERROR_INIT};
  simulating self = {.out = out, .recording = recording, .policies = policies, .as = as};
  self.prunes = (ck_simulated_prunes){.out = out, .recording = recording, .policies = policies};
  if (prunes) self.prunes.points.rules = *prunes;
  self.asks = prunes != NULL;
  out->decisions = calloc(recording->boundary_count + 1, sizeof *out->decisions);
  out->lost = calloc(recording->event_count + 1, sizeof *out->lost);
  ck_status status = out->decisions && out->lost ? replay(&self, err) : ck_error_no_memory(err);
  count_kept(out);
  ck_simulated_prunes_clear(&self.prunes);
  ck_changed_keys_clear(&self.changed);
  if (status != CK_OK) ck_simulation_clear(out);
  return status;
}

void ck_simulation_clear(ck_simulation *self) {
  for (size_t i = 0; self->decisions && i < self->decision_count; i++)
    ck_value_free(self->decisions[i].reasons);
  free(self->decisions);
  free(self->lost);
  *self = (ck_simulation){0};
}

static int compare(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

void ck_loss_measure(ck_loss *out, int64_t *losses, size_t count) {
  *out = (ck_loss){0};
  if (count == 0) return;
  qsort(losses, count, sizeof *losses, compare);
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (double)losses[i];
  out->mean = sum / (double)count;
  out->p95 = losses[(count * 95 + 99) / 100 - 1];
  out->worst = losses[count - 1];
}
