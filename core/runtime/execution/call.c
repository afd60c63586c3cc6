/* call.c - an effect is asked for: its key, the ledger's answer, its limits, its intent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/sources.h"
#include "core/runtime/execution/action.h"
#include "core/runtime/execution/aside.h"
#include "core/runtime/execution/call_dropped.h"
#include "core/runtime/execution/call_retry.h"
#include "core/runtime/execution/corrections.h"
#include "core/runtime/execution/fallback.h"
#include "core/runtime/execution/limits.h"
#include "core/runtime/execution/unsettled.h"
#include "core/runtime/execution/untrusted.h"

static ck_status stop_diverged(ck_call *self) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text,
           "effect %s (%s) was recorded with another request: the flow or its inputs have changed; "
           "a resume asks what is to become of it, 'ckrun sessions fork %s --checkpoint ID' goes "
           "on without what was done",
           self->key, ck_effect_class_name(self->class), ck_session_id(ck_call_session(self)));
  ck_call_leave(self, CK_SESSION_FAILED, CK_E_DIVERGED, text);
  return CK_OK;
}

static ck_status stop_without_driver(ck_call *self) {
  char text[CK_ERROR_TEXT_MAX];
  ck_bytes name = ck_json_get(self->effect.request, "name"); /* of a tool; in quotes */
  snprintf(text, sizeof text,
           "nothing can carry out %s %.*s%seffect %s: give a recording with --cassette%s",
           ck_effect_kind_name(self->effect.kind), (int)(name.len < 200 ? name.len : 200),
           name.len ? name.data : "", name.len ? ", " : "", self->key,
           self->effect.kind == CK_EFFECT_TOOL    ? ", or the tool a command"
           : self->effect.kind == CK_EFFECT_MODEL ? ", or the profile its model"
                                                  : "");
  ck_call_leave(self, CK_SESSION_FAILED, CK_E_UNSUPPORTED, text);
  return CK_OK;
}

/* ---- the effect ---- */

/* Scope, position, kind and ordinal make the key; never the id that a model gave the call. */
static ck_status make_key(ck_call *self, const ck_flow_ask *asked, ck_error *err) {
  char name[CK_STATE_KEY_MAX];
  ck_runner *runner = self->runner;
  ck_effect *effect = &self->effect;
  *effect = asked->effect;
  if (!effect->agent) effect->agent = runner->agent;
  uint32_t ordinal = asked->ordinal ? asked->ordinal : ++runner->ordinals[effect->kind];
  ck_runner_name(name, runner);
  int len = snprintf(self->key, sizeof self->key, "%s/%s/%s/%u", name, runner->path,
                     ck_effect_kind_name(effect->kind), ordinal);
  if (len < 0 || (size_t)len >= sizeof self->key)
    return ck_error_set(err, CK_E_RANGE,
                        "the position \"%.64s…\" of scope %s is too long for an effect's key",
                        runner->path, runner->scope);
  effect->key = self->key;
  bool fresh;
  ck_status status = ck_runner_use(&fresh, runner->used, self->key, err);
  if (status == CK_OK && !fresh)
    status = ck_error_set(err, CK_E_FLOW,
                          "the flow asks for effect %s a second time at one position", self->key);
  return status;
}

static bool pays(const char *const *payers, const char *agent) {
  while (*payers && strcmp(*payers, agent) != 0) payers++;
  return *payers != NULL;
}

/* Everyone for whom its cost counts, once, the one who acts first: an agent can be asked by one
 * that it has asked. */
static ck_status list_payers(ck_call *self, ck_error *err) {
  size_t count = 0;
  const char *first = self->effect.agent;
  self->payers = calloc((size_t)self->runner->depth + 3, sizeof *self->payers);
  if (!self->payers) return ck_error_no_memory(err);
  if (first) self->payers[count++] = first;
  for (const ck_runner *runner = self->runner; runner; runner = runner->parent)
    if (runner->agent && !pays(self->payers, runner->agent)) self->payers[count++] = runner->agent;
  self->effect.payers = count ? self->payers : NULL;
  self->effect.depth = ck_runner_agents_above(self->runner);
  return CK_OK;
}

/* Fills in the fields that the engine leaves to the runtime, and digests the request. */
static ck_status prepare(ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  ck_effect *effect = &self->effect;
  ck_scope *scope;
  effect->scope = self->runner->scope;
  effect->attempt = session->timeline.attempt;
  ck_status status = ck_session_scope(&scope, session, effect->scope, err);
  if (status != CK_OK) return status;
  effect->consumed = ck_scope_consumed(scope);
  if (effect->kind == CK_EFFECT_MODEL && self->messages) {
    effect->conversation = self->messages;
  } else if (effect->kind == CK_EFFECT_MODEL) {
    effect->conversation = ck_scope_conversation(scope);
    status = ck_conversation_unpack(ck_scope_conversation(scope), err);
  } else {
    effect->conversation = NULL;
  }
  if (status == CK_OK) status = ck_untrusted_show(self, err);
  if (status == CK_OK) status = ck_call_redact_request(self, err);
  if (status == CK_OK) status = list_payers(self, err);
  if (status != CK_OK) return status;
  ck_request_digest(self->digest, effect, ck_value_bytes(self->request));
  return CK_OK;
}

