/* call.c - one effect's way: key, ledger, limits, intent, driver, outcome. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution_private.h"
#include "core/runtime/limits.h"

enum { TRIES_MAX = 3 };

static ck_session *session_of(const ck_call *self) { return self->runner->execution->session; }

/* ---- from the driver ---- */

static void deliver(ck_effect_sink *sink, ck_outcome *outcome) {
  ck_call *self = ((ck_call_sink *)sink)->call;
  self->run = NULL;
  self->delivered = true;
  ck_outcome_free(self->outcome);
  self->outcome = outcome;
  ck_waker_wake(self->runner->execution->options.waker);
}

/* What a running effect tells is an event; one that cannot be kept is lost, the effect is not. */
static void update(ck_effect_sink *sink, ck_bytes chunk) {
  ck_call *self = ((ck_call_sink *)sink)->call;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_json_check(chunk, &ignored) != CK_OK) return;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", self->key);
  ck_json_member_raw(&w, "update", chunk);
  ck_json_end(&w, '}');
  if (ck_value_from(&body, &buffer, &ignored) != CK_OK ||
      ck_session_append(session_of(self), CK_EVENT_UPDATE, self->effect.scope, self->effect.agent, body, &ignored) != CK_OK)
    ck_waker_wake(self->runner->execution->options.waker); /* the next turn meets the store's failure itself */
  ck_value_free(body);
  ck_buffer_clear(&buffer);
}

/* ---- ways to stop ---- */

static void leave(ck_call *self, ck_session_status status, ck_status cause, const char *text) {
  self->phase = CK_CALL_LEFT;
  ck_execution_end(self->runner->execution, status, cause, text);
}

static ck_status stop_in_doubt(ck_call *self) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "effect %s (%s) was begun and its outcome is not known", self->key,
           ck_effect_class_name(self->effect.class));
  leave(self, CK_SESSION_IN_DOUBT, CK_E_IN_DOUBT, text);
  return CK_OK;
}

static ck_status stop_diverged(ck_call *self) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "effect %s (%s) was recorded with another request: the flow or its inputs have changed",
           self->key, ck_effect_class_name(self->effect.class));
  leave(self, CK_SESSION_FAILED, CK_E_DIVERGED, text);
  return CK_OK;
}

static ck_status stop_without_driver(ck_call *self) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "nothing can carry out %s effect %s: give a recording with --cassette%s",
           ck_effect_kind_name(self->effect.kind), self->key,
           self->effect.kind == CK_EFFECT_TOOL    ? ", or the tool a command"
           : self->effect.kind == CK_EFFECT_MODEL ? ", or the profile its model"
                                                  : "");
  leave(self, CK_SESSION_FAILED, CK_E_UNSUPPORTED, text);
  return CK_OK;
}

/* The strand fails of it; what was asked for together with it is still waited for, and recorded. */
static void fail(ck_call *self, ck_status cause, const char *text) {
  ck_ending *failure = &self->runner->call_failure;
  self->phase = CK_CALL_FAILED;
  if (failure->status) return;
  *failure = (ck_ending){.status = CK_SESSION_FAILED, .cause = cause};
  snprintf(failure->text, sizeof failure->text, "%s", text);
}

/* ---- beginning ---- */

static const ck_effect_driver *find_driver(const ck_execution *self, const ck_effect *effect) {
  for (const ck_effect_driver *const *d = self->options.drivers; d && *d; d++)
    if ((*d)->serves((*d)->self, effect)) return *d;
  return NULL;
}

