/* execution.c - drives the strand of a flow: resume, act on its yield, wait, resume. */
#include "core/runtime/execution.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution_private.h"

enum { POLICY_FAILURES_MAX = 3 };

void ck_execution_tell(const ck_execution *self, const ck_progress *progress) {
  if (self->options.progress) self->options.progress(self->options.to, progress);
}

ck_status ck_execution_finish(ck_execution *self, ck_session_status status, ck_status cause, const char *text,
                              const ck_value *value, ck_error *err) {
  self->ended = true;
  self->runner->phase = CK_PHASE_ENDED;
  self->result.status = status;
  self->result.cause = cause;
  snprintf(self->result.text, sizeof self->result.text, "%s", text ? text : "");
  return ck_session_end(self->session, status, text, value, err);
}

/* A position is {"cut": seq of its boundary, "at": what the flow gave}; "at" is absent at the top. */
static ck_status put_position(ck_runner *self, const ck_value *at, int64_t cut, ck_error *err) {
  char key[CK_STATE_KEY_MAX];
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "cut", cut);
  if (at) ck_json_member_raw(&w, "at", ck_value_bytes(at));
  ck_json_end(&w, '}');
  ck_value *value = NULL;
  snprintf(key, sizeof key, "position.%s", self->scope);
  ck_status status = ck_value_from(&value, &buffer, err);
  if (status == CK_OK) status = ck_session_put(self->execution->session, key, value, err);
  ck_value_free(value);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_runner_use(bool *fresh, ck_state *names, const char *name, ck_error *err) {
  ck_value *mark;
  *fresh = ck_state_get(names, name) == NULL;
  if (!*fresh) return CK_OK;
  ck_status status = ck_value_copy(&mark, ck_bytes_text("1"), err);
  if (status != CK_OK) return status;
  status = ck_state_put(names, name, mark, err);
  ck_value_free(mark);
  return status;
}

static ck_status forget_keys(ck_runner *self, ck_error *err) {
  ck_state_free(self->used);
  return ck_state_new(&self->used, err);
}

static ck_status read_path(ck_runner *self, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = CK_OK;
  if (!self->position) ck_buffer_append_text(&text, "start");
  else if (!ck_json_read_string(&text, ck_json_get(ck_value_bytes(self->position), "path")))
    status = ck_error_set(err, CK_E_TYPE, "a position of scope %s has no \"path\"", self->scope);
  if (status == CK_OK && text.len >= sizeof self->path)
    status = ck_error_set(err, CK_E_RANGE, "a position's path of scope %s is longer than %zu bytes", self->scope, sizeof self->path - 1);
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  ck_error unfit = CK_ERROR_INIT;
  if (status == CK_OK && ck_state_check_key(text.data, &unfit) != CK_OK)
    status = ck_error_set(err, CK_E_FLOW, "a position's path of scope %s is empty or has control characters", self->scope);
  if (status == CK_OK) snprintf(self->path, sizeof self->path, "%s", text.data);
  ck_buffer_clear(&text);
  memset(self->ordinals, 0, sizeof self->ordinals);
  self->pauses = 0;
  return status == CK_OK ? forget_keys(self, err) : status;
}

