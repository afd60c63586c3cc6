/* flow.c - what a session of a world does: steps that chance lays out by place, so that each life
 * finds the same ones. What comes of a step is added up, and the sum is a part of the position.
 * Some steps of the main scope fork agents, which have steps of their own, and join them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/worlds/money.h"

enum { ASKS = 3, KINDS_OF_STEP = 18, PLACES = 100, CHILDREN = 2, CHILD_STEPS = 3, TEXT = 160 };

/* What the main scope alone does. */
enum { RESTS = 6, FORKS_ONE = 14, FORKS_TWO = 15, FORKS_AND_ACTS = 16 };
static const char *const child_names[CHILDREN] = {"a", "b"};
static const char *const child_keys[CHILDREN] = {"memory.a", "memory.b"};

/* What the flow waits for. */
typedef enum { BEGINS, DOES, BOUND, FORKS, ACTS, JOINS } phase;

struct ck_flow {
  int nothing;
};

struct ck_coroutine {
  phase at;
  int scope; /* model.h */
  int step, steps;
  uint64_t sum, talk; /* what it has come to; what was said in its scope */
  uint32_t what;
  char keys[ASKS][CK_STATE_KEY_MAX];
  char requests[ASKS][TEXT];
  ck_flow_ask asks[ASKS];
  size_t ask_count;
  ck_flow_message message;
  ck_value *position, *value;
  ck_change changes[3];
  ck_flow_child children[CHILDREN];
  size_t child_count;
  char task[32];
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

/* A word of the talk: who said it (u, a), and the number in it. */
uint64_t world_talk_add(uint64_t talk, char who, ck_bytes text) {
  talk = hash(talk + 1, &who, 1);
  for (size_t i = 0, seen = 0; i < text.len; i++) {
    bool digit = text.data[i] >= '0' && text.data[i] <= '9';
    if (digit) talk = hash(talk, text.data + i, 1);
    if (!digit && seen) break;
    seen += digit;
  }
  return talk;
}

void world_flow_read(int *step, uint64_t *sum, const ck_value *position) {
  int64_t number = 0;
  ck_json_read_int(&number, ck_json_get(ck_value_bytes(position), "step"));
  *step = (int)number;
  char *text = ck_json_dup_string(ck_json_get(ck_value_bytes(position), "sum"));
  *sum = text ? strtoull(text, NULL, 16) : 0;
  free(text);
}

static uint64_t read_talk(const ck_value *position) {
  char *text = ck_json_dup_string(ck_json_get(ck_value_bytes(position), "talk"));
  uint64_t talk = text ? strtoull(text, NULL, 16) : 0;
  free(text);
  return talk;
}

/* ---- opening ---- */

static ck_status load(ck_flow **out, void *self, const char *path, ck_error *err) {
  (void)self, (void)path;
  *out = calloc(1, sizeof **out);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static void unload(ck_flow *flow) { free(flow); }

static uint32_t place(const ck_coroutine *self, uint32_t k) {
  return (uint32_t)(self->scope * PLACES + self->step * 8) + k;
}

/* By its name and by the step at which it was forked, which its task says. */
static int scope_of(const ck_coroutine_options *options) {
  int64_t at = 0;
  if (!options->task) return 0;
  ck_json_read_int(&at, ck_json_get(ck_value_bytes(options->task), "at"));
  return model_scope(options->scope[0] - 'a', (int)at);
}

static ck_status open_scope(ck_coroutine **out, ck_flow *flow, const ck_coroutine_options *options,
                            ck_error *err) {
  (void)flow;
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  int scope = (*out)->scope = scope_of(options);
  uint32_t most = scope ? CHILD_STEPS : WORLD_STEPS;
  (*out)->steps = 1 + (int)chance_pick_at(CHANCE_LENGTH, (uint32_t)(scope * PLACES), most);
  if (options->position) world_flow_read(&(*out)->step, &(*out)->sum, options->position);
  if (options->position) (*out)->talk = read_talk(options->position);
  model_opened(&the_world.model, scope, (*out)->step, (*out)->sum);
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
  char name[24];
  model_scope_name(name, self->scope);
  snprintf(self->keys[n], CK_STATE_KEY_MAX, "%s/%s/%s/%u", name, where, ck_effect_kind_name(kind),
           same);
  if (kind == CK_EFFECT_MODEL && world_is_heard())
    model_fact(&the_world.model, self->keys[n])->talk = self->talk;
  if (kind == CK_EFFECT_SLEEP)
    snprintf(self->requests[n], TEXT, "{\"ms\":%d}", 10 + self->step);
  else if (kind == CK_EFFECT_ASK)
    snprintf(self->requests[n], TEXT, "{\"question\":\"which at %d, " WORLD_WORD "?\"}",
             self->step);
  else
    snprintf(self->requests[n], TEXT,
             "{\"name\":\"t\",\"number\":%d,\"note\":\"" WORLD_SECRET " " WORLD_WORD "\"}",
             self->step * 8 + (int)n);
  self->asks[n] = (ck_flow_ask){
      .effect = {.kind = kind,
                 .class = class,
                 .agent =
                     kind == CK_EFFECT_MODEL && money_helps(self->keys[n]) ? MONEY_HELPER : NULL,
                 .request = ck_bytes_text(self->requests[n])},
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
  snprintf(json, sizeof json,
           "{\"role\":\"user\",\"content\":\"go %d, " WORLD_SECRET " " WORLD_WORD "\"}",
           self->step);
  self->message.message = value_of(json);
  self->talk = world_talk_add(self->talk, 'u', ck_bytes_text(json));
  add_ask(self, CK_EFFECT_MODEL, CK_EFFECT_PURE);
  yield_asks(out, self);
  out->messages = &self->message;
  out->message_count = 1;
}

/* What an agent has come to is its own until it is joined; what the main scope has, the state's. */
static void change_state(ck_coroutine *self) {
  char json[TEXT];
  if (self->scope) {
    snprintf(json, sizeof json, "\"%llx\"", (unsigned long long)self->sum);
    const char *key = child_keys[model_scope_child(self->scope)];
    self->changes[0] = (ck_change){.key = strdup(key), .value = value_of(json)};
    return;
  }
  snprintf(json, sizeof json, "%d", self->step);
  self->changes[0] = (ck_change){.key = strdup("memory.step"), .value = value_of(json)};
  snprintf(json, sizeof json, "\"%llx\"", (unsigned long long)self->sum);
  self->changes[1] = (ck_change){.key = strdup("memory.sum"), .value = value_of(json)};
  self->changes[2] = (ck_change){.key = strdup("memory.word"),
                                 .value = value_of("\"" WORLD_SECRET " " WORLD_WORD "\"")};
}

static void yield_boundary(ck_flow_yield *out, ck_coroutine *self) {
  char json[TEXT];
  self->step++;
  snprintf(json, sizeof json, "{\"path\":\"s%d\",\"step\":%d,\"sum\":\"%llx\",\"talk\":\"%llx\"}",
           self->step, self->step, (unsigned long long)self->sum, (unsigned long long)self->talk);
  self->position = value_of(json);
  change_state(self);
  *out = (ck_flow_yield){.step = CK_FLOW_BOUNDARY,
                         .boundary = {.kind = CK_BOUNDARY_STEP_COMPLETE, .node = "loop"},
                         .position = self->position,
                         .changes = self->changes,
                         .change_count = self->scope ? 1 : 3};
  model_moves(&the_world.model, self->scope, self->step, self->sum);
  self->at = BOUND;
}

static void yield_done(ck_flow_yield *out, ck_coroutine *self) {
  char json[32];
  snprintf(json, sizeof json, "\"%llx\"", (unsigned long long)self->sum);
  self->value = value_of(json);
  if (world_is_heard() && !self->scope) the_world.model.result = self->sum;
  if (self->scope)
    model_ended(&the_world.model, self->scope, ck_session_last_seq(the_world.process->session));
  *out = (ck_flow_yield){.step = CK_FLOW_DONE, .value = self->value};
}

/* ---- agents ---- */

static void yield_children(ck_flow_yield *out, ck_coroutine *self, ck_flow_step step) {
  self->child_count = self->what == FORKS_ONE ? 1 : CHILDREN;
  snprintf(self->task, sizeof self->task, "{\"at\":%d}", self->step);
  for (size_t i = 0; i < self->child_count; i++)
    self->children[i] =
        (ck_flow_child){.scope = child_names[i], .agent = child_names[i], .task = self->task};
  *out =
      (ck_flow_yield){.step = step, .children = self->children, .child_count = self->child_count};
  self->at = step == CK_FLOW_FORK ? FORKS : JOINS;
}

/* False: an agent has failed, and the step with it; now and then the others' results will do. */
static bool take_joined(ck_coroutine *self, const ck_outcome *outcome) {
  ck_bytes all = outcome && outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0};
  bool failed = false;
  for (size_t i = 0; i < self->child_count; i++) {
    ck_bytes one = ck_json_get(all, child_names[i]), result = ck_json_get(one, "result");
    failed |= !model_joined(&the_world.model, model_scope((int)i, self->step), one, child_keys[i]);
    self->sum = hash(self->sum + 1, result.data, result.len);
  }
  return !failed || chance_pick_at(CHANCE_CLASS, place(self, 3), 2) == 1;
}

/* Behind the fork: at once, or with something to do beside them. */
static void go_beside(ck_flow_yield *out, ck_coroutine *self) {
  if (self->what != FORKS_AND_ACTS) {
    yield_children(out, self, CK_FLOW_JOIN);
    return;
  }
  add_ask(self, CK_EFFECT_TOOL, class_of(self, 1));
  yield_asks(out, self);
  self->at = ACTS;
}

/* ---- going on ---- */

static uint32_t pick_step(const ck_coroutine *self) {
  uint32_t what = chance_pick_at(CHANCE_STEP, place(self, 0), KINDS_OF_STEP);
  bool alone = what == RESTS || (what >= FORKS_ONE && what <= FORKS_AND_ACTS);
  return self->scope && alone ? KINDS_OF_STEP : what;
}

static void begin_step(ck_flow_yield *out, ck_coroutine *self) {
  self->ask_count = 0;
  self->what = pick_step(self);
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
    case FORKS_ONE:
    case FORKS_TWO:
    case FORKS_AND_ACTS:
      yield_children(out, self, CK_FLOW_FORK);
      return;
    case RESTS:
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
      ck_effect_kind kind = self->asks[i].effect.kind;
      if (kind == CK_EFFECT_MODEL || kind == CK_EFFECT_ASK)
        self->talk = world_talk_add(self->talk, kind == CK_EFFECT_MODEL ? 'a' : 'u', bytes);
    }
    model_told(&the_world.model, self->keys[i], outcome);
  }
}

static ck_status go_on(ck_flow_yield *out, ck_coroutine *self, const ck_outcome *outcome,
                       ck_error *err) {
  clear_yield(self);
  if (self->at == DOES || self->at == ACTS) take_outcomes(self, outcome);
  if (self->at == JOINS && !take_joined(self, outcome))
    return ck_error_set(err, CK_E_FLOW, "an agent has failed");
  if (self->at == FORKS) {
    go_beside(out, self);
  } else if (self->at == ACTS) {
    yield_children(out, self, CK_FLOW_JOIN);
  } else if (self->at == DOES || self->at == JOINS) {
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
