/* metrics.c - counts what runs tell of themselves. */
#include "core/host/worker/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"

static const double queue_bounds[] = {0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200};
static const double checkpoint_bounds[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                           0.1,   0.2,   0.5,   1,    5};

void ck_metrics_init(ck_metrics *self, size_t concurrency) {
  *self = (ck_metrics){.concurrency = concurrency};
  self->queue.bounds = queue_bounds;
  self->queue.bound_count = sizeof queue_bounds / sizeof *queue_bounds;
  self->checkpoint.bounds = checkpoint_bounds;
  self->checkpoint.bound_count = sizeof checkpoint_bounds / sizeof *checkpoint_bounds;
  pthread_mutex_init(&self->lock, NULL);
}

void ck_metrics_clear(ck_metrics *self) { pthread_mutex_destroy(&self->lock); }

void ck_histogram_add(ck_histogram *self, double seconds) {
  self->count++;
  self->sum += seconds;
  for (size_t i = 0; i < self->bound_count; i++) self->within[i] += seconds <= self->bounds[i];
}

void ck_metrics_begin(ck_metrics *self, int64_t waited_ms, bool takes_over) {
  pthread_mutex_lock(&self->lock);
  self->claims++;
  self->takeovers += takes_over;
  if (!takes_over) ck_histogram_add(&self->queue, waited_ms > 0 ? (double)waited_ms / 1000 : 0);
  pthread_mutex_unlock(&self->lock);
}

/* ---- what a run said ---- */

static int64_t read_int(ck_bytes object, const char *name) {
  int64_t number = 0;
  return ck_json_read_int(&number, ck_json_get(object, name)) ? number : 0;
}

static double read_double(ck_bytes object, const char *name) {
  double number = 0;
  return ck_json_read_double(&number, ck_json_get(object, name)) ? number : 0;
}

/* Bounds of the run that are none here (core/host/run/timing.c) are left out. */
static void add_within(ck_histogram *to, ck_bytes bound) {
  double up_to = read_double(bound, "up_to_ms") / 1000;
  for (size_t i = 0; i < to->bound_count; i++)
    if (fabs(to->bounds[i] - up_to) < 1e-9) to->within[i] += read_int(bound, "count");
}

static void add_checkpoints(ck_histogram *to, ck_bytes times) {
  int64_t count = read_int(times, "count");
  to->count += count;
  to->sum += read_double(times, "average_ms") * (double)count / 1000;
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(times, "within")); ck_json_next(&it);)
    add_within(to, it.value);
}

static void read_name(char *out, size_t size, ck_bytes value) {
  ck_buffer text = {0};
  ck_json_read_string(&text, value);
  snprintf(out, size, "%.*s", (int)text.len, text.data ? text.data : "");
  ck_buffer_clear(&text);
}

static void add_redaction(ck_metrics *self, ck_bytes redaction) {
  char family[sizeof self->redactions[0].family], rule[sizeof self->redactions[0].rule];
  size_t at = 0;
  read_name(family, sizeof family, ck_json_get(redaction, "family"));
  read_name(rule, sizeof rule, ck_json_get(redaction, "rule"));
  while (at < self->redaction_count && (strcmp(self->redactions[at].family, family) != 0 ||
                                        strcmp(self->redactions[at].rule, rule) != 0))
    at++;
  if (at == CK_METRICS_RULES_MAX) return;
  if (at == self->redaction_count) {
    memcpy(self->redactions[at].family, family, sizeof family);
    memcpy(self->redactions[at].rule, rule, sizeof rule);
    self->redaction_count++;
  }
  self->redactions[at].count += read_int(redaction, "count");
}

static void add_said(ck_metrics *self, ck_bytes said) {
  ck_bytes run = ck_json_get(said, "this_run");
  self->input_tokens += read_int(run, "input_tokens");
  self->output_tokens += read_int(run, "output_tokens");
  self->unmetered += read_int(run, "unmetered");
  self->dollars += read_double(run, "cost_usd");
  add_checkpoints(&self->checkpoint, ck_json_get(said, "checkpoint_time"));
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(said, "redactions")); ck_json_next(&it);)
    add_redaction(self, it.value);
}

void ck_metrics_end(ck_metrics *self, ck_run_ending how, ck_standing standing,
                    const ck_worker_end *end, ck_bytes said) {
  pthread_mutex_lock(&self->lock);
  self->deaths += end->died;
  self->fences += end->fenced;
  self->lost_claims += how == CK_RUN_TAKEN && !end->fenced;
  self->refusals += how == CK_RUN_REFUSED;
  self->lapses += how == CK_RUN_LAPSED;
  if (how == CK_RUN_ENDED && !end->died && ck_standing_name(standing)) self->ended[standing]++;
  if (said.len && ck_json_check(said, NULL) == CK_OK) add_said(self, said);
  pthread_mutex_unlock(&self->lock);
}

void ck_metrics_turn(ck_metrics *self, size_t running, bool ending, const char *trouble) {
  ck_clock clock = ck_clock_system();
  pthread_mutex_lock(&self->lock);
  self->running = running;
  self->ending = ending;
  self->turn_us = clock.mono_us(clock.self);
  snprintf(self->trouble, sizeof self->trouble, "%s", trouble);
  pthread_mutex_unlock(&self->lock);
}
