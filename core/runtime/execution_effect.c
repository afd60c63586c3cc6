/* execution_effect.c - one effect's way: ledger, intent, driver, outcome. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution_private.h"

enum { TRIES_MAX = 3 };

static void deliver(ck_effect_sink *sink, ck_outcome *outcome) {
  ck_runner *self = ((ck_runner_sink *)sink)->runner;
  self->run = NULL;
  self->delivered = true;
  self->outcome = outcome;
  ck_waker_wake(self->execution->options.waker);
}

static void ignore_update(ck_effect_sink *sink, ck_bytes chunk) { (void)sink, (void)chunk; }

static const ck_effect_driver *find_driver(const ck_execution *self, const ck_effect *effect) {
  for (const ck_effect_driver *const *d = self->options.drivers; d && *d; d++)
    if ((*d)->serves((*d)->self, effect)) return *d;
  return NULL;
}

/* Scope, position, kind and ordinal name the place; never the call's id. */
static ck_status make_key(ck_runner *self, ck_error *err) {
  ck_effect *effect = &self->effect;
  *effect = self->yield.effect;
  uint32_t ordinal = self->yield.ordinal ? self->yield.ordinal : ++self->ordinals[effect->kind];
  int len = snprintf(self->key, sizeof self->key, "%s/%s/%s/%u", self->scope, self->path, ck_effect_kind_name(effect->kind),
                     ordinal);
  if (len < 0 || (size_t)len >= sizeof self->key)
    return ck_error_set(err, CK_E_RANGE, "the position \"%.64s…\" of scope %s is too long for an effect's key", self->path, self->scope);
  effect->key = self->key;
  bool fresh;
  ck_status status = ck_runner_use(&fresh, self->used, self->key, err);
  if (status == CK_OK && !fresh)
    status = ck_error_set(err, CK_E_FLOW, "the flow asks for effect %s a second time at one position", self->key);
  return status;
}

static void name_label(ck_runner *self) {
  ck_buffer name = {0};
  ck_json_read_string(&name, ck_json_get(ck_value_bytes(self->request), "name"));
  snprintf(self->label, sizeof self->label, "%s", name.data ? name.data : "");
  ck_buffer_clear(&name);
}

static ck_progress news_of(const ck_runner *self, const char *what) {
  return (ck_progress){.what = what, .key = self->key, .text = *self->label ? self->label : NULL};
}

static void tell(const ck_runner *self, const char *what) {
  ck_progress progress = news_of(self, what);
  ck_execution_tell(self->execution, &progress);
}

/* Completes what the engine left to the runtime, and digests what is asked. */
static ck_status prepare(ck_runner *self, ck_error *err) {
  ck_session *session = self->execution->session;
  ck_scope *scope;
  ck_value *asked = NULL;
  ck_value_free(self->request);
  self->request = NULL;
  self->effect.scope = self->scope;
  self->effect.attempt = session->timeline.attempt;
  ck_status status = ck_session_scope(&scope, session, self->scope, err);
  if (status != CK_OK) return status;
  self->effect.consumed = ck_scope_consumed(scope);
  self->effect.conversation = self->effect.kind == CK_EFFECT_MODEL ? ck_scope_conversation(scope) : NULL;
  status = ck_value_copy(&asked, self->effect.request, err);
  if (status == CK_OK)
    status = ck_redactor_apply(&self->request, session->redactor, CK_SINK_REQUEST, NULL, asked, err);
  if (status == CK_OK && !self->request) status = ck_value_copy(&self->request, ck_bytes_text("null"), err);
  ck_value_free(asked);
  if (status != CK_OK) return status;
  ck_request_digest(self->digest, &self->effect, ck_value_bytes(self->request));
  name_label(self);
  return CK_OK;
}

/* What must not be lost to a power cut: money, things done once, a person's words. */
static ck_durability durability_of(const ck_effect *effect, const ck_outcome *outcome) {
  bool costs = effect->reserve_micros != 0 || (outcome && outcome->cost_micros != 0);
  bool once = effect->class == CK_EFFECT_ONCE || (outcome && effect->kind == CK_EFFECT_ASK);
  return costs || once ? CK_DURABLE_POWER : CK_DURABLE_PROCESS;
}

