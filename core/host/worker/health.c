/* health.c - the answers of a worker to a monitor. */
#include "core/host/worker/health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/host/ui/plain.h"
#include "core/host/worker/probe.h"

enum { HANGS_AFTER_POLLS = 10, HANGS_AFTER_MS = 30000 };

struct ck_health {
  ck_health_options options;
  ck_ui_listen at;
  ck_ui_plain *server;
  ck_probe *probe;
};

static void answer_metrics(ck_ui_plain_answer *out, const ck_health *self) {
  ck_census census;
  ck_clock clock = ck_clock_system();
  ck_error ignored = CK_ERROR_INIT;
  ck_status status =
      ck_census_take(&census, self->options.store, clock.wall_ms(clock.self), &ignored);
  out->status = 200;
  out->type = "text/plain; version=0.0.4; charset=utf-8";
  ck_metrics_append(&out->text, self->options.metrics, status == CK_OK ? &census : NULL);
}

static void say(ck_ui_plain_answer *out, bool well, const char *text) {
  out->status = well ? 200 : 503;
  ck_buffer_append_format(&out->text, "%s\n", text);
}

static void answer_health(ck_ui_plain_answer *out, const ck_health *self) {
  ck_clock clock = ck_clock_system();
  int64_t most_ms = HANGS_AFTER_POLLS * self->options.poll_ms;
  if (most_ms < HANGS_AFTER_MS) most_ms = HANGS_AFTER_MS;
  pthread_mutex_lock(&self->options.metrics->lock);
  int64_t still_us = clock.mono_us(clock.self) - self->options.metrics->turn_us;
  pthread_mutex_unlock(&self->options.metrics->lock);
  bool well = still_us <= most_ms * 1000;
  say(out, well, well ? "ok" : "no turn for too long");
}

/* False: it says why not. The worker itself may not know yet, while it waits for an answer. */
static bool is_answered(ck_ui_plain_answer *out, const ck_health *self) {
  char why[CK_ERROR_TEXT_MAX], text[CK_ERROR_TEXT_MAX + 80];
  int64_t age_ms = self->probe ? ck_probe_age(why, self->probe) : 0;
  if (age_ms <= CK_PROBE_AGE_MAX_MS) return true;
  snprintf(text, sizeof text, "the store has not answered for %lld.%lld s%s%s",
           (long long)age_ms / 1000, (long long)age_ms % 1000 / 100, *why ? ": " : "", why);
  say(out, false, text);
  return false;
}

/* Ready: what is due would be begun. */
static void answer_ready(ck_ui_plain_answer *out, const ck_health *self) {
  ck_metrics *metrics = self->options.metrics;
  char trouble[sizeof metrics->trouble];
  pthread_mutex_lock(&metrics->lock);
  bool ending = metrics->ending;
  memcpy(trouble, metrics->trouble, sizeof trouble);
  pthread_mutex_unlock(&metrics->lock);
  if (!ending && !trouble[0] && !is_answered(out, self)) return;
  say(out, !ending && !trouble[0], ending ? "it is to end" : trouble[0] ? trouble : "ready");
}

static void respond(ck_ui_plain_answer *out, void *to, const ck_ui_plain_request *request) {
  const char *path = request->path;
  if (strcmp(path, "/metrics") == 0) answer_metrics(out, to);
  if (strcmp(path, "/healthz") == 0) answer_health(out, to);
  if (strcmp(path, "/readyz") == 0) answer_ready(out, to);
}

static void say_where(const ck_health *self) {
  if (self->at.path)
    ck_output_notice(self->options.output, "metrics at unix:%s", self->at.path);
  else
    ck_output_notice(self->options.output, "metrics at http://%s:%d/metrics", self->at.host,
                     self->at.port);
}

ck_status ck_health_start(ck_health **out, const ck_health_options *options, ck_error *err) {
  *out = NULL;
  ck_health *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  self->at.fd = -1;
  ck_status status = ck_ui_listen_open(&self->at, "--metrics", options->address, err);
  const ck_ui_plain_service service = {.respond = respond, .to = self};
  if (status == CK_OK && options->store) status = ck_probe_start(&self->probe, options->store, err);
  if (status == CK_OK) status = ck_ui_plain_start(&self->server, &self->at, &service, err);
  if (status != CK_OK) {
    ck_health_stop(self);
    return status;
  }
  say_where(self);
  *out = self;
  return CK_OK;
}

void ck_health_stop(ck_health *self) {
  if (!self) return;
  ck_ui_plain_stop(self->server);
  ck_probe_stop(self->probe);
  ck_ui_listen_close(&self->at);
  free(self);
}
