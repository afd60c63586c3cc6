/* flow_driver.c - a small runtime for tests: applies what a coroutine yields and answers its
 * effects. */
#include "tests/lua/flow/flow_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/tap.h"

static void must(ck_status status, const ck_error *err) {
  if (status != CK_OK) tap_must(false, "%s", err->text);
}

const char *flow_file(const char *text) {
  static int count;
  char name[32];
  snprintf(name, sizeof name, "flow%d.lua", ++count);
  const char *path = tap_tmpfile(name);
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0)
    tap_must(false, "%s cannot be written", path);
  chmod(path, 0600);
  return path;
}

void flow_driver_load(flow_driver *self, const char *path, const ck_clock *clock) {
  ck_error err = CK_ERROR_INIT;
  must(ck_flow_engine_new(&self->engine, clock, &err), &err);
  must(self->engine->load(&self->flow, self->engine->self, path, &err), &err);
  must(ck_state_new(&self->state, &err), &err);
  must(ck_state_new(&self->pending, &err), &err);
  must(ck_conversation_new(&self->conversation, &err), &err);
}

void flow_driver_load_body(flow_driver *self, const char *body, const ck_clock *clock) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, "return (require \"ck.flow\").custom { run = function(ctx, def) ");
  ck_buffer_append_text(&text, body);
  ck_buffer_append_text(&text, " end }\n");
  flow_driver_load(self, flow_file(text.data), clock);
  ck_buffer_clear(&text);
}

static void log_value(flow_driver *self, const char *what, const char *name,
                      const ck_value *value) {
  ck_bytes json = ck_value_bytes(value);
  ck_buffer_append_format(&self->log, "%s%s%s %.*s\n", what, name ? " " : "", name ? name : "",
                          json.data ? (int)json.len : 4, json.data ? json.data : "none");
}

static void add_message(flow_driver *self, ck_value *message) {
  ck_error err = CK_ERROR_INIT;
  must(ck_conversation_append(self->conversation, message, &err), &err);
}

static void apply_yield(flow_driver *self, const ck_flow_yield *yield) {
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < yield->message_count; i++) {
    log_value(self, "message", NULL, yield->messages[i].message);
    add_message(self, yield->messages[i].message);
  }
  if (yield->rewind) {
    log_value(self, "rewind", NULL, yield->rewind);
    must(ck_conversation_rewind(self->conversation, yield->rewind, &err), &err);
  }
  for (size_t i = 0; i < yield->fact_count; i++) {
    const ck_flow_fact *fact = &yield->facts[i];
    log_value(self, ck_event_kind_name(fact->kind), fact->agent, fact->body);
  }
  for (size_t i = 0; i < yield->change_count; i++) {
    const ck_change *change = &yield->changes[i];
    log_value(self, "change", change->key, change->value);
    if (change->value) {
      must(ck_state_put(self->pending, change->key, change->value, &err), &err);
    } else {
      ck_state_remove(self->pending, change->key);
      ck_state_remove(self->state, change->key);
    }
  }
}

static void settle(flow_driver *self, const ck_flow_yield *yield) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  must(ck_state_list(&entries, &count, self->pending, &err), &err);
  for (size_t i = 0; i < count; i++)
    must(ck_state_put(self->state, entries[i].key, entries[i].value, &err), &err);
  free(entries);
  ck_state_free(self->pending);
  must(ck_state_new(&self->pending, &err), &err);
  ck_value_free(self->position);
  self->position = ck_value_share(yield->position);
}

static void copy_messages(ck_conversation *to, const ck_conversation *from) {
  ck_error err = CK_ERROR_INIT;
  must(ck_conversation_cut(to, 0, &err), &err);
  for (size_t i = 0; i < ck_conversation_count(from); i++)
    must(ck_conversation_append(to, ck_conversation_get(from, i), &err), &err);
}

static void snapshot(flow_driver *self) {
  ck_error err = CK_ERROR_INIT;
  self->snapshots =
      reallocarray(self->snapshots, self->snapshot_count + 1, sizeof *self->snapshots);
  flow_snapshot *taken = &self->snapshots[self->snapshot_count++];
  taken->position = ck_value_share(self->position);
  must(ck_state_copy(&taken->state, self->state, &err), &err);
  must(ck_conversation_new(&taken->conversation, &err), &err);
  copy_messages(taken->conversation, self->conversation);
  memcpy(taken->given, self->given, sizeof taken->given);
  taken->log = self->log.len;
}