static ck_status refuse_masked(ck_runner *self, ck_error *err);

static ck_status commit_intent(ck_runner *self, ck_error *err) {
  ck_session *session = self->execution->session;
  if (self->effect.kind == CK_EFFECT_TOOL && ck_redact_is_masked(self->effect.request)) return refuse_masked(self, err);
  ck_value *body;
  ck_status status = ck_ledger_write_intent(&body, &self->effect, self->digest, ck_value_bytes(self->request), err);
  if (status != CK_OK) return status;
  status = ck_session_append(session, CK_EVENT_INTENT, self->scope, self->effect.agent, body, err);
  ck_value_free(body);
  if (status == CK_OK) status = ck_session_push(&self->ticket, session, durability_of(&self->effect, NULL), err);
  self->probing = false;
  self->phase = CK_PHASE_INTENT;
  return status;
}

static ck_status record_divergence(ck_runner *self, const char *recorded, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", self->key);
  ck_json_member_text(&w, "recorded", recorded);
  ck_json_member_text(&w, "asked", self->digest);
  ck_json_end(&w, '}');
  ck_value *body = NULL;
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK)
    status = ck_session_append(self->execution->session, CK_EVENT_DIVERGENCE, self->scope, self->effect.agent, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

/* The message a done effect adds to the conversation; NULL when it adds none. */
static ck_status make_message(ck_value **out, const ck_effect *effect, const ck_outcome *outcome, ck_error *err) {
  *out = NULL;
  bool answered = outcome->status == CK_OUTCOME_OK, told = answered || outcome->status == CK_OUTCOME_ERROR;
  if (effect->kind == CK_EFFECT_MODEL && answered) {
    *out = ck_value_share(outcome->result);
    return CK_OK;
  }
  if (effect->kind == CK_EFFECT_ASK && answered) return ck_message_user(out, ck_value_bytes(outcome->result), err);
  if (effect->kind != CK_EFFECT_TOOL || !told) return CK_OK;
  ck_value *text = NULL;
  ck_status status = CK_OK;
  if (!outcome->result) status = ck_value_text(&text, ck_bytes_text(outcome->error ? outcome->error : ""), err);
  char *call_id = ck_json_dup_string(ck_json_get(effect->request, "call_id"));
  char *name = ck_json_dup_string(ck_json_get(effect->request, "name"));
  if (status == CK_OK)
    status = ck_message_tool(out, call_id, name ? name : "", ck_value_bytes(text ? text : outcome->result), err);
  ck_value_free(text);
  free(call_id);
  free(name);
  return status;
}

/* The outcome's event, folded and queued; then the strand can go on with it. Takes `outcome`. */
static ck_status record_outcome(ck_runner *self, ck_outcome *outcome, const char *via, ck_error *err) {
  ck_session *session = self->execution->session;
  ck_value *message = NULL, *body = NULL;
  uint64_t ticket;
  self->outcome = outcome;
  ck_status status = make_message(&message, &self->effect, outcome, err);
  if (status == CK_OK) status = ck_ledger_write_outcome(&body, &self->effect, outcome, self->digest, via, message, err);
  if (status == CK_OK) status = ck_session_record_outcome(session, &self->effect, body, &outcome->seq, err);
  if (status == CK_OK) status = ck_session_push(&ticket, session, durability_of(&self->effect, outcome), err);
  ck_progress news = news_of(self, "outcome");
  if (status == CK_OK && outcome->status != CK_OUTCOME_ENDED) ck_news_push(&self->execution->news, &news, ticket);
  ck_value_free(message);
  ck_value_free(body);
  self->phase = CK_PHASE_READY;
  return status;
}

static ck_status replay(ck_runner *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_status status = ck_ledger_read_outcome(&self->outcome, entry->outcome, entry->outcome_seq, err);
  if (status == CK_OK)
    status = ck_session_record_replay(self->execution->session, &self->effect, entry->outcome, entry->outcome_seq, err);
  self->execution->counts.replayed++;
  tell(self, "replay");
  self->phase = CK_PHASE_READY;
  return status;
}

static ck_status apply_resolution(ck_runner *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_ledger_read_resolution(&outcome, entry, err);
  return status == CK_OK ? record_outcome(self, outcome, "resolution", err) : status;
}

static ck_status stop_in_doubt(ck_runner *self, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "effect %s (%s) was begun and its outcome is not known", self->key,
           ck_effect_class_name(self->effect.class));
  return ck_execution_finish(self->execution, CK_SESSION_IN_DOUBT, CK_E_IN_DOUBT, text, NULL, err);
}

