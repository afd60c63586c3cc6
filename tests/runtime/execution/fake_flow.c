/* fake_flow.c - the flow engine of Lua, the runtime, and a driver that keeps what it is asked for
 * until a test delivers it. */
#include "tests/runtime/execution/fake_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/flow/flow.h"
#include "tests/clock.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

static bool serves(void *self, const ck_effect *effect) {
  (void)self, (void)effect;
  return true;
}

static int64_t reserve(void *to, const ck_effect *effect) {
  return effect->kind == CK_EFFECT_MODEL ? ((fake_flow *)to)->reserve : 0;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  fake_flow *self = to;
  (void)err;
  tap_must(self->count < STRANDS_MAX, "at most %d effects at once", STRANDS_MAX);
  struct started *made = &self->started[self->count++];
  *made = (struct started){.sink = sink};
  snprintf(made->key, sizeof made->key, "%s", effect->key);
  ck_buffer_append_format(&self->log, "%s\n", effect->key);
  *out = (ck_effect_run *)(void *)sink;
  return CK_OK;
}

static void cancel(void *to, ck_effect_run *run) {
  fake_flow *self = to;
  for (size_t i = 0; i < self->count; i++)
    if ((void *)self->started[i].sink == (void *)run) self->started[i].cancelled = true;
}

void fake_flow_open(fake_flow *self, const char *flow) {
  fake_flow_open_file(self, flow_file(flow));
}

void fake_flow_open_file(fake_flow *self, const char *path) {
  ck_error err = CK_ERROR_INIT;
  self->driver = (ck_effect_driver){.name = "hand",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .reserve = reserve};
  self->drivers[0] = &self->driver;
  if (!self->clock.mono_us) self->clock = clock_of_readings();
  ck_status status = ck_runtime_open(&self->runtime, self->url ? self->url : "memory:",
                                     &(ck_store_options){.create = true}, &self->clock, &err);
  if (status == CK_OK) status = ck_flow_engine_new(&self->engine, NULL, &err);
  if (status == CK_OK) status = self->engine->load(&self->flow, self->engine->self, path, &err);
  tap_must(status == CK_OK, "open: %s", err.text);
}

static void execute(fake_flow *self) {
  ck_error err = CK_ERROR_INIT;
  ck_execution_options options = {.session = self->session,
                                  .engine = self->engine,
                                  .flow = self->flow,
                                  .drivers = self->drivers,
                                  .clock = self->clock,
                                  .goes_on_waiting = self->goes_on_waiting,
                                  .waker = self->runtime->waker};
  self->count = 0;
  ck_buffer_reset(&self->log);
  tap_must(ck_execution_open(&self->execution, &options, &err) == CK_OK, "execution: %s", err.text);
  fake_flow_turn(self);
}

void fake_flow_start(fake_flow *self, const char *id) {
  ck_error err = CK_ERROR_INIT;
  ck_session_options options = {.id = id, .profile = self->profile, .policies = self->policies};
  tap_must(ck_session_start(&self->session, self->runtime, &options, &err) == CK_OK, "start %s: %s",
           id, err.text);
  execute(self);
}

void fake_flow_crash(fake_flow *self) {
  ck_execution_close(self->execution);
  ck_session_close(self->session);
  self->execution = NULL;
  self->session = NULL;
}

void fake_flow_resume(fake_flow *self, const char *id) {
  ck_error err = CK_ERROR_INIT;
  ck_resume_options options = {
      .profile = self->profile, .policies = self->policies, .retry = self->retry};
  ck_status status = ck_session_resume(&self->session, self->runtime, id, &options, &err);
  tap_must(status == CK_OK, "resume %s: %s", id, err.text);
  execute(self);
}

void fake_flow_close(fake_flow *self) {
  ck_execution_close(self->execution);
  ck_session_close(self->session);
  self->engine->unload(self->flow);
  self->engine->free(self->engine->self);
  ck_runtime_close(self->runtime);
  ck_buffer_clear(&self->log);
}

