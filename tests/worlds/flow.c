/* flow.c - what a session of a world does: steps that chance lays out by place, so that each life
 * finds the same ones. What comes of a step is added up, and the sum is a part of the position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/worlds/world.h"

enum { ASKS = 3, KINDS_OF_STEP = 14, TEXT = 160 };

/* What the flow waits for. */
typedef enum { BEGINS, DOES, BOUND } phase;

struct ck_flow {
  int nothing;
};

struct ck_coroutine {
  phase at;
  int step, steps;
  uint64_t sum;
  uint32_t what;
  char keys[ASKS][CK_STATE_KEY_MAX];
  char requests[ASKS][TEXT];
  ck_flow_ask asks[ASKS];
  size_t ask_count;
  ck_flow_message message;
  ck_value *position, *value;
  ck_change changes[3];
};

static ck_value *value_of(const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s", err.text);
  return value;
}

static uint64_t hash(uint64_t h, const void *data, size_t len) {
  for (size_t i = 0; i < len; i++) h = (h ^ ((const unsigned char *)data)[i]) * 1099511628211u;
  return h;
}

void world_flow_read(int *step, uint64_t *sum, const ck_value *position) {
  int64_t number = 0;
  ck_json_read_int(&number, ck_json_get(ck_value_bytes(position), "step"));
  *step = (int)number;
  char *text = ck_json_dup_string(ck_json_get(ck_value_bytes(position), "sum"));
  *sum = text ? strtoull(text, NULL, 16) : 0;
  free(text);
}

/* ---- opening ---- */