/* Neither ledger nor probe can tell: the policies decide; without an opinion the session stops. */
static ck_status settle_doubt(ck_runner *self, ck_error *err) {
  const ck_policy_engine *policies = self->execution->session->policies;
  ck_doubt_answer answer = CK_DOUBT_STOP;
  ck_error failure = CK_ERROR_INIT;
  if (policies->in_doubt && policies->in_doubt(&answer, policies->self, &self->effect, &failure) != CK_OK)
    answer = CK_DOUBT_STOP;
  if (answer == CK_DOUBT_RERUN) return commit_intent(self, err);
  if (answer == CK_DOUBT_STOP) return stop_in_doubt(self, err);
  ck_outcome *outcome;
  ck_status status = ck_outcome_new(&outcome, CK_OUTCOME_ERROR, NULL,
                                    "this call was interrupted; whether it took effect is not known", err);
  return status == CK_OK ? record_outcome(self, outcome, "policy", err) : status;
}

static bool can_probe(const ck_runner *self) {
  const ck_effect_driver *driver = self->driver;
  return driver->probe && (!driver->probes || driver->probes(driver->self, &self->effect));
}

static ck_status start_probe(ck_runner *self, ck_error *err) {
  self->probing = true;
  return ck_runner_start_effect(self, err);
}

static ck_status stop_diverged(ck_runner *self, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "effect %s (%s) was recorded with another request: the flow or its inputs have changed",
           self->key, ck_effect_class_name(self->effect.class));
  return ck_execution_finish(self->execution, CK_SESSION_FAILED, CK_E_DIVERGED, text, NULL, err);
}

static ck_status fail_without_driver(ck_runner *self, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "nothing can carry out %s effect %s: give a recording with --cassette%s",
           ck_effect_kind_name(self->effect.kind), self->key,
           self->effect.kind == CK_EFFECT_TOOL ? ", or the tool a command" : "");
  return ck_execution_finish(self->execution, CK_SESSION_FAILED, CK_E_UNSUPPORTED, text, NULL, err);
}

/* A call that came back from the store without what was secret in it. The model is told, and can ask again. */
static ck_status refuse_masked(ck_runner *self, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_outcome_new(&outcome, CK_OUTCOME_ERROR, NULL,
                                    "not run: its arguments held a secret that was not stored; call it again with them", err);
  return status == CK_OK ? record_outcome(self, outcome, "redaction", err) : status;
}

/* Begun, no outcome, no word of a person on it: whatever its class, asking comes before running again. */
static bool is_open(const ck_ledger_entry *entry) { return entry && entry->open && entry->verdict == CK_VERDICT_NONE; }

static ck_status act_on(ck_runner *self, const ck_ledger_case *found, const ck_ledger_entry *entry, ck_error *err) {
  ck_status status = CK_OK;
  if (found->diverged)
    status = record_divergence(self, entry->open ? entry->intent_digest : entry->outcome_digest, err);
  if (status != CK_OK) return status;
  if (found->repeated && found->answer == CK_LEDGER_RUN) self->execution->session->clean = false;
  if (is_open(entry) && !found->diverged && can_probe(self)) return start_probe(self, err);
  switch (found->answer) {
    case CK_LEDGER_REPLAY: return replay(self, entry, err);
    case CK_LEDGER_RESOLVED: return apply_resolution(self, entry, err);
    case CK_LEDGER_DIVERGED: return stop_diverged(self, err);
    case CK_LEDGER_DOUBT: return settle_doubt(self, err);
    case CK_LEDGER_RUN: break;
  }
  return commit_intent(self, err);
}