ck_status fake_flow_turn(fake_flow *self) {
  ck_error err = CK_ERROR_INIT;
  int still = 0;
  while (still++ < 3) { /* a boundary's commit, an intent's, then its driver: until all there is to
                           start was started */
    size_t before = self->log.len;
    self->status = ck_execution_turn(&self->result, self->execution, &err);
    if (self->status != CK_E_PENDING ||
        ck_session_flush(self->session, CK_DURABLE_PROCESS, &err) != CK_OK)
      break;
    if (self->log.len != before) still = 0;
  }
  return self->status;
}

static ck_effect_sink *take(fake_flow *self, const char *part, bool must) {
  for (size_t i = 0; i < self->count; i++) {
    if (!strstr(self->started[i].key, part)) continue;
    ck_effect_sink *sink = self->started[i].sink;
    memmove(&self->started[i], &self->started[i + 1],
            (--self->count - i) * sizeof self->started[0]);
    return sink;
  }
  tap_must(!must, "an effect %s is under way", part);
  return NULL;
}

static void deliver(fake_flow *self, ck_effect_sink *sink, ck_outcome *outcome) {
  sink->done(sink, outcome);
  fake_flow_turn(self);
}

void fake_flow_ok(fake_flow *self, const char *part, const char *json, int64_t cost) {
  ck_error err = CK_ERROR_INIT;
  ck_value *result = NULL;
  ck_outcome *outcome = NULL;
  ck_effect_sink *sink = take(self, part, true);
  ck_status status = ck_value_new(&result, ck_bytes_text(json), &err);
  if (status == CK_OK) status = ck_outcome_new(&outcome, CK_OUTCOME_OK, result, NULL, &err);
  tap_must(status == CK_OK, "an outcome: %s", err.text);
  outcome->cost_micros = cost;
  ck_value_free(result);
  deliver(self, sink, outcome);
}

void fake_flow_failed(fake_flow *self, const char *part, ck_status cause, const char *text) {
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  ck_effect_sink *sink = take(self, part, true);
  tap_must(ck_outcome_new(&outcome, CK_OUTCOME_FAILED, NULL, text, &err) == CK_OK, "an outcome");
  outcome->error_status = cause;
  deliver(self, sink, outcome);
}

void fake_flow_error(fake_flow *self, const char *part, const char *text) {
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  ck_effect_sink *sink = take(self, part, true);
  tap_must(ck_outcome_new(&outcome, CK_OUTCOME_ERROR, NULL, text, &err) == CK_OK, "an outcome");
  deliver(self, sink, outcome);
}

void fake_flow_unknown(fake_flow *self, const char *part, ck_status cause, const char *text) {
  ck_error err = CK_ERROR_INIT;
  ck_outcome *outcome;
  ck_value *result;
  ck_effect_sink *sink = take(self, part, true);
  tap_must(ck_value_text(&result, ck_bytes_text(text), &err) == CK_OK, "a result");
  tap_must(ck_outcome_new(&outcome, CK_OUTCOME_UNKNOWN, result, text, &err) == CK_OK, "an outcome");
  ck_value_free(result);
  outcome->error_status = cause;
  deliver(self, sink, outcome);
}

void fake_flow_deliver_cancelled(fake_flow *self) {
  for (size_t i = 0; i < self->count; i++) {
    if (!self->started[i].cancelled) continue;
    fake_flow_failed(self, self->started[i].key, CK_E_INTERRUPTED, "cancelled");
    i = (size_t)-1;
  }
}

bool fake_flow_is_running(const fake_flow *self, const char *part) {
  for (size_t i = 0; i < self->count; i++)
    if (strstr(self->started[i].key, part)) return true;
  return false;
}

static bool keep_result(void *to, const ck_event *event) {
  char *out = to;
  ck_bytes result = ck_json_get(ck_value_bytes(event->body), "result");
  snprintf(out, 1024, "%.*s", (int)result.len, result.data ? result.data : "");
  return true;
}

const char *fake_flow_result(fake_flow *self, const char *id) {
  static char text[1024];
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  text[0] = 0;
  tap_must(ck_store_get_head(&head, self->runtime->store, id, &err) == CK_OK, "head: %s", err.text);
  ck_event_query query = {.session = head.session.no, .kinds = 1ull << CK_EVENT_SESSION_COMPLETED};
  tap_must(ck_store_read_events(self->runtime->store, &query, keep_result, text, &err) == CK_OK,
           "events: %s", err.text);
  ck_head_clear(&head);
  return text;
}