/* Scope, position, kind and ordinal name the place; never the call's id. */
static ck_status make_key(ck_call *self, const ck_flow_ask *asked, ck_error *err) {
  char name[CK_STATE_KEY_MAX];
  ck_runner *runner = self->runner;
  ck_effect *effect = &self->effect;
  *effect = asked->effect;
  if (!effect->agent) effect->agent = runner->agent;
  uint32_t ordinal = asked->ordinal ? asked->ordinal : ++runner->ordinals[effect->kind];
  ck_runner_name(name, runner);
  int len = snprintf(self->key, sizeof self->key, "%s/%s/%s/%u", name, runner->path, ck_effect_kind_name(effect->kind), ordinal);
  if (len < 0 || (size_t)len >= sizeof self->key)
    return ck_error_set(err, CK_E_RANGE, "the position \"%.64s…\" of scope %s is too long for an effect's key", runner->path,
                        runner->scope);
  effect->key = self->key;
  bool fresh;
  ck_status status = ck_runner_use(&fresh, runner->used, self->key, err);
  if (status == CK_OK && !fresh)
    status = ck_error_set(err, CK_E_FLOW, "the flow asks for effect %s a second time at one position", self->key);
  return status;
}

static void name_label(ck_call *self) {
  ck_buffer name = {0};
  ck_json_read_string(&name, ck_json_get(ck_value_bytes(self->request), "name"));
  snprintf(self->label, sizeof self->label, "%s", name.data ? name.data : "");
  ck_buffer_clear(&name);
}

static ck_status redact_request(ck_call *self, ck_error *err) {
  ck_value *asked = NULL;
  ck_status status = ck_value_copy(&asked, self->effect.request, err);
  if (status == CK_OK)
    status = ck_redactor_apply(&self->request, session_of(self)->redactor, CK_SINK_REQUEST, NULL, asked, err);
  if (status == CK_OK && !self->request) status = ck_value_copy(&self->request, ck_bytes_text("null"), err);
  ck_value_free(asked);
  return status;
}

/* Everyone for whom it counts, the one who acts first. */
static ck_status list_payers(ck_call *self, ck_error *err) {
  size_t count = 0;
  const char *first = self->effect.agent;
  self->payers = calloc((size_t)self->runner->depth + 3, sizeof *self->payers);
  if (!self->payers) return ck_error_no_memory(err);
  if (first) self->payers[count++] = first;
  for (const ck_runner *runner = self->runner; runner; runner = runner->parent)
    if (runner->agent && (count == 0 || strcmp(self->payers[count - 1], runner->agent) != 0)) self->payers[count++] = runner->agent;
  self->effect.payers = count ? self->payers : NULL;
  return CK_OK;
}

/* Completes what the engine left to the runtime, and digests what is asked. */
static ck_status prepare(ck_call *self, ck_error *err) {
  ck_session *session = session_of(self);
  ck_effect *effect = &self->effect;
  ck_scope *scope;
  effect->scope = self->runner->scope;
  effect->attempt = session->timeline.attempt;
  ck_status status = ck_session_scope(&scope, session, effect->scope, err);
  if (status != CK_OK) return status;
  effect->consumed = ck_scope_consumed(scope);
  effect->conversation = effect->kind == CK_EFFECT_MODEL ? ck_scope_conversation(scope) : NULL;
  status = redact_request(self, err);
  if (status == CK_OK) status = list_payers(self, err);
  if (status != CK_OK) return status;
  ck_request_digest(self->digest, effect, ck_value_bytes(self->request));
  name_label(self);
  return CK_OK;
}

/* A call that came back from the store without what was secret in it. The model is told, and can ask again. */
static ck_status refuse_masked(ck_call *self, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_outcome_new(&outcome, CK_OUTCOME_ERROR, NULL,
                                    "not run: its arguments held a secret that was not stored; call it again with them", err);
  return status == CK_OK ? ck_call_record(self, outcome, "redaction", err) : status;
}

/* A sleep counts from its first intent, whichever run that was in. */
static void find_beginning(ck_call *self, const ck_ledger_entry *entry) {
  const ck_clock *clock = &self->runner->execution->options.clock;
  self->effect.begun_ms = clock->wall_ms(clock->self);
  if (entry && entry->open && entry->intent) ck_json_read_int(&self->effect.begun_ms, ck_json_get(ck_value_bytes(entry->intent), "begun"));
}