ck_status ck_runner_begin_effect(ck_runner *self, ck_error *err) {
  ck_error misplaced = CK_ERROR_INIT;
  ck_status status = make_key(self, &misplaced);
  if (status != CK_OK) return ck_execution_finish(self->execution, CK_SESSION_FAILED, status, misplaced.text, NULL, err);
  status = prepare(self, err);
  if (status != CK_OK) return status;
  self->tries = 0;
  self->driver = find_driver(self->execution, &self->effect);
  if (!self->driver) return fail_without_driver(self, err);
  const ck_ledger_entry *entry = ck_ledger_get(self->execution->session->ledger, self->key);
  ck_ledger_case found = ck_ledger_decide(entry, &self->effect, self->digest);
  return act_on(self, &found, entry, err);
}

ck_status ck_runner_start_effect(ck_runner *self, ck_error *err) {
  const ck_effect_driver *driver = self->driver;
  self->sink = (ck_runner_sink){.sink = {.update = ignore_update, .done = deliver}, .runner = self};
  self->delivered = false;
  self->phase = CK_PHASE_DRIVER;
  ck_error failure = CK_ERROR_INIT;
  tell(self, self->probing ? "probe" : "effect");
  ck_status status = self->probing ? driver->probe(&self->run, driver->self, &self->effect, &self->sink.sink, &failure)
                                   : driver->start(&self->run, driver->self, &self->effect, &self->sink.sink, &failure);
  if (status == CK_OK) return CK_OK;
  self->delivered = true;
  status = ck_outcome_new(&self->outcome, CK_OUTCOME_FAILED, NULL, failure.text, err);
  if (status == CK_OK) self->outcome->error_status = failure.status;
  return status;
}

static void count(ck_runner *self) {
  ck_execution_counts *counts = &self->execution->counts;
  if (self->outcome->status == CK_OUTCOME_ENDED) return;
  if (self->effect.kind == CK_EFFECT_MODEL) counts->model_calls++;
  if (self->effect.kind == CK_EFFECT_TOOL) counts->tool_calls++;
  if (self->effect.kind == CK_EFFECT_ASK) counts->asks++;
}

/* It could not be carried out: known, so not in doubt; the policies may try again, at most TRIES_MAX times in all. */
static ck_status handle_failure(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  const ck_policy_engine *policies = execution->session->policies;
  ck_status cause = self->outcome->error_status != CK_OK ? self->outcome->error_status : CK_E_FAILED;
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "effect %s: %s", self->key, self->outcome->error ? self->outcome->error : "failed");
  ck_status status = record_outcome(self, self->outcome, self->driver->name, err);
  ck_outcome_free(self->outcome);
  self->outcome = NULL;
  if (status != CK_OK) return status;
  execution->session->clean = false;
  ck_failure_answer answer = CK_FAILURE_FAIL;
  ck_failure failure = {.key = self->key, .status = cause, .error = text, .attempt = self->effect.attempt};
  ck_error ignored = CK_ERROR_INIT;
  if (policies->on_failure && policies->on_failure(&answer, policies->self, &failure, &ignored) != CK_OK)
    answer = CK_FAILURE_PAUSE;
  if (answer == CK_FAILURE_RETRY && ++self->tries < TRIES_MAX) return commit_intent(self, err);
  return ck_execution_finish(execution, answer == CK_FAILURE_PAUSE ? CK_SESSION_PAUSED : CK_SESSION_FAILED, cause, text, NULL,
                             err);
}

/* What a probe found: the outcome itself, that nothing happened (so it runs now), or that it cannot tell. */
static ck_status complete_probe(ck_runner *self, ck_error *err) {
  ck_outcome *found = self->outcome;
  if (found->status == CK_OUTCOME_OK || found->status == CK_OUTCOME_ERROR || found->status == CK_OUTCOME_ENDED)
    return record_outcome(self, found, self->driver->name, err);
  bool harmless = self->effect.class == CK_EFFECT_PURE || self->effect.class == CK_EFFECT_IDEMPOTENT;
  bool runs = found->status == CK_OUTCOME_ABSENT || harmless;
  ck_outcome_free(found);
  self->outcome = NULL;
  return runs ? commit_intent(self, err) : settle_doubt(self, err);
}

ck_status ck_runner_complete_effect(ck_runner *self, ck_error *err) {
  self->delivered = false;
  if (self->probing) return complete_probe(self, err);
  if (self->outcome->status == CK_OUTCOME_FAILED) return handle_failure(self, err);
  count(self);
  return record_outcome(self, self->outcome, self->driver->name, err);
}