/* A sleep counts from its first intent, whichever run that was in. */
static void set_begun_ms(ck_call *self, const ck_ledger_entry *entry) {
  const ck_clock *clock = &self->runner->execution->options.clock;
  self->effect.begun_ms = clock->wall_ms(clock->self);
  if (entry && entry->open && entry->intent)
    ck_json_read_int(&self->effect.begun_ms, ck_json_get(ck_value_bytes(entry->intent), "begun"));
}

/* ---- the ledger's answer ---- */

/* The message made from the outcome gets the new id. */
static bool is_same_action(const ck_call *self, const ck_ledger_entry *entry) {
  bool settled = entry && (!entry->open || entry->verdict != CK_VERDICT_NONE);
  return self->in_batch && settled && entry->intent &&
         ck_ledger_is_same_action(ck_value_bytes(self->request),
                                  ck_json_get(ck_value_bytes(entry->intent), "request"));
}

static ck_status record_blocked(ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  ck_value *body;
  uint64_t ticket;
  ck_effect blocked = self->effect;
  blocked.class = self->class;
  ck_status status =
      ck_ledger_write_blocked(&body, &blocked, self->digest, ck_value_bytes(self->request), err);
  if (status != CK_OK) return status;
  status = ck_session_append(session, CK_EVENT_INTENT, self->effect.scope, self->effect.agent, body,
                             err);
  ck_value_free(body);
  return status == CK_OK ? ck_session_push(&ticket, session, CK_DURABLE_POWER, err) : status;
}

/* An action in whose place another one was carried out in an earlier attempt, before the session
 * went back: nobody here can tell whether the other stands for this one, so it is neither replayed
 * nor run. */
static ck_status block(ck_call *self, ck_error *err) {
  ck_status status = record_blocked(self, err);
  self->blocked = true;
  return status == CK_OK ? ck_call_settle_doubt(self, CK_DOUBT_STOP, err) : status;
}

/* A forked scope's effect that failed in this very attempt: its parent may have gone on because of
 * that, and done what must not be done beside a success. A failure that passes (a service that was
 * away), or an effect that was never carried out, may be tried again; so may one that was to be. */
static bool failed_before(const ck_call *self, const ck_ledger_entry *entry) {
  if (!self->runner->parent || !entry || entry->open || !entry->outcome ||
      entry->outcome_attempt != self->effect.attempt || ck_call_has_retry(self, entry))
    return false;
  ck_bytes body = ck_value_bytes(entry->outcome);
  return ck_json_is_text(ck_json_get(body, "status"), "failed") &&
         ck_request_digest_is_of(self->digest, &self->effect, entry->outcome_digest,
                                 entry->intent) &&
         !ck_ledger_failed_in_passing(body);
}

/* Begun again after it has failed or was lost, in the session's lineage. What had succeeded is
 * asked anew because a person went back; what was held back, put off, or waited for a person had
 * not begun; a call of the flow's own is never half done, so another one stood in its place. */
static bool is_retry(const ck_call *self, const ck_ledger_case *found,
                     const ck_ledger_entry *entry) {
  const ck_ledger *ledger = ck_call_session(self)->ledger;
  if (found->state == CK_LEDGER_NOTHING || entry->blocked || self->effect.own ||
      ck_call_waits_only(&self->effect) || !ck_ledger_went_wrong(ledger, entry))
    return false;
  if (found->state == CK_LEDGER_FAILED || found->state == CK_LEDGER_ERROR)
    return ck_ledger_is_failure(ck_value_bytes(entry->outcome));
  return found->state != CK_LEDGER_OK && found->state != CK_LEDGER_ACTED_ON &&
         found->state != CK_LEDGER_BLOCKED;
}

/* An effect that only waits is put off when the session is to end. */
static ck_status run(ck_call *self, const ck_ledger_case *found, const ck_ledger_entry *entry,
                     ck_error *err) {
  ck_execution *execution = self->runner->execution;
  bool fails = false, waits = ck_call_waits_only(&self->effect);
  self->again = is_retry(self, found, entry);
  self->tried = found->state != CK_LEDGER_NOTHING;
  if (ck_call_restore_retry(self, entry)) return ck_call_go_on_waiting(self, entry, err);
  if (failed_before(self, entry)) {
    ck_status status = ck_call_fail_again(&fails, self, entry, err);
    if (status != CK_OK || fails) return status;
  }
  self->phase = CK_CALL_LEFT;
  if (execution->ending.status && waits) return CK_OK;
  ck_status status = ck_fallback_begin(self, entry, err);
  return status == CK_OK ? ck_call_commit_intent(self, err) : status;
}