static ck_status load(ck_flow **out, void *self, const char *path, ck_error *err) {
  (void)self, (void)path;
  *out = calloc(1, sizeof **out);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static void unload(ck_flow *flow) { free(flow); }

static uint32_t place(const ck_coroutine *self, uint32_t k) { return (uint32_t)self->step * 8 + k; }

static ck_status open_scope(ck_coroutine **out, ck_flow *flow, const ck_coroutine_options *options,
                            ck_error *err) {
  (void)flow;
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  (*out)->steps = 1 + (int)chance_pick_at(CHANCE_LENGTH, 0, WORLD_STEPS);
  if (options->position) world_flow_read(&(*out)->step, &(*out)->sum, options->position);
  model_opened(&the_world.model, (*out)->step, (*out)->sum);
  return CK_OK;
}

static void clear_yield(ck_coroutine *self) {
  for (int i = 0; i < 3; i++) {
    ck_value_free(self->changes[i].value);
    free(self->changes[i].key);
    self->changes[i] = (ck_change){0};
  }
  ck_value_free(self->message.message);
  ck_value_free(self->position);
  ck_value_free(self->value);
  self->message.message = self->position = self->value = NULL;
}

static void close_scope(ck_coroutine *self) {
  clear_yield(self);
  free(self);
}

/* ---- steps ---- */

static void add_ask(ck_coroutine *self, ck_effect_kind kind, ck_effect_class class) {
  size_t n = self->ask_count++;
  unsigned same = 1;
  for (size_t i = 0; i < n; i++) same += self->asks[i].effect.kind == kind;
  char where[24] = "start";
  if (self->step) snprintf(where, sizeof where, "s%d", self->step);
  snprintf(self->keys[n], CK_STATE_KEY_MAX, "main/%s/%s/%u", where, ck_effect_kind_name(kind),
           same);
  if (kind == CK_EFFECT_SLEEP)
    snprintf(self->requests[n], TEXT, "{\"ms\":%d}", 10 + self->step);
  else if (kind == CK_EFFECT_ASK)
    snprintf(self->requests[n], TEXT, "{\"question\":\"which at %d?\"}", self->step);
  else
    snprintf(self->requests[n], TEXT,
             "{\"name\":\"t\",\"number\":%d,\"note\":\"" WORLD_SECRET "\"}",
             self->step * 8 + (int)n);
  self->asks[n] = (ck_flow_ask){
      .effect = {.kind = kind, .class = class, .request = ck_bytes_text(self->requests[n])},
      .ordinal = same};
}

static ck_effect_class class_of(const ck_coroutine *self, uint32_t k) {
  static const ck_effect_class classes[] = {CK_EFFECT_ONCE, CK_EFFECT_IDEMPOTENT,
                                            CK_EFFECT_RECONCILABLE, CK_EFFECT_ONCE, CK_EFFECT_PURE};
  return classes[chance_pick_at(CHANCE_CLASS, place(self, k), 5)];
}

static void yield_asks(ck_flow_yield *out, ck_coroutine *self) {
  if (self->ask_count == 1)
    *out = (ck_flow_yield){.step = CK_FLOW_EFFECT, .effect = self->asks[0].effect};
  else
    *out =
        (ck_flow_yield){.step = CK_FLOW_EFFECTS, .asks = self->asks, .ask_count = self->ask_count};
  self->at = DOES;
}

static void yield_model(ck_flow_yield *out, ck_coroutine *self) {
  char json[TEXT];
  snprintf(json, sizeof json, "{\"role\":\"user\",\"content\":\"go %d, " WORLD_SECRET "\"}",
           self->step);
  self->message.message = value_of(json);
  add_ask(self, CK_EFFECT_MODEL, CK_EFFECT_PURE);
  yield_asks(out, self);
  out->messages = &self->message;
  out->message_count = 1;
}

static void yield_boundary(ck_flow_yield *out, ck_coroutine *self) {
  char json[TEXT];
  self->step++;
  snprintf(json, sizeof json, "{\"path\":\"s%d\",\"step\":%d,\"sum\":\"%llx\"}", self->step,
           self->step, (unsigned long long)self->sum);
  self->position = value_of(json);
  snprintf(json, sizeof json, "%d", self->step);
  self->changes[0] = (ck_change){.key = strdup("memory.step"), .value = value_of(json)};
  snprintf(json, sizeof json, "\"%llx\"", (unsigned long long)self->sum);
  self->changes[1] = (ck_change){.key = strdup("memory.sum"), .value = value_of(json)};
  self->changes[2] =
      (ck_change){.key = strdup("memory.word"), .value = value_of("\"" WORLD_SECRET "\"")};
  *out = (ck_flow_yield){.step = CK_FLOW_BOUNDARY,
                         .boundary = {.kind = CK_BOUNDARY_STEP_COMPLETE, .node = "loop"},
                         .position = self->position,
                         .changes = self->changes,
                         .change_count = 3};
  if (world_is_heard()) {
    the_world.model.step = self->step;
    the_world.model.sum = self->sum;
  }
  self->at = BOUND;
}

static void yield_done(ck_flow_yield *out, ck_coroutine *self) {
  char json[32];
  snprintf(json, sizeof json, "\"%llx\"", (unsigned long long)self->sum);
  self->value = value_of(json);
  if (world_is_heard()) the_world.model.result = self->sum;
  *out = (ck_flow_yield){.step = CK_FLOW_DONE, .value = self->value};
}

static void begin_step(ck_flow_yield *out, ck_coroutine *self) {
  self->ask_count = 0;
  self->what = chance_pick_at(CHANCE_STEP, place(self, 0), KINDS_OF_STEP);
  switch (self->what) {
    case 0:
      yield_boundary(out, self);
      return;
    case 1:
    case 2:
    case 3:
      yield_model(out, self);
      return;
    case 4:
      add_ask(self, CK_EFFECT_SLEEP, CK_EFFECT_PURE);
      break;
    case 5:
      add_ask(self, CK_EFFECT_ASK, CK_EFFECT_IDEMPOTENT);
      break;
    case 6:
      self->value = value_of("\"rest\"");
      *out = (ck_flow_yield){.step = CK_FLOW_PAUSE, .value = self->value};
      self->at = DOES;
      return;
    case 7:
    case 8:
      add_ask(self, CK_EFFECT_TOOL, class_of(self, 1));
      add_ask(self, CK_EFFECT_TOOL, class_of(self, 2));
      if (self->what == 8) add_ask(self, CK_EFFECT_MODEL, CK_EFFECT_PURE);
      break;
    default:
      add_ask(self, CK_EFFECT_TOOL, class_of(self, 1));
      break;
  }
  yield_asks(out, self);
}

static void take_outcomes(ck_coroutine *self, const ck_outcome *outcome) {
  for (size_t i = 0; i < self->ask_count && outcome; i++, outcome = outcome->next) {
    const char *how = ck_outcome_status_name(outcome->status);
    self->sum = hash(self->sum + 1, how, strlen(how));
    if (outcome->status == CK_OUTCOME_OK && outcome->result) {
      ck_bytes bytes = ck_value_bytes(outcome->result);
      self->sum = hash(self->sum, bytes.data, bytes.len);
    }
    model_told(&the_world.model, self->keys[i], outcome);
  }
}

static ck_status go_on(ck_flow_yield *out, ck_coroutine *self, const ck_outcome *outcome,
                       ck_error *err) {
  (void)err;
  clear_yield(self);
  if (self->at == DOES) {
    take_outcomes(self, outcome);
    yield_boundary(out, self);
  } else if (self->step >= self->steps) {
    yield_done(out, self);
  } else {
    begin_step(out, self);
  }
  return CK_OK;
}

const ck_flow_engine world_flow_engine = {
    .load = load, .open = open_scope, .resume = go_on, .close = close_scope, .unload = unload};