/* What the runtime appends to the conversation for an outcome. */
static void add_outcome(flow_driver *self, const ck_effect *effect, const ck_outcome *outcome) {
  ck_error err = CK_ERROR_INIT;
  ck_value *message = NULL;
  ck_bytes result = ck_value_bytes(outcome->result);
  if (effect->kind == CK_EFFECT_MODEL) {
    message = ck_value_share(outcome->result);
  } else if (effect->kind == CK_EFFECT_ASK) {
    must(ck_message_user(&message, result, &err), &err);
  } else if (effect->kind == CK_EFFECT_TOOL && ck_json_get(effect->request, "name").len > 0) {
    char *id = ck_json_dup_string(ck_json_get(effect->request, "call_id"));
    char *name = ck_json_dup_string(ck_json_get(effect->request, "name"));
    must(ck_message_tool(&message, id, name ? name : "", result, &err), &err);
    free(id);
    free(name);
  }
  if (message) add_message(self, message);
  ck_value_free(message);
}

static void log_effect(flow_driver *self, const ck_flow_yield *yield) {
  const ck_effect *effect = &yield->effect;
  ck_buffer_append_format(&self->log, "effect %s/%u %s %s %.*s\n",
                          ck_effect_kind_name(effect->kind), yield->ordinal,
                          ck_effect_class_name(effect->class), effect->agent ? effect->agent : "-",
                          (int)effect->request.len, effect->request.data);
}

static void answer(ck_outcome **out, flow_driver *self, const ck_effect *effect) {
  ck_error err = CK_ERROR_INIT;
  const char *const *list = self->answers[effect->kind];
  const char *json = list ? list[self->given[effect->kind]] : NULL;
  ck_outcome_status status = !json            ? CK_OUTCOME_ENDED
                             : json[0] == '!' ? CK_OUTCOME_ERROR
                                              : CK_OUTCOME_OK;
  ck_value *result = NULL;
  if (status == CK_OUTCOME_OK) must(ck_value_new(&result, ck_bytes_text(json), &err), &err);
  if (status == CK_OUTCOME_ERROR) must(ck_value_text(&result, ck_bytes_text(json + 1), &err), &err);
  must(ck_outcome_new(out, status, result, status == CK_OUTCOME_ERROR ? json + 1 : NULL, &err),
       &err);
  ck_value_free(result);
  if (!json) return;
  self->given[effect->kind]++;
  add_outcome(self, effect, *out);
}

/* Each in its order, which is that of their messages too. */
static void answer_all(flow_driver *self, const ck_flow_yield *yield) {
  ck_outcome **next = &self->outcome;
  for (size_t i = 0; i < yield->ask_count; i++) {
    ck_flow_yield one = {.effect = yield->asks[i].effect, .ordinal = yield->asks[i].ordinal};
    ck_buffer_append_format(&self->log, "%zu of %zu: ", i + 1, yield->ask_count);
    log_effect(self, &one);
    answer(next, self, &one.effect);
    next = &(*next)->next;
  }
}

static void free_outcomes(flow_driver *self) {
  while (self->outcome) {
    ck_outcome *next = self->outcome->next;
    ck_outcome_free(self->outcome);
    self->outcome = next;
  }
}

static void log_boundary(flow_driver *self, const ck_flow_yield *yield) {
  const ck_boundary *at = &yield->boundary;
  ck_buffer_append_format(&self->log, "boundary %s", ck_boundary_kind_name(at->kind));
  if (at->node) ck_buffer_append_format(&self->log, " node=%s", at->node);
  if (at->agent) ck_buffer_append_format(&self->log, " agent=%s", at->agent);
  if (at->depth) ck_buffer_append_format(&self->log, " depth=%d", at->depth);
  if (at->next.node) ck_buffer_append_format(&self->log, " next.node=%s", at->next.node);
  if (at->next.tool) ck_buffer_append_format(&self->log, " next.tool=%s", at->next.tool);
  if (at->next.has_class)
    ck_buffer_append_format(&self->log, " next.class=%s",
                            ck_effect_class_name(at->next.effect_class));
  log_value(self, "", NULL, yield->position);
}

bool flow_driver_step(flow_driver *self, ck_status *status, ck_error *err) {
  ck_coroutine_options options = {.scope = "main",
                                  .position = self->position,
                                  .state = self->state,
                                  .conversation = self->conversation,
                                  .input = self->input,
                                  .options = self->options,
                                  .recorded_prompt = self->prompt};
  if (!self->coroutine) must(self->engine->open(&self->coroutine, self->flow, &options, err), err);
  ck_flow_yield yield;
  *status = self->engine->resume(&yield, self->coroutine, self->outcome, err);
  free_outcomes(self);
  if (*status != CK_OK) return false;
  self->step = yield.step;
  apply_yield(self, &yield);
  if (yield.step == CK_FLOW_EFFECT && yield.effect.own) { /* the flow answers it */
    must(ck_outcome_new(&self->outcome, CK_OUTCOME_OK, NULL, NULL, err), err);
    return true;
  }
  if (yield.step == CK_FLOW_EFFECT) {
    log_effect(self, &yield);
    answer(&self->outcome, self, &yield.effect);
    return true;
  }
  if (yield.step == CK_FLOW_EFFECTS) {
    answer_all(self, &yield);
    return true;
  }
  if (yield.step != CK_FLOW_PAUSE) settle(self, &yield);
  if (yield.step == CK_FLOW_BOUNDARY) {
    log_boundary(self, &yield);
    snapshot(self);
    return true;
  }
  log_value(self, yield.step == CK_FLOW_DONE ? "done" : "pause", NULL, yield.value);
  ck_value_free(self->value);
  self->value = ck_value_share(yield.value);
  return false;
}