/* Carries out what the ledger's table says. */
static ck_status act_on_ledger(ck_call *self, const ck_ledger_case *found,
                               const ck_ledger_entry *entry, ck_error *err) {
  ck_plan plan = ck_ledger_plan(found);
  ck_status status = CK_OK;
  self->blocked = found->state == CK_LEDGER_BLOCKED;
  if (plan.diverged)
    status = ck_call_record_divergence(
        self, entry->open ? entry->intent_digest : entry->outcome_digest, err);
  if (status == CK_OK && plan.diverged) status = ck_call_drop_answer(self, entry, err);
  if (status != CK_OK) return status;
  switch (plan.action) {
    case CK_PLAN_REPLAY:
      return ck_call_replay(self, entry, err);
    case CK_PLAN_RESOLVE:
      return ck_call_apply_resolution(self, entry, err);
    case CK_PLAN_PROBE:
      return ck_call_probe(self, err);
    case CK_PLAN_DOUBT:
      return ck_call_settle_doubt(self, CK_DOUBT_STOP, err);
    case CK_PLAN_BLOCK:
      return block(self, err);
    case CK_PLAN_DIVERGE:
      return stop_diverged(self);
    default:
      return run(self, found, entry, err);
  }
}

static void recall(ck_call *self) {
  const ck_ledger_request asked = {.attempt = self->effect.attempt,
                                   .digest = self->digest,
                                   .request = ck_value_bytes(self->request),
                                   .by_model = self->in_batch};
  ck_ledger_recall(ck_call_session(self)->ledger, self->key, &asked);
}

/* The first call of an agent that is not replayed may have to tell the agent what it has lost (see
 * context.c), or what a person has found out (corrections.h): that is part of the request. */
static ck_status consult(ck_ledger_case *out, ck_call *self, ck_error *err) {
  const ck_ledger *ledger = ck_call_session(self)->ledger;
  bool notified, told = false, corrected = false;
  ck_status status = ck_call_restore_notifications(&notified, self, err);
  if (status == CK_OK) status = ck_corrections_restore(&told, self, err);
  if (notified || told)
    ck_request_digest(self->digest, &self->effect, ck_value_bytes(self->request));
  *out = ck_ledger_find(ledger, &self->effect, self->digest);
  if (status != CK_OK || ck_ledger_plan(out).action != CK_PLAN_RUN) return status;
  bool had_tail = notified;
  if (!had_tail) status = ck_call_notify_agent(&notified, self, err);
  if (status == CK_OK) status = ck_corrections_tell(&corrected, self, err);
  if (status != CK_OK || (had_tail == notified && !corrected)) return status;
  ck_request_digest(self->digest, &self->effect, ck_value_bytes(self->request));
  *out = ck_ledger_find(ledger, &self->effect, self->digest);
  return status;
}

static ck_status begin_call(ck_call *self, const ck_flow_ask *asked, ck_error *err) {
  ck_error misplaced = CK_ERROR_INIT;
  self->phase = CK_CALL_LEFT;
  ck_status status = make_key(self, asked, &misplaced);
  if (status == CK_OK) status = ck_call_take_messages(self, &misplaced);
  if (status != CK_OK) {
    ck_call_fail(self, misplaced.status, misplaced.text);
    return CK_OK;
  }
  status = prepare(self, err);
  if (status != CK_OK) return status;
  if (!self->effect.own)
    self->driver = ck_execution_find_driver(self->runner->execution, &self->effect);
  if (!self->driver && !self->effect.own) return stop_without_driver(self);
  recall(self);
  const ck_ledger_entry *entry = ck_ledger_get(ck_call_session(self)->ledger, self->key);
  ck_ledger_case found;
  status = consult(&found, self, err);
  self->class = found.class;
  found.probes = ck_driver_probes(self->driver, &self->effect);
  if (found.request == CK_REQUEST_OTHER && is_same_action(self, entry))
    found.request = CK_REQUEST_RENAMED;
  set_begun_ms(self, entry);
  ck_fallback_restore(self, entry);
  return status == CK_OK ? act_on_ledger(self, &found, entry, err) : status;
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
    call->sink.sink.permit = ck_action_ask;
    call->sink.sink.forget = ck_action_forget;
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
  if (count == 0)
    return ck_runner_fail(self, CK_E_FLOW, "the flow asks for effects, and names none", err);
  ck_status status = make_calls(self, count, err);
  if (status == CK_OK) status = ck_untrusted_look(self, err);
  self->phase = CK_PHASE_CALLS;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    status = begin_call(self->calls[i], &asks[i], err);
    if (status == CK_OK) status = ck_reserves_follow(self->calls[i], err);
  }
  return status;
}
