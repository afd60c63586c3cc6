/* call_doubt.c - an effect's intent is committed, or the effect is in doubt: a policy or a person
 * settles that. */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/runtime/execution/action.h"
#include "core/runtime/execution/call_dropped.h"
#include "core/runtime/execution/call_masked.h"
#include "core/runtime/execution/call_permit.h"
#include "core/runtime/execution/fitted.h"
#include "core/runtime/execution/limits.h"
#include "core/runtime/execution/undecided.h"
#include "core/runtime/execution/unsettled.h"
#include "core/runtime/execution/untrusted.h"
#include "core/runtime/session/boundary_event.h"

/* ---- the intent ---- */

/* False in *may: it is denied, held back by a limit, or a person is asked. */
static ck_status admit(bool *may, ck_call *self, ck_error *err) {
  bool denied;
  *may = false;
  ck_status status = ck_permit_judge(&denied, self, err);
  if (status != CK_OK || denied) return status;
  status = ck_limits_admit(may, self, err);
  return status == CK_OK && *may ? ck_permit_ask(may, self, err) : status;
}

/* The flow carries it out: that it was called is all there is to record. */
static ck_status record_own(ck_call *self, ck_error *err) {
  ck_outcome *outcome;
  bool may;
  ck_status status = admit(&may, self, err);
  if (status != CK_OK || !may) return status;
  status = ck_outcome_new(&outcome, CK_OUTCOME_OK, NULL, NULL, err);
  if (status != CK_OK) return status;
  self->runner->execution->counts.tool_calls++;
  ck_call_notify(self, "effect");
  ck_permit_keep_answers(self, CK_EVENT_OUTCOME);
  return ck_call_record(self, outcome, "flow", err);
}

/* The most that it can take; where limits are in force, no more than they leave. */
static void set_reserve(ck_call *self) {
  const ck_effect_driver *driver = self->driver;
  ck_allowance left;
  ck_reserves_withdraw(self);
  self->effect.reserve_micros = driver->reserve ? driver->reserve(driver->self, &self->effect) : 0;
  self->effect.reserve_tokens = -1;
  self->effect.output_max = 0;
  self->effect.fitted = CK_FIT_NONE;
  if (driver->fit && ck_limits_get_left(&left, self))
    driver->fit(driver->self, &self->effect, &left);
  ck_fitted_remember(self);
}

ck_status ck_call_commit_intent(ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  ck_value *body;
  if (self->action) return ck_action_allow(self, err);
  if (self->effect.own) return record_own(self, err);
  bool may, refused;
  ck_status status = ck_call_refuse_masked(&refused, self, err);
  if (status != CK_OK || refused) return status;
  status = ck_unsettled_count(self, err);
  if (status == CK_OK) set_reserve(self);
  if (status == CK_OK) status = ck_untrusted_show(self, err);
  if (status == CK_OK) status = admit(&may, self, err);
  if (status != CK_OK || !may) return status;
  status = ck_untrusted_tell(self, self->effect.untrusted, err);
  if (status != CK_OK) return status;
  status = ck_ledger_write_intent(&body, &self->effect, self->digest, ck_value_bytes(self->request),
                                  err);
  if (status == CK_OK) status = ck_permit_keep_place(&body, self, err);
  if (status == CK_OK) status = ck_call_keep_dropped(&body, self, err);
  if (status != CK_OK) {
    ck_value_free(body);
    return status;
  }
  ck_permit_keep_answers(self, CK_EVENT_INTENT);
  status = ck_session_append(session, CK_EVENT_INTENT, self->effect.scope, self->effect.agent, body,
                             err);
  ck_value_free(body);
  self->begun |= status == CK_OK;
  if (self->again) ck_session_count_retry(session); /* no limit has held it back */
  self->again = false;
  if (status == CK_OK)
    status = ck_session_push(&self->ticket, session, ck_call_durability(&self->effect, NULL), err);
  ck_outcome_free(self->lost);
  self->lost = NULL;
  self->class = self->effect.class;
  self->effect.tried = self->tried;
  self->probing = false;
  self->settled = false;
  self->phase = CK_CALL_INTENT;
  return status;
}

/* ---- the doubt ---- */

void ck_call_leave(ck_call *self, ck_session_status status, ck_status cause, const char *text) {
  self->phase = CK_CALL_LEFT;
  ck_execution_end_at(self->runner->execution, ck_runner_node(self->runner), status, cause, text);
}

/* A person decides whether the action done in its place counts for it. */
static void describe_blocked(char text[CK_ERROR_TEXT_MAX], const ck_call *self) {
  snprintf(text, CK_ERROR_TEXT_MAX,
           "in the place of effect %s (%s) another request was carried out before the session went "
           "back: it stands for this one (done), this one is to be made as well (retry), or is not "
           "to be made (abort)",
           self->key, ck_effect_class_name(self->class));
}