/* Where the strand stood when its state was saved. */
static ck_status restore_position(ck_runner *self, ck_error *err) {
  char key[CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%s", self->scope);
  ck_session *session = self->execution->session;
  const ck_value *saved = ck_session_get(session, key);
  if (!saved) return put_position(self, NULL, session->cut ? session->cut : session->next_seq - 1, err);
  ck_bytes at = ck_json_get(ck_value_bytes(saved), "at");
  return ck_json_type_of(at) == CK_JSON_NONE ? CK_OK : ck_value_copy(&self->position, at, err);
}

static void drop_changes(ck_runner *self) {
  for (size_t i = 0; i < self->change_count; i++) {
    free(self->changes[i].key);
    ck_value_free(self->changes[i].value);
  }
  free(self->changes);
  self->changes = NULL;
  self->change_count = 0;
}

static ck_status buffer_changes(ck_runner *self, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  if (yield->change_count == 0) return CK_OK;
  ck_change *changes = realloc(self->changes, (self->change_count + yield->change_count) * sizeof *changes);
  if (!changes) return ck_error_no_memory(err);
  self->changes = changes;
  for (size_t i = 0; i < yield->change_count; i++) {
    ck_change *change = &changes[self->change_count];
    change->key = strdup(yield->changes[i].key);
    if (!change->key) return ck_error_no_memory(err);
    change->value = ck_value_share(yield->changes[i].value);
    self->change_count++;
  }
  return CK_OK;
}

static ck_status apply_changes(ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->change_count && status == CK_OK; i++)
    status = ck_session_put(self->execution->session, self->changes[i].key, self->changes[i].value, err);
  drop_changes(self);
  return status;
}

static int64_t now_us(const ck_runner *self) {
  const ck_clock *clock = &self->execution->options.clock;
  return clock->mono_us(clock->self);
}

/* Effects before and behind a boundary are told apart by its path: one that stays, or comes again, would let them pass for
 * each other. */
static ck_status move_position(ck_runner *self, ck_error *err) {
  bool fresh;
  ck_value_free(self->position);
  self->position = ck_value_share(self->yield.position);
  ck_status status = read_path(self, err);
  if (status == CK_OK) status = ck_runner_use(&fresh, self->paths, self->path, err);
  if (status == CK_OK && !fresh)
    status = ck_error_set(err, CK_E_FLOW, "a boundary of scope %s comes back to the position \"%s\": each must be a new one",
                          self->scope, self->path);
  return status == CK_OK ? put_position(self, self->position, self->execution->session->next_seq, err) : status;
}

static void tell_boundary(ck_execution *self, const char *kind, const ck_saved *saved) {
  ck_execution_tell(self, &(ck_progress){.what = "boundary", .text = kind, .saved = saved});
  if (saved->taken) ck_news_push(&self->news, &(ck_progress){.what = "checkpoint", .text = kind, .saved = saved}, saved->ticket);
}

static ck_status reach_boundary(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_boundary at = self->yield.boundary;
  ck_saved saved = {0};
  at.scope = self->scope;
  at.node_latency_ms = (now_us(self) - self->boundary_us) / 1000;
  ck_error misplaced = CK_ERROR_INIT;
  if (move_position(self, &misplaced) != CK_OK)
    return ck_execution_finish(execution, CK_SESSION_FAILED, misplaced.status, misplaced.text, NULL, err);
  ck_status status = apply_changes(self, err);
  if (status == CK_OK) status = ck_session_boundary(&saved, execution->session, &at, err);
  if (status != CK_OK) return status;
  self->boundary_us = now_us(self);
  execution->counts.boundaries++;
  execution->counts.checkpoints += saved.taken;
  tell_boundary(execution, ck_boundary_kind_name(at.kind), &saved);
  if (execution->session->policy_failures >= POLICY_FAILURES_MAX)
    return ck_execution_finish(execution, CK_SESSION_PAUSED, CK_E_POLICY, "policies failed three times in a row: see the session's policy_error events", NULL, err);
  if (execution->pause_reason)
    return ck_execution_finish(execution, CK_SESSION_PAUSED, CK_E_PAUSED, execution->pause_reason, NULL, err);
  self->ticket = saved.ticket;
  self->phase = saved.sync ? CK_PHASE_SAVE : CK_PHASE_READY;
  return CK_OK;
}

