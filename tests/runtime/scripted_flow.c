/* scripted_flow.c - the scripted coroutine and the counting outside behind scripted_flow.h. */
#include "tests/runtime/scripted_flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/clock.h"
#include "tests/tap.h"

struct ck_flow {
  scripted_flow *script;
};

struct ck_coroutine {
  scripted_flow *script;
  int iteration, step; /* step 0: model, 1..tools: tools, tools + 1: boundary */
  char request[128];
  ck_value *position, *result;
  ck_change change;
};

struct ck_effect_run {
  ck_effect_sink *sink;
  ck_outcome *outcome;
};

static struct ck_effect_run under_way;

static ck_status load(ck_flow **out, void *self, const char *path, ck_error *err) {
  (void)path;
  *out = malloc(sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  (*out)->script = self;
  return CK_OK;
}

static ck_status open_strand(ck_coroutine **out, ck_flow *flow, const ck_coroutine_options *options,
                             ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  (*out)->script = flow->script;
  int64_t iteration = 0;
  if (options->position)
    ck_json_read_int(&iteration, ck_json_get(ck_value_bytes(options->position), "iteration"));
  (*out)->iteration = (int)iteration;
  return CK_OK;
}

static void clear_step(ck_coroutine *self) {
  ck_value_free(self->position);
  ck_value_free(self->result);
  ck_value_free(self->change.value);
  free(self->change.key);
  self->position = self->result = NULL;
  self->change = (ck_change){0};
}

static ck_value *value_of(const char *json) {
  ck_value *value = NULL;
  ck_error err;
  if (ck_value_new(&value, ck_bytes_text(json), &err) != CK_OK) abort();
  return value;
}

static void yield_boundary(ck_flow_yield *out, ck_coroutine *self) {
  char json[128];
  self->iteration++;
  self->step = 0;
  snprintf(json, sizeof json, "{\"path\":\"loop#%d\",\"iteration\":%d}", self->iteration,
           self->iteration);
  self->position = value_of(json);
  snprintf(json, sizeof json, "%d", self->iteration);
  self->change = (ck_change){.key = strdup("memory.done"), .value = value_of(json)};
  *out = (ck_flow_yield){.step = CK_FLOW_BOUNDARY,
                         .boundary = {.kind = CK_BOUNDARY_TOOL_ROUND, .node = "loop"},
                         .position = self->position,
                         .changes = &self->change,
                         .change_count = 1};
}

static void yield_effect(ck_flow_yield *out, ck_coroutine *self) {
  scripted_flow *s = self->script;
  bool model = self->step == 0;
  snprintf(self->request, sizeof self->request, "{\"name\":\"t\",\"number\":%d,\"salt\":\"%s\"}",
           model ? -1 : self->iteration * s->tools + self->step - 1, s->salt ? s->salt : "");
  *out = (ck_flow_yield){.step = CK_FLOW_EFFECT,
                         .effect = {.kind = model ? CK_EFFECT_MODEL : CK_EFFECT_TOOL,
                                    .class = model ? CK_EFFECT_PURE : s->class,
                                    .request = ck_bytes_text(self->request)}};
  self->step++;
}

static ck_status resume(ck_flow_yield *out, ck_coroutine *self, const ck_outcome *outcome,
                        ck_error *err) {
  (void)outcome;
  clear_step(self);
  if (self->script->fail_at && self->iteration + 1 == self->script->fail_at)
    return ck_error_set(err, CK_E_FLOW, "world:%d: raised", self->iteration);
  if (self->iteration == self->script->iterations)
    *out = (ck_flow_yield){.step = CK_FLOW_DONE};
  else if (self->step > self->script->tools)
    yield_boundary(out, self);
  else
    yield_effect(out, self);
  return CK_OK;
}

static void close_strand(ck_coroutine *self) {
  clear_step(self);
  free(self);
}

static void unload(ck_flow *flow) { free(flow); }

ck_flow_engine scripted_flow_engine(scripted_flow *self) {
  return (ck_flow_engine){.self = self,
                          .load = load,
                          .open = open_strand,
                          .resume = resume,
                          .close = close_strand,
                          .unload = unload};
}

static bool serves(void *self, const ck_effect *effect) {
  (void)self, (void)effect;
  return true;
}

static int number_of(const ck_effect *effect) {
  int64_t number = -1;
  ck_json_read_int(&number, ck_json_get(effect->request, "number"));
  return (int)number;
}

static ck_outcome *answer(const ck_effect *effect) {
  char json[128];
  ck_outcome *outcome;
  ck_error err;
  snprintf(
      json, sizeof json,
      effect->kind == CK_EFFECT_MODEL ? "{\"role\":\"assistant\",\"content\":\"%s\"}" : "\"%s\"",
      effect->key);
  ck_value *result = value_of(json);
  if (ck_outcome_new(&outcome, CK_OUTCOME_OK, result, NULL, &err) != CK_OK) abort();
  if (effect->kind == CK_EFFECT_MODEL) outcome->cost_micros = 1000;
  ck_value_free(result);
  return outcome;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  scripted_flow *self = to;
  (void)err;
  int number = number_of(effect);
  self->starts++;
  if (effect->kind == CK_EFFECT_MODEL)
    self->models++;
  else
    self->ran[number]++, self->happened[number] = true;
  under_way = (struct ck_effect_run){.sink = sink, .outcome = answer(effect)};
  *out = &under_way;
  return CK_OK;
}

static ck_status probe(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  scripted_flow *self = to;
  int number = number_of(effect);
  under_way = (struct ck_effect_run){.sink = sink};
  *out = &under_way;
  if (number < 0 || self->happened[number])
    under_way.outcome = answer(effect);
  else
    return ck_outcome_new(&under_way.outcome, CK_OUTCOME_ABSENT, NULL, NULL, err);
  return CK_OK;
}

static bool probes(void *self, const ck_effect *effect) {
  (void)effect;
  return ((scripted_flow *)self)->probes;
}

static void cancel(void *self, ck_effect_run *run) {
  (void)self;
  ck_outcome_free(run->outcome);
  *run = (struct ck_effect_run){0};
}

ck_effect_driver scripted_flow_driver(scripted_flow *self) {
  return (ck_effect_driver){.name = "world",
                            .self = self,
                            .serves = serves,
                            .start = start,
                            .probe = probe,
                            .probes = probes,
                            .cancel = cancel};
}

bool scripted_flow_deliver(scripted_flow *self) {
  if (!under_way.sink || (self->stop_after && self->starts >= self->stop_after)) return false;
  struct ck_effect_run run = under_way;
  under_way = (struct ck_effect_run){0};
  run.sink->done(run.sink, run.outcome);
  return true;
}

scripted_ending scripted_flow_run(scripted_flow *s, ck_runtime *runtime, ck_session *session,
                                  int moves) {
  ck_error err = CK_ERROR_INIT;
  ck_execution *execution;
  ck_flow *flow;
  ck_flow_engine engine = scripted_flow_engine(s);
  ck_effect_driver driver = scripted_flow_driver(s);
  const ck_effect_driver *drivers[] = {&driver, NULL};
  tap_must(engine.load(&flow, engine.self, "scripted_flow", &err) == CK_OK, "load");
  ck_execution_options options = {.session = session,
                                  .engine = &engine,
                                  .flow = flow,
                                  .drivers = drivers,
                                  .clock = clock_of_readings(),
                                  .waker = runtime->waker};
  tap_must(ck_execution_open(&execution, &options, &err) == CK_OK, "execution: %s", err.text);
  scripted_ending out = {.turn = CK_E_PENDING};
  while (moves-- > 0 && out.turn == CK_E_PENDING) {
    out.turn = ck_execution_turn(&out.result, execution, &err);
    if (out.turn == CK_E_PENDING && !scripted_flow_deliver(s) &&
        ck_session_flush(session, CK_DURABLE_PROCESS, &err) != CK_OK)
      break;
    if (out.turn == CK_E_PENDING && s->stop_after && s->starts >= s->stop_after) break;
  }
  out.crashed = out.turn == CK_E_PENDING;
  out.counts = *ck_execution_get_counts(execution);
  ck_execution_close(execution);
  engine.unload(flow);
  return out;
}