void flow_driver_mark_start(flow_driver *self) { snapshot(self); }

ck_status flow_driver_run(flow_driver *self, ck_error *err) {
  ck_status status = CK_OK;
  while (flow_driver_step(self, &status, err)) continue;
  return status;
}

void flow_driver_rewind(flow_driver *self, size_t index) {
  ck_error err = CK_ERROR_INIT;
  const flow_snapshot *to = &self->snapshots[index];
  self->engine->close(self->coroutine);
  self->coroutine = NULL;
  free_outcomes(self);
  ck_value_free(self->position);
  self->position = ck_value_share(to->position);
  ck_state_free(self->state);
  must(ck_state_copy(&self->state, to->state, &err), &err);
  ck_state_free(self->pending);
  must(ck_state_new(&self->pending, &err), &err);
  copy_messages(self->conversation, to->conversation);
  memcpy(self->given, to->given, sizeof self->given);
  ck_buffer_reset(&self->log);
}

const char *flow_driver_messages(flow_driver *self) {
  static ck_buffer text;
  ck_buffer_reset(&text);
  ck_buffer_append_text(&text, "");
  for (size_t i = 0; i < ck_conversation_count(self->conversation); i++) {
    ck_buffer_append_bytes(&text, ck_value_bytes(ck_conversation_get(self->conversation, i)));
    ck_buffer_append_char(&text, '\n');
  }
  return text.data;
}

/* Runs through pauses too, `limit` steps at most. */
static bool run_on(flow_driver *self, int limit) {
  ck_error err = CK_ERROR_INIT;
  ck_status status = CK_OK;
  for (int i = 0; i < limit && self->step != CK_FLOW_DONE; i++) {
    flow_driver_step(self, &status, &err);
    must(status, &err);
  }
  return self->step == CK_FLOW_DONE;
}

void flow_driver_survives(void (*load)(flow_driver *), const char *promise) {
  enum { MANY = 1000 };
  flow_driver whole = {.step = CK_FLOW_EFFECT};
  load(&whole);
  flow_driver_mark_start(&whole);
  tap_must(run_on(&whole, MANY), "it ends");
  char *messages = strdup(flow_driver_messages(&whole));
  int limit = 1, bad = 0;
  for (bool more = true; more; limit++) {
    flow_driver one = {.step = CK_FLOW_EFFECT};
    load(&one);
    flow_driver_mark_start(&one);
    more = !run_on(&one, limit);
    size_t last = one.snapshot_count - 1;
    flow_driver_rewind(&one, last);
    one.step = CK_FLOW_EFFECT;
    bad += !run_on(&one, MANY) || strcmp(flow_driver_messages(&one), messages) != 0 ||
           strcmp(flow_driver_log(&one), flow_driver_log(&whole) + whole.snapshots[last].log) != 0;
    flow_driver_clear(&one);
  }
  tap_is_int(
      bad, 0,
      "%s: closed after any of its %d steps, it asks for the same and comes to the same messages",
      promise, limit - 1);
  free(messages);
  flow_driver_clear(&whole);
}

const char *flow_driver_log(flow_driver *self) { return self->log.data ? self->log.data : ""; }

void flow_driver_clear(flow_driver *self) {
  if (self->coroutine) self->engine->close(self->coroutine);
  for (size_t i = 0; i < self->snapshot_count; i++) {
    ck_value_free(self->snapshots[i].position);
    ck_state_free(self->snapshots[i].state);
    ck_conversation_free(self->snapshots[i].conversation);
  }
  free(self->snapshots);
  self->engine->unload(self->flow);
  self->engine->free(self->engine->self);
  free_outcomes(self);
  ck_state_free(self->state);
  ck_state_free(self->pending);
  ck_conversation_free(self->conversation);
  ck_value_free(self->position);
  ck_value_free(self->input);
  ck_value_free(self->options);
  ck_value_free(self->value);
  ck_buffer_clear(&self->log);
  *self = (flow_driver){0};
}