/* A pause asked for by the flow happens once: that it happened is an outcome at its place. */
static ck_status reach_pause(ck_runner *self, ck_error *err) {
  char key[CK_STATE_KEY_MAX], reason[256];
  ck_session *session = self->execution->session;
  ck_effect effect = {.scope = self->scope, .key = key, .attempt = session->timeline.attempt, .kind = CK_EFFECT_ASK};
  snprintf(key, sizeof key, "%s/%s/pause/%u", self->scope, self->path, ++self->pauses);
  const ck_ledger_entry *entry = ck_ledger_get(session->ledger, key);
  self->phase = CK_PHASE_READY;
  if (entry && entry->outcome) return ck_session_record_replay(session, &effect, entry->outcome, entry->outcome_seq, err);
  ck_buffer text = {0};
  ck_json_read_string(&text, self->yield.value ? ck_value_bytes(self->yield.value) : (ck_bytes){0});
  snprintf(reason, sizeof reason, "%s", text.data ? text.data : "paused by the flow");
  ck_buffer_clear(&text);
  ck_outcome paused = {.status = CK_OUTCOME_ENDED};
  ck_value *body;
  ck_status status = ck_ledger_write_outcome(&body, &effect, &paused, "", "flow", NULL, err);
  if (status != CK_OK) return status;
  status = ck_session_record_outcome(session, &effect, body, &paused.seq, err);
  ck_value_free(body);
  return status == CK_OK ? ck_execution_finish(self->execution, CK_SESSION_PAUSED, CK_E_PAUSED, reason, NULL, err) : status;
}

/* Done: but a recording that holds more than the flow asked for has not been followed. */
static ck_status reach_done(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_error failure = CK_ERROR_INIT;
  ck_scope *scope;
  ck_status status = apply_changes(self, err);
  if (status == CK_OK) status = ck_session_scope(&scope, execution->session, self->scope, err);
  if (status != CK_OK) return status;
  for (const ck_effect_driver *const *d = execution->options.drivers; d && *d; d++)
    if ((*d)->finish && (*d)->finish((*d)->self, self->scope, ck_scope_consumed(scope), &failure) != CK_OK)
      return ck_execution_finish(execution, CK_SESSION_FAILED, failure.status, failure.text, NULL, err);
  return ck_execution_finish(execution, CK_SESSION_COMPLETED, CK_OK, NULL, self->yield.value, err);
}

static ck_status act_on_yield(ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->yield.message_count && status == CK_OK; i++)
    status = ck_session_record_message(self->execution->session, self->scope, self->yield.messages[i], err);
  if (status == CK_OK && self->yield.rewind)
    status = ck_session_record_rewind(self->execution->session, self->scope, self->yield.rewind, err);
  for (size_t i = 0; i < self->yield.fact_count && status == CK_OK; i++) {
    const ck_flow_fact *fact = &self->yield.facts[i];
    status = ck_session_append(self->execution->session, fact->kind, self->scope, fact->agent, fact->body, err);
  }
  if (status == CK_OK) status = buffer_changes(self, err);
  if (status != CK_OK) return status;
  switch (self->yield.step) {
    case CK_FLOW_EFFECT: return ck_runner_begin_effect(self, err);
    case CK_FLOW_BOUNDARY: return reach_boundary(self, err);
    case CK_FLOW_PAUSE: return reach_pause(self, err);
    case CK_FLOW_DONE: return reach_done(self, err);
    case CK_FLOW_EFFECTS:
    case CK_FLOW_FORK:
    case CK_FLOW_JOIN: break;
  }
  return ck_execution_finish(self->execution, CK_SESSION_FAILED, CK_E_UNSUPPORTED,
                             "the flow opens parallel scopes, which this version does not run", NULL, err);
}

static ck_status resume_strand(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_error failure = CK_ERROR_INIT;
  ck_outcome *outcome = self->outcome;
  self->outcome = NULL;
  ck_status status = execution->options.engine->resume(&self->yield, self->strand, outcome, &failure);
  ck_outcome_free(outcome);
  if (status == CK_OK) return act_on_yield(self, err);
  return ck_execution_finish(execution, CK_SESSION_FAILED, status, failure.text, NULL, err);
}