ck_status ck_call_commit_intent(ck_call *self, ck_error *err) {
  ck_session *session = session_of(self);
  const ck_effect_driver *driver = self->driver;
  ck_value *body;
  if (self->effect.kind == CK_EFFECT_TOOL && ck_redact_is_masked(self->effect.request)) return refuse_masked(self, err);
  self->effect.reserve_micros = driver->reserve ? driver->reserve(driver->self, &self->effect) : 0;
  bool within;
  ck_status status = ck_limits_admit(&within, self, err);
  if (status != CK_OK || !within) return status;
  status = ck_ledger_write_intent(&body, &self->effect, self->digest, ck_value_bytes(self->request), err);
  if (status != CK_OK) return status;
  status = ck_session_append(session, CK_EVENT_INTENT, self->effect.scope, self->effect.agent, body, err);
  ck_value_free(body);
  if (status == CK_OK) status = ck_session_push(&self->ticket, session, ck_call_durability(&self->effect, NULL), err);
  self->probing = false;
  self->phase = CK_CALL_INTENT;
  return status;
}

/* ---- what the ledger says ---- */

static ck_status apply_resolution(ck_call *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_ledger_read_resolution(&outcome, entry, err);
  return status == CK_OK ? ck_call_record(self, outcome, "resolution", err) : status;
}

/* Neither ledger nor probe can tell: the policies decide; without an opinion the session stops. */
static ck_status settle_doubt(ck_call *self, ck_error *err) {
  const ck_policy_engine *policies = session_of(self)->policies;
  ck_doubt_answer answer = CK_DOUBT_STOP;
  ck_error failure = CK_ERROR_INIT;
  if (policies->in_doubt && policies->in_doubt(&answer, policies->self, &self->effect, &failure) != CK_OK)
    answer = CK_DOUBT_STOP;
  if (answer == CK_DOUBT_RERUN) return ck_call_commit_intent(self, err);
  if (answer == CK_DOUBT_STOP) return stop_in_doubt(self);
  ck_outcome *outcome;
  ck_status status = ck_outcome_new(&outcome, CK_OUTCOME_ERROR, NULL,
                                    "this call was interrupted; whether it took effect is not known", err);
  return status == CK_OK ? ck_call_record(self, outcome, "policy", err) : status;
}

static bool can_probe(const ck_call *self) {
  const ck_effect_driver *driver = self->driver;
  return driver->probe && (!driver->probes || driver->probes(driver->self, &self->effect));
}

static ck_status start_driver(ck_call *self, ck_error *err) {
  const ck_effect_driver *driver = self->driver;
  self->sink = (ck_call_sink){.sink = {.update = update, .done = deliver}, .call = self};
  self->delivered = false;
  self->phase = CK_CALL_DRIVER;
  self->begun_us = ck_execution_now_us(self->runner->execution);
  ck_error failure = CK_ERROR_INIT;
  ck_call_tell(self, self->probing ? "probe" : "effect");
  ck_status status = self->probing ? driver->probe(&self->run, driver->self, &self->effect, &self->sink.sink, &failure)
                                   : driver->start(&self->run, driver->self, &self->effect, &self->sink.sink, &failure);
  if (status == CK_OK) return CK_OK;
  self->run = NULL;
  self->delivered = true;
  status = ck_outcome_new(&self->outcome, CK_OUTCOME_FAILED, NULL, failure.text, err);
  if (status == CK_OK) self->outcome->error_status = failure.status;
  return status;
}

static ck_status start_probe(ck_call *self, ck_error *err) {
  self->probing = true;
  return start_driver(self, err);
}

/* Begun, no outcome, no word of a person on it: whatever its class, asking comes before running again. */
static bool is_open(const ck_ledger_entry *entry) { return entry && entry->open && entry->verdict == CK_VERDICT_NONE; }

/* What simply waits, for a time or a person: put off when the session is to end, and never a sign of trouble. */
static bool waits_only(const ck_effect *effect) { return effect->kind == CK_EFFECT_SLEEP || effect->kind == CK_EFFECT_ASK; }

