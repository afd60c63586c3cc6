/* metrics_text.c - the numbers of a worker in the text format of Prometheus. */
#include <inttypes.h>
#include <string.h>

#include "core/host/worker/metrics.h"

static void begin(ck_buffer *out, const char *name, const char *type, const char *help) {
  ck_buffer_append_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put(ck_buffer *out, const char *name, int64_t value) {
  ck_buffer_append_format(out, "%s %" PRId64 "\n", name, value);
}

static void append_one(ck_buffer *out, const char *name, const char *type, const char *help,
                       int64_t value) {
  begin(out, name, type, help);
  put(out, name, value);
}

static void append_label(ck_buffer *out, const char *text) {
  for (; *text; text++) {
    if (*text == '\\' || *text == '"') ck_buffer_append_char(out, '\\');
    if (*text == '\n')
      ck_buffer_append_text(out, "\\n");
    else
      ck_buffer_append_char(out, *text);
  }
}

static void append_histogram(ck_buffer *out, const char *name, const char *help,
                             const ck_histogram *of) {
  begin(out, name, "histogram", help);
  for (size_t i = 0; i < of->bound_count; i++)
    ck_buffer_append_format(out, "%s_bucket{le=\"%g\"} %" PRId64 "\n", name, of->bounds[i],
                            of->within[i]);
  ck_buffer_append_format(out, "%s_bucket{le=\"+Inf\"} %" PRId64 "\n", name, of->count);
  ck_buffer_append_format(out, "%s_sum %.6f\n%s_count %" PRId64 "\n", name, of->sum, name,
                          of->count);
}

static void append_by_status(ck_buffer *out, const char *name, const int64_t *counts) {
  for (ck_standing at = 1; ck_standing_name(at); at++)
    ck_buffer_append_format(out, "%s{status=\"%s\"} %" PRId64 "\n", name, ck_standing_name(at),
                            counts[at]);
}

static void append_census(ck_buffer *out, const ck_census *census) {
  begin(out, "ckrun_sessions", "gauge", "Sessions of the store, by state.");
  append_by_status(out, "ckrun_sessions", census->sessions);
  append_one(out, "ckrun_queue_depth", "gauge",
             "Sessions of the store that a worker could begin now, whatever labels they ask for.",
             census->due);
  begin(out, "ckrun_queue_oldest_seconds", "gauge",
        "For how long the first of these has been due; 0: there is none.");
  ck_buffer_append_format(out, "ckrun_queue_oldest_seconds %.3f\n",
                          (double)census->oldest_ms / 1000);
}

static void append_spent(ck_buffer *out, const ck_metrics *self) {
  begin(out, "ckrun_tokens_total", "counter", "Tokens of models, of runs that have ended.");
  ck_buffer_append_format(out, "ckrun_tokens_total{direction=\"input\"} %" PRId64 "\n",
                          self->input_tokens);
  ck_buffer_append_format(out, "ckrun_tokens_total{direction=\"output\"} %" PRId64 "\n",
                          self->output_tokens);
  begin(out, "ckrun_cost_dollars_total", "counter",
        "What runs that have ended have cost, in dollars.");
  ck_buffer_append_format(out, "ckrun_cost_dollars_total %.6f\n", self->dollars);
  append_one(out, "ckrun_unmetered_outcomes_total", "counter", "Outcomes that had no price.",
             self->unmetered);
}

static void append_redactions(ck_buffer *out, const ck_metrics *self) {
  begin(out, "ckrun_redactions_total", "counter", "What was masked before it was stored, by rule.");
  for (size_t i = 0; i < self->redaction_count; i++) {
    ck_buffer_append_text(out, "ckrun_redactions_total{family=\"");
    append_label(out, self->redactions[i].family);
    ck_buffer_append_text(out, "\",rule=\"");
    append_label(out, self->redactions[i].rule);
    ck_buffer_append_format(out, "\"} %" PRId64 "\n", self->redactions[i].count);
  }
}

static void append_worker(ck_buffer *out, const ck_metrics *self) {
  append_one(out, "ckrun_worker_slots", "gauge", "How many sessions this worker runs at most.",
             (int64_t)self->concurrency);
  append_one(out, "ckrun_worker_running", "gauge", "How many sessions this worker runs.",
             (int64_t)self->running);
  append_one(out, "ckrun_worker_troubled", "gauge",
             "1 while nothing is begun, for the store cannot be read or no process can be had.",
             self->trouble[0] != 0);
  append_one(out, "ckrun_claims_total", "counter", "Runs that were begun of sessions in the queue.",
             self->claims);
  append_one(out, "ckrun_takeovers_total", "counter",
             "Claims of sessions whose process, or worker, had died.", self->takeovers);
  append_one(out, "ckrun_lost_claims_total", "counter",
             "Claims that another worker was faster with.", self->lost_claims);
  append_one(out, "ckrun_refusals_total", "counter", "Claims that could not be begun here.",
             self->refusals);
  append_one(out, "ckrun_fences_total", "counter",
             "Runs that had lost their session to another process.", self->fences);
  append_one(out, "ckrun_lapses_total", "counter",
             "Runs that stopped because they could not renew their lease.", self->lapses);
  append_one(out, "ckrun_deaths_total", "counter", "Runs whose process was killed.", self->deaths);
}

void ck_metrics_append(ck_buffer *out, ck_metrics *self, const ck_census *census) {
  begin(out, "ckrun_build_info", "gauge", "The version of ckrun.");
  ck_buffer_append_format(out, "ckrun_build_info{version=\"%s\"} 1\n", CK_VERSION);
  if (census) append_census(out, census);
  pthread_mutex_lock(&self->lock);
  append_worker(out, self);
  begin(out, "ckrun_runs_total", "counter", "Runs that have ended, by the session's state then.");
  append_by_status(out, "ckrun_runs_total", self->ended);
  append_histogram(out, "ckrun_queue_seconds", "How long claimed sessions were due.", &self->queue);
  append_histogram(out, "ckrun_checkpoint_seconds",
                   "From a boundary until its checkpoint was durable, of runs that have ended.",
                   &self->checkpoint);
  append_spent(out, self);
  append_redactions(out, self);
  pthread_mutex_unlock(&self->lock);
}