static void describe_doubt(char text[CK_ERROR_TEXT_MAX], const ck_call *self) {
  const char *why = self->lost ? self->lost->error : NULL;
  ck_text_format(text, CK_ERROR_TEXT_MAX,
                 "effect %s (%s) was begun and its outcome is not known%s%s", self->key,
                 ck_effect_class_name(self->class), why ? ": " : "", why ? why : "");
}

/* `failed`: a policy that was asked; CK_OK: none. */
static ck_status stop(ck_call *self, const ck_error *failed) {
  char text[CK_ERROR_TEXT_MAX];
  if (self->blocked)
    describe_blocked(text, self);
  else
    describe_doubt(text, self);
  if (failed->status != CK_OK) ck_undecided_append(text, failed);
  ck_call_leave(self, CK_SESSION_IN_DOUBT, CK_E_IN_DOUBT, text);
  return CK_OK;
}

ck_status ck_call_stop_in_doubt(ck_call *self) {
  const ck_error none = CK_ERROR_INIT;
  return stop(self, &none);
}

/* Of an ending that told nothing: what its driver knows of the cost, else all that was reserved. */
static void put_lost_cost(ck_outcome *out, const ck_call *self) {
  bool reserves = self->left_open && self->effect.reserve_micros > 0;
  out->cost_micros = self->lost ? self->lost->cost_micros : 0;
  out->reserved_micros = self->lost ? self->lost->reserved_micros : 0;
  ck_outcome_count_reserve(out,
                           reserves ? self->effect.reserve_micros : ck_unsettled_reserve(self));
}

static ck_status record_settled(ck_call *self, ck_outcome *outcome, const char *via,
                                ck_error *err) {
  put_lost_cost(outcome, self);
  self->left_open = false;
  ck_unsettled_release(self);
  ck_outcome_free(self->lost);
  self->lost = NULL;
  return ck_call_record(self, outcome, via, err);
}

/* A try that came to nothing, at its cost. */
static ck_status record_lost(ck_call *self, ck_outcome *lost, ck_error *err) {
  const ck_effect *effect = &self->effect;
  ck_value *body;
  lost->status = CK_OUTCOME_FAILED;
  lost->error_status = CK_E_INTERRUPTED;
  ck_status status = ck_ledger_write_outcome(&body, effect, lost, self->digest, "lost", NULL, err);
  if (status != CK_OK) return status;
  ck_event event = {
      .kind = CK_EVENT_OUTCOME, .scope = effect->scope, .agent = effect->agent, .body = body};
  status = ck_session_record_cost(ck_call_session(self), &event, err);
  ck_value_free(body);
  return status;
}

ck_status ck_call_run_again(ck_call *self, ck_error *err) {
  self->again |= self->settled;
  self->settled = false;
  self->tried = true;
  if (!self->left_open) return ck_call_commit_intent(self, err);
  ck_outcome unsettled = {.error = self->lost ? self->lost->error : NULL,
                          .input_tokens = self->lost ? self->lost->input_tokens : 0,
                          .output_tokens = self->lost ? self->lost->output_tokens : 0};
  put_lost_cost(&unsettled, self);
  self->left_open = false;
  ck_status status = record_lost(self, &unsettled, err);
  self->again = true;
  return status == CK_OK ? ck_call_commit_intent(self, err) : status;
}

ck_status ck_call_settle_try(ck_call *self, const ck_outcome *known, ck_error *err) {
  uint64_t ticket;
  ck_outcome lost = {.error = known->error,
                     .cost_micros = known->cost_micros,
                     .input_tokens = known->input_tokens,
                     .output_tokens = known->output_tokens};
  ck_status status = record_lost(self, &lost, err);
  if (status != CK_OK) return status;
  self->settled = true;
  ck_reserves_withdraw(self);
  ck_runner_wake(self->runner); /* others may wait for room */
  if (ck_session_push(&ticket, ck_call_session(self), CK_DURABLE_POWER, err) != CK_OK)
    ck_waker_wake(self->runner->execution->options.waker); /* the next turn meets that, too */
  return CK_OK;
}

/* ---- an unknown outcome as the result ---- */

static const char may_have_happened[] =
    "whether this call took effect is not known: it may have happened, and is not made again by "
    "itself";