/* A call of an earlier process that may have been billed, and is made again: it counts at what was reserved for it. */
static ck_status count_lost(ck_call *self, const ck_ledger_entry *entry, ck_error *err) {
  char why[] = "its outcome was lost; it counts at what was reserved for it";
  ck_outcome lost = {.status = CK_OUTCOME_FAILED, .error = why};
  ck_value *body;
  if (!entry || !entry->open || !ck_json_read_int(&lost.cost_micros, ck_json_get(ck_value_bytes(entry->intent), "reserve"))) return CK_OK;
  if (lost.cost_micros <= 0) return CK_OK;
  ck_status status = ck_ledger_write_outcome(&body, &self->effect, &lost, self->digest, "lost", NULL, err);
  if (status != CK_OK) return status;
  status = ck_session_record_outcome(session_of(self), &self->effect, body, &lost.seq, err);
  ck_value_free(body);
  return status;
}

static ck_status act_on(ck_call *self, const ck_ledger_case *found, const ck_ledger_entry *entry, ck_error *err) {
  ck_execution *execution = self->runner->execution;
  ck_status status = CK_OK;
  if (found->diverged)
    status = ck_call_record_divergence(self, entry->open ? entry->intent_digest : entry->outcome_digest, err);
  if (status != CK_OK) return status;
  if (found->repeated && found->answer == CK_LEDGER_RUN && !waits_only(&self->effect)) execution->session->clean = false;
  if (is_open(entry) && !found->diverged && can_probe(self)) return start_probe(self, err);
  switch (found->answer) {
    case CK_LEDGER_REPLAY: return ck_call_replay(self, entry, err);
    case CK_LEDGER_RESOLVED: return apply_resolution(self, entry, err);
    case CK_LEDGER_DIVERGED: return stop_diverged(self);
    case CK_LEDGER_DOUBT: return settle_doubt(self, err);
    case CK_LEDGER_RUN: break;
  }
  self->phase = CK_CALL_LEFT;
  if (execution->ending.status && waits_only(&self->effect)) return CK_OK;
  status = count_lost(self, entry, err);
  return status == CK_OK ? ck_call_commit_intent(self, err) : status;
}

static ck_status begin_call(ck_call *self, const ck_flow_ask *asked, ck_error *err) {
  ck_error misplaced = CK_ERROR_INIT;
  self->phase = CK_CALL_LEFT;
  ck_status status = make_key(self, asked, &misplaced);
  if (status != CK_OK) {
    fail(self, misplaced.status, misplaced.text);
    return CK_OK;
  }
  status = prepare(self, err);
  if (status != CK_OK) return status;
  self->driver = find_driver(self->runner->execution, &self->effect);
  if (!self->driver) return stop_without_driver(self);
  const ck_ledger_entry *entry = ck_ledger_get(session_of(self)->ledger, self->key);
  ck_ledger_case found = ck_ledger_decide(entry, &self->effect, self->digest);
  find_beginning(self, entry);
  return act_on(self, &found, entry, err);
}

static ck_status make_calls(ck_runner *self, size_t count, ck_error *err) {
  self->calls = calloc(count, sizeof *self->calls);
  if (!self->calls) return ck_error_no_memory(err);
  for (; self->call_count < count; self->call_count++) {
    ck_call *call = calloc(1, sizeof *call);
    if (!call) return ck_error_no_memory(err);
    call->runner = self;
    call->phase = CK_CALL_LEFT;
    call->in_batch = self->yield.step == CK_FLOW_EFFECTS;
    self->calls[self->call_count] = call;
  }
  return CK_OK;
}

ck_status ck_runner_begin_calls(ck_runner *self, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  bool batch = yield->step == CK_FLOW_EFFECTS;
  ck_flow_ask single = {.effect = yield->effect, .ordinal = yield->ordinal};
  const ck_flow_ask *asks = batch ? yield->asks : &single;
  size_t count = batch ? yield->ask_count : 1;
  if (count == 0) return ck_runner_fail(self, CK_E_FLOW, "the flow asks for effects, and names none", err);
  ck_status status = make_calls(self, count, err);
  self->phase = CK_PHASE_CALLS;
  for (size_t i = 0; i < count && status == CK_OK; i++) status = begin_call(self->calls[i], &asks[i], err);
  return status;
}