/* One step; `*waits` when nothing more can be done now. */
static ck_status advance(bool *waits, ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  *waits = false;
  switch (self->phase) {
    case CK_PHASE_READY: return resume_strand(self, err);
    case CK_PHASE_INTENT:
      status = ck_session_check(self->execution->session, self->ticket, err);
      if (status == CK_OK) return ck_runner_start_effect(self, err);
      break;
    case CK_PHASE_DRIVER:
      if (self->delivered) return ck_runner_complete_effect(self, err);
      status = CK_E_PENDING;
      break;
    case CK_PHASE_SAVE:
      status = ck_session_check(self->execution->session, self->ticket, err);
      if (status == CK_OK) self->phase = CK_PHASE_READY;
      break;
    case CK_PHASE_ENDED: break;
  }
  *waits = status == CK_E_PENDING;
  return *waits ? CK_OK : status;
}

ck_status ck_execution_turn(ck_execution_result *result, ck_execution *self, ck_error *err) {
  bool waits = false;
  ck_status status = CK_OK;
  while (!self->ended && !waits && status == CK_OK) {
    status = advance(&waits, self->runner, err);
    ck_news_tell(&self->news, self->session, self->options.progress, self->options.to);
  }
  *result = self->result;
  if (status != CK_OK) {
    ck_session_park(self->session, status);
    return status;
  }
  return self->ended ? CK_OK : CK_E_PENDING;
}

/* A flow sees what its user gave; the rest of the session's input is what a resume needs. */
static ck_status copy_input(ck_value **out, const ck_value *given, ck_error *err) {
  ck_bytes input = given ? ck_json_get(ck_value_bytes(given), "input") : (ck_bytes){0};
  *out = NULL;
  return input.len ? ck_value_copy(out, input, err) : CK_OK;
}

static ck_status open_strand(ck_runner *self, ck_error *err) {
  const ck_execution_options *options = &self->execution->options;
  ck_session *session = self->execution->session;
  ck_conversation *conversation;
  ck_value *input;
  bool fresh;
  ck_status status = ck_session_conversation(&conversation, session, self->scope, err);
  if (status == CK_OK) status = restore_position(self, err);
  if (status == CK_OK) status = ck_state_new(&self->paths, err);
  if (status == CK_OK) status = read_path(self, err);
  if (status == CK_OK) status = ck_runner_use(&fresh, self->paths, self->path, err);
  if (status == CK_OK) status = copy_input(&input, ck_session_get_record(session)->input, err);
  if (status != CK_OK) return status;
  ck_strand_options with = {.scope = self->scope,
                            .position = self->position,
                            .state = ck_session_state(session),
                            .conversation = conversation,
                            .input = input,
                            .options = options->flow_options,
                            .recorded_prompt = options->recorded_prompt};
  self->boundary_us = now_us(self);
  status = options->engine->open(&self->strand, options->flow, &with, err);
  ck_value_free(input);
  return status;
}

ck_status ck_execution_open(ck_execution **out, const ck_execution_options *options, ck_error *err) {
  *out = NULL;
  ck_execution *self = calloc(1, sizeof *self);
  if (!self || !(self->runner = calloc(1, sizeof *self->runner))) {
    free(self);
    return ck_error_no_memory(err);
  }
  self->options = *options;
  self->session = options->session;
  *self->runner = (ck_runner){.execution = self, .scope = "main"};
  ck_status status = open_strand(self->runner, err);
  if (status != CK_OK) {
    ck_execution_close(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_execution_pause(ck_execution *self, const char *reason) {
  if (!self->pause_reason) self->pause_reason = strdup(reason ? reason : "user_requested");
}

const ck_execution_counts *ck_execution_get_counts(const ck_execution *self) { return &self->counts; }

void ck_execution_close(ck_execution *self) {
  if (!self) return;
  ck_runner *runner = self->runner;
  if (runner->run) runner->driver->cancel(runner->driver->self, runner->run);
  if (runner->strand) self->options.engine->close(runner->strand);
  drop_changes(runner);
  ck_outcome_free(runner->outcome);
  ck_value_free(runner->request);
  ck_value_free(runner->position);
  ck_state_free(runner->used);
  ck_state_free(runner->paths);
  free(runner);
  free(self->pause_reason);
  free(self);
}