/* What a tool had written, or how it ended, and what that means. */
static ck_status make_notice(ck_value **out, const ck_call *self, ck_error *err) {
  const ck_outcome *lost = self->lost;
  ck_buffer text = {0};
  if (!lost->result || !ck_json_read_string(&text, ck_value_bytes(lost->result)))
    ck_buffer_append_text(&text, lost->error ? lost->error : "");
  if (!ck_effect_class_repeats(self->class))
    ck_buffer_append_format(&text, "\n%s", may_have_happened);
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = ck_value_text(out, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  return status;
}

/* How it ended, for whoever asked and for people. */
static ck_status write_why(ck_buffer *out, const ck_call *self, ck_outcome_status as,
                           ck_error *err) {
  const ck_outcome *lost = self->lost;
  const char *interrupted = "this call was interrupted; whether it took effect is not known";
  ck_buffer_append_text(out, lost && lost->error ? lost->error : interrupted);
  if (lost && as == CK_OUTCOME_UNKNOWN && !ck_effect_class_repeats(self->class))
    ck_buffer_append_text(out, "; unknown: may have happened");
  return ck_buffer_check(out, err);
}

ck_status ck_call_tell(ck_call *self, ck_outcome_status as, ck_error *err) {
  ck_outcome *outcome;
  ck_value *result = NULL;
  ck_buffer why = {0};
  const ck_outcome *lost = self->lost;
  ck_status status = write_why(&why, self, as, err);
  if (status == CK_OK && lost && self->effect.kind == CK_EFFECT_TOOL && as == CK_OUTCOME_UNKNOWN)
    status = make_notice(&result, self, err);
  else if (lost)
    result = ck_value_share(lost->result);
  if (status == CK_OK) status = ck_outcome_new(&outcome, as, result, why.data, err);
  ck_buffer_clear(&why);
  ck_value_free(result);
  return status == CK_OK ? record_settled(self, outcome, lost ? self->driver->name : "policy", err)
                         : status;
}

/* A failure stops the session. */
static ck_status ask_policies(ck_doubt_answer *out, ck_error *failed, const ck_call *self,
                              ck_error *err) {
  const ck_policy_engine *policies = ck_call_session(self)->policies;
  ck_effect begun = self->effect;
  const ck_ledger_entry *entry = ck_ledger_get(ck_call_session(self)->ledger, self->key);
  begun.class = self->class;
  if (!self->begun && entry && entry->intent)
    ck_json_read_int(&begun.reserve_micros, ck_json_get(ck_value_bytes(entry->intent), "reserve"));
  const ck_clock *clock = &ck_call_session(self)->runtime->clock;
  if (!policies->in_doubt) return CK_OK;
  int64_t begun_us = clock->mono_us(clock->self);
  ck_status status = policies->in_doubt(out, policies->self, &begun, failed);
  out->answers.hook = CK_HOOK_IN_DOUBT;
  out->answers.took_us = clock->mono_us(clock->self) - begun_us;
  if (status == CK_OK) return CK_OK;
  out->word = CK_DOUBT_STOP;
  out->policy = NULL;
  return ck_session_record_policy_error(ck_call_session(self), "in_doubt", failed, err);
}

/* Of what follows: the policy's word, the outcome that is told, or that the session stops. */
static void keep_answers(ck_call *self, const ck_doubt_answer *answer) {
  ck_event_kind kind = answer->word == CK_DOUBT_STOP ? CK_EVENT_SESSION_PAUSED
                       : answer->policy              ? CK_EVENT_RESOLUTION
                                                     : CK_EVENT_OUTCOME;
  if (answer->answers.hook) ck_session_keep_answers(ck_call_session(self), kind, &answer->answers);
}

/* A policy's word stands before what is done by it, so that whoever goes on from here after a kill
 * finds it, and asks nobody again. */
static ck_status record_answer(ck_call *self, const ck_doubt_answer *answer, ck_error *err) {
  ck_value *body;
  if (!answer->policy || answer->word == CK_DOUBT_STOP) return CK_OK;
  ck_status status = ck_ledger_write_policy_verdict(
      &body, self->key, answer->word == CK_DOUBT_RERUN ? "retry" : "tell", answer->policy, err);
  if (status != CK_OK) return status;
  status = ck_session_append(ck_call_session(self), CK_EVENT_RESOLUTION, self->effect.scope, NULL,
                             body, err);
  ck_value_free(body);
  return status;
}

static ck_status tell_blocked(ck_call *self, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_outcome_new(
      &outcome, CK_OUTCOME_ERROR, NULL,
      "not run: another call was made in its place before the session went back", err);
  return status == CK_OK ? record_settled(self, outcome, "policy", err) : status;
}

ck_status ck_call_settle_doubt(ck_call *self, ck_doubt_word otherwise, ck_error *err) {
  ck_doubt_answer answer = {.word = otherwise};
  ck_error failed = CK_ERROR_INIT;
  ck_status status = ask_policies(&answer, &failed, self, err);
  keep_answers(self, &answer);
  if (status == CK_OK) status = record_answer(self, &answer, err);
  if (status != CK_OK) return status;
  if (answer.word == CK_DOUBT_RERUN) return ck_call_run_again(self, err);
  if (answer.word == CK_DOUBT_STOP) return stop(self, &failed);
  return self->blocked ? tell_blocked(self, err) : ck_call_tell(self, CK_OUTCOME_UNKNOWN, err);
}

ck_status ck_call_apply_resolution(ck_call *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_ledger_read_resolution(&outcome, entry, err);
  return status == CK_OK ? record_settled(self, outcome, "resolution", err) : status;
}