/* ---- what the driver delivered ---- */

static void count(ck_call *self) {
  ck_execution_counts *counts = &self->runner->execution->counts;
  if (self->outcome->status == CK_OUTCOME_ENDED) return;
  if (self->effect.kind == CK_EFFECT_MODEL) counts->model_calls++;
  if (self->effect.kind == CK_EFFECT_TOOL) counts->tool_calls++;
  if (self->effect.kind == CK_EFFECT_ASK) counts->asks++;
}

/* What a person can mend, or time: nothing is lost by waiting for it. */
static bool is_transient(ck_status cause) {
  return cause == CK_E_UNAVAILABLE || cause == CK_E_SECRET_MISSING || cause == CK_E_LIMIT;
}

static ck_failure_answer ask_policies(ck_call *self, ck_status cause, const char *text) {
  const ck_policy_engine *policies = session_of(self)->policies;
  ck_failure_answer answer = is_transient(cause) ? CK_FAILURE_PAUSE : CK_FAILURE_FAIL;
  ck_failure failure = {.key = self->key, .status = cause, .error = text, .attempt = self->effect.attempt};
  ck_error ignored = CK_ERROR_INIT;
  if (policies->on_failure && policies->on_failure(&answer, policies->self, &failure, &ignored) != CK_OK)
    answer = CK_FAILURE_PAUSE;
  return answer;
}

/* It could not be carried out: known, so not in doubt; the policies may try again, at most TRIES_MAX times in all. */
static ck_status handle_failure(ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  ck_status cause = outcome->error_status != CK_OK ? outcome->error_status : CK_E_FAILED;
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "effect %s: %s", self->key, outcome->error ? outcome->error : "failed");
  ck_status status = ck_call_record(self, outcome, self->driver->name, err);
  if (status != CK_OK) return status;
  session_of(self)->clean = false;
  ck_failure_answer answer = ask_policies(self, cause, text);
  if (answer == CK_FAILURE_RETRY && ++self->tries < TRIES_MAX) return ck_call_commit_intent(self, err);
  self->phase = CK_CALL_LEFT;
  if (answer == CK_FAILURE_PAUSE) ck_execution_end(self->runner->execution, CK_SESSION_PAUSED, cause, text);
  else fail(self, cause, text);
  return CK_OK;
}

/* We cancelled it. What may have taken effect and must not be repeated is in doubt; everything else is asked for again. */
static ck_status handle_interruption(ck_call *self) {
  self->phase = CK_CALL_LEFT;
  return self->effect.class == CK_EFFECT_ONCE && !waits_only(&self->effect) ? stop_in_doubt(self) : CK_OK;
}

/* What a probe found: the outcome itself, that nothing happened (so it runs now), or that it cannot tell. */
static ck_status complete_probe(ck_call *self, ck_error *err) {
  ck_outcome *found = self->outcome;
  self->outcome = NULL;
  if (found->status == CK_OUTCOME_OK || found->status == CK_OUTCOME_ERROR || found->status == CK_OUTCOME_ENDED)
    return ck_call_record(self, found, self->driver->name, err);
  bool harmless = self->effect.class == CK_EFFECT_PURE || self->effect.class == CK_EFFECT_IDEMPOTENT;
  bool runs = found->status == CK_OUTCOME_ABSENT || harmless;
  bool interrupted = found->status == CK_OUTCOME_FAILED && found->error_status == CK_E_INTERRUPTED;
  ck_outcome_free(found);
  if (interrupted && self->runner->execution->ending.status) return handle_interruption(self);
  return runs ? ck_call_commit_intent(self, err) : settle_doubt(self, err);
}

static ck_status complete(ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  self->delivered = false;
  if (self->probing) return complete_probe(self, err);
  bool failed = outcome->status == CK_OUTCOME_FAILED;
  if (failed && outcome->error_status == CK_E_INTERRUPTED && self->runner->execution->ending.status)
    return handle_interruption(self);
  if (failed && outcome->error_status == CK_E_WAITING) {
    self->phase = CK_CALL_WAITING;
    return CK_OK;
  }
  if (failed) return handle_failure(self, err);
  if (outcome->status == CK_OUTCOME_UNKNOWN || outcome->status == CK_OUTCOME_ABSENT) return settle_doubt(self, err);
  count(self);
  return ck_call_record(self, outcome, self->driver->name, err);
}

static ck_status advance_call(bool *moved, ck_call *self, ck_error *err) {
  ck_status status = CK_OK;
  *moved = true;
  if (self->phase == CK_CALL_DRIVER && self->delivered) return complete(self, err);
  if (self->phase == CK_CALL_INTENT) {
    status = ck_session_check(session_of(self), self->ticket, err);
    if (status == CK_OK) return start_driver(self, err);
  }
  *moved = false;
  return status == CK_E_PENDING ? CK_OK : status;
}

/* All are done: their messages enter the conversation in the order asked, and the strand gets the outcomes. */
static ck_status hand_over(ck_runner *self, ck_error *err) {
  ck_outcome **link = &self->outcome;
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->call_count && status == CK_OK; i++) {
    ck_call *call = self->calls[i];
    ck_value *message = NULL;
    if (call->in_batch) status = ck_call_make_message(&message, call, err);
    if (status == CK_OK && message) status = ck_session_record_message(self->execution->session, self->scope, message, err);
    ck_value_free(message);
    *link = call->outcome;
    call->outcome = NULL;
    link = &(*link)->next;
  }
  ck_runner_drop_calls(self);
  self->phase = CK_PHASE_READY;
  return status;
}

ck_status ck_runner_advance_calls(bool *moved, ck_runner *self, ck_error *err) {
  size_t in_phase[CK_CALL_DONE + 1] = {0};
  ck_status status = CK_OK;
  *moved = false;
  for (size_t i = 0; i < self->call_count && status == CK_OK; i++) {
    bool goes_on = false;
    status = advance_call(&goes_on, self->calls[i], err);
    *moved |= goes_on;
    in_phase[self->calls[i]->phase]++;
  }
  bool under_way = in_phase[CK_CALL_INTENT] + in_phase[CK_CALL_DRIVER] > 0;
  bool failed = in_phase[CK_CALL_FAILED] > 0, done = in_phase[CK_CALL_DONE] == self->call_count;
  if (status != CK_OK || under_way || (!failed && !done)) return status;
  *moved = true;
  if (!failed) return hand_over(self, err);
  ck_ending failure = self->call_failure;
  return ck_runner_fail(self, failure.cause, failure.text, err);
}

/* ---- cancelling ---- */

void ck_runner_cancel_calls(ck_runner *self, bool harmless) {
  for (size_t i = 0; i < self->call_count; i++) {
    ck_call *call = self->calls[i];
    if (call->phase == CK_CALL_DRIVER && call->run && (!harmless || waits_only(&call->effect)))
      call->driver->cancel(call->driver->self, call->run);
  }
}

void ck_runner_drop_calls(ck_runner *self) {
  for (size_t i = 0; i < self->call_count; i++) {
    ck_call *call = self->calls[i];
    if (call->run) call->driver->cancel(call->driver->self, call->run);
    ck_outcome_free(call->outcome);
    ck_value_free(call->request);
    free(call->payers);
    free(call);
  }
  free(self->calls);
  self->calls = NULL;
  self->call_count = 0;
}

ck_status ck_call_answer(ck_call *self, const char *text, ck_error *err) {
  ck_value *result;
  ck_outcome *outcome = NULL;
  ck_status status = ck_value_text(&result, ck_bytes_text(text), err);
  if (status != CK_OK) return status;
  status = ck_outcome_new(&outcome, CK_OUTCOME_OK, result, NULL, err);
  ck_value_free(result);
  if (status != CK_OK) return status;
  ck_outcome_free(self->outcome);
  self->outcome = outcome;
  if (self->asks_limit) return ck_limits_answer(self, text, err);
  count(self);
  return ck_call_record(self, outcome, "answer", err);
}
