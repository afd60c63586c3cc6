/* call_run.c - an effect's driver: starts it, takes its outcome, retries, cancels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/action.h"
#include "core/runtime/execution/call_dropped.h"
#include "core/runtime/execution/call_permit.h"
#include "core/runtime/execution/call_retry.h"
#include "core/runtime/execution/limits.h"
#include "core/runtime/execution/unsettled.h"

/* ---- what the driver delivered ---- */

static void count(ck_call *self) {
  ck_execution_counts *counts = &self->runner->execution->counts;
  if (self->outcome->status == CK_OUTCOME_ENDED) return;
  if (self->effect.kind == CK_EFFECT_MODEL) counts->model_calls++;
  if (ck_effect_is_tool_call(&self->effect)) counts->tool_calls++;
  if (self->effect.kind == CK_EFFECT_ASK) counts->asks++;
}

/* The runtime cancelled it. What may have taken effect and must not be repeated is in doubt;
 * everything else is asked for again, and a try of it whose cost is known (a model's was answered,
 * and the next one had not begun) counts at that. */
static ck_status handle_interruption(ck_call *self, ck_error *err) {
  bool repeats = ck_effect_class_repeats(self->effect.class);
  if (self->settled) {
    self->phase = CK_CALL_LEFT;
    return CK_OK;
  }
  if (repeats && self->outcome->cost_known && self->effect.reserve_micros != 0) {
    ck_status status = ck_call_record(self, self->outcome, self->driver->name, err);
    self->phase = CK_CALL_LEFT;
    return status;
  }
  self->phase = CK_CALL_LEFT;
  self->left_open = true;
  return self->effect.class == CK_EFFECT_ONCE && !ck_call_waits_only(&self->effect)
             ? ck_call_stop_in_doubt(self)
             : CK_OK;
}

/* A question stays open for its answer. Any other effect that needs a person has not happened: it
 * is recorded so, and asked for again. */
static ck_status wait_for_person(ck_call *self, ck_error *err) {
  ck_status status = ck_call_waits_only(&self->effect)
                         ? ck_call_tell_dropped(self, err)
                         : ck_call_record(self, self->outcome, self->driver->name, err);
  self->phase = CK_CALL_WAITING;
  return status == CK_OK ? ck_action_resume_turn(self, err) : status;
}

/* Its intent is committed, but nothing was done and nothing will be: that is recorded as its
 * outcome. */
static ck_status put_off(ck_call *self, ck_error *err) {
  ck_outcome *outcome;
  ck_outcome_free(self->outcome);
  self->outcome = NULL;
  ck_status status =
      ck_outcome_new(&outcome, CK_OUTCOME_FAILED, NULL, "not begun: the session was to end", err);
  if (status == CK_OK) outcome->error_status = CK_E_INTERRUPTED;
  if (status == CK_OK) status = ck_call_record(self, outcome, "runtime", err);
  self->phase = CK_CALL_LEFT;
  return status;
}

/* A person has said whether it may begin: here, or (`text`) elsewhere. */
static ck_status take_leave(ck_call *self, const char *text, ck_error *err) {
  bool may;
  ck_status status =
      text ? ck_permit_answer(&may, self, text, err) : ck_permit_complete(&may, self, err);
  if (status == CK_OK && may) status = ck_call_commit_intent(self, err);
  if (status == CK_OK && self->action) status = ck_action_go_again(self, err);
  return status == CK_OK ? ck_reserves_follow(self, err) : status;
}

static ck_status complete(ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  bool handled;
  if (self->waits_with) return ck_call_end_wait(self, err);
  if (ck_call_asks_leave(self)) return take_leave(self, NULL, err);
  self->delivered = false;
  if (self->probing) return ck_call_complete_probe(self, err);
  bool failed = outcome->status == CK_OUTCOME_FAILED;
  if (outcome->status == CK_OUTCOME_ABSENT && self->runner->execution->ending.status)
    return put_off(self, err);
  if (failed && outcome->error_status == CK_E_INTERRUPTED && self->runner->execution->ending.status)
    return handle_interruption(self, err);
  if (failed && outcome->error_status == CK_E_WAITING) return wait_for_person(self, err);
  if (failed) return ck_call_handle_failure(self, err);
  if (outcome->status == CK_OUTCOME_UNKNOWN) {
    if (outcome->error_status != CK_E_INTERRUPTED) count(self);
    return ck_call_take_unknown(self, err);
  }
  if (outcome->status == CK_OUTCOME_ABSENT)
    return ck_call_follow_ending(self, CK_ENDING_ABSENT, err);
  count(self);
  ck_status status = ck_call_handle_ended(&handled, self, err);
  return status == CK_OK && !handled ? ck_call_record(self, outcome, self->driver->name, err)
                                     : status;
}

static ck_status ask_leave(ck_call *self, ck_error *err) {
  const ck_effect *asks;
  ck_status status = ck_permit_find(&asks, self, err);
  return status == CK_OK && asks ? ck_call_start_with(self, asks, err) : status;
}

/* No effect waits for a time or a person in a session that is to end: its intent stays open, and a
 * resume goes on from there. */
static ck_status start_or_leave(ck_call *self, ck_error *err) {
  const ck_execution *execution = self->runner->execution;
  if (ck_call_asks_leave(self)) return ask_leave(self, err);
  if (self->action) {
    self->phase = CK_CALL_DONE;
    return CK_OK;
  }
  if (execution->stopping || execution->ending.cause == CK_E_NO_MEMORY) return put_off(self, err);
  if (!execution->ending.status || !ck_call_waits_only(&self->effect))
    return ck_call_start(self, err);
  self->phase = CK_CALL_LEFT;
  return CK_OK;
}

static ck_status look_for_room(bool *moved, ck_call *self, ck_error *err) {
  if (self->runner->execution->ending.status) {
    self->phase = CK_CALL_LEFT;
    return CK_OK;
  }
  ck_status status = ck_call_commit_intent(self, err);
  *moved = self->phase != CK_CALL_ROOM;
  return status;
}

/* The store's failure is met where the session's own events are. */
static void tell_kept(ck_call *self) {
  void (*then)(void *to) = self->kept;
  ck_error ignored = CK_ERROR_INIT;
  if (self->phase != CK_CALL_DRIVER || !then) return;
  if (ck_session_peek(ck_call_session(self), self->told, &ignored) != CK_OK) return;
  self->kept = NULL;
  then(self->kept_to);
}

static ck_status advance_call(bool *moved, ck_call *self, ck_error *err) {
  ck_status status = CK_OK;
  *moved = true;
  tell_kept(self);
  if (self->phase == CK_CALL_DRIVER && self->delivered) return complete(self, err);
  if (self->phase == CK_CALL_ROOM) return look_for_room(moved, self, err);
  if (self->phase == CK_CALL_PASSED) return ck_call_ask_further(self, err);
  if (self->phase == CK_CALL_INTENT) {
    status = ck_session_peek(ck_call_session(self), self->ticket, err);
    if (status == CK_OK) return start_or_leave(self, err);
  }
  *moved = false;
  return status == CK_E_PENDING ? CK_OK : status;
}

/* All are done: their messages enter the conversation in the order asked, and the coroutine gets
 * the outcomes. */
static ck_status pass_outcomes(ck_runner *self, ck_error *err) {
  ck_outcome **link = &self->outcome;
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->call_count && status == CK_OK; i++) {
    ck_call *call = self->calls[i];
    if (call->action) continue;
    ck_value *message = NULL;
    if (call->in_batch) status = ck_call_make_message(&message, call, err);
    const ck_said said = {.agent = call->effect.agent,
                          .message = message,
                          .untrusted = call->outcome ? call->outcome->untrusted : NULL};
    if (status == CK_OK && message)
      status = ck_session_record_said(self->execution->session, self->scope, &said, err);
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
  size_t in_phase[CK_CALL_DONE + 1] = {0}, effects = 0;
  ck_status status = CK_OK;
  *moved = false;
  for (size_t i = 0; i < self->call_count && status == CK_OK; i++) {
    ck_call *call = self->calls[i];
    bool goes_on = false;
    status = advance_call(&goes_on, call, err);
    if (goes_on && status == CK_OK) status = ck_reserves_follow(call, err);
    if (call->action && status == CK_OK) goes_on |= ck_action_tell(call);
    *moved |= goes_on;
    effects += !call->action;
    in_phase[call->phase] += !call->action;
  }
  bool under_way = in_phase[CK_CALL_INTENT] + in_phase[CK_CALL_DRIVER] + in_phase[CK_CALL_ROOM] +
                       in_phase[CK_CALL_PASSED] >
                   0;
  bool failed = in_phase[CK_CALL_FAILED] > 0, done = in_phase[CK_CALL_DONE] == effects;
  if (status != CK_OK || under_way || (!failed && !done)) return status;
  *moved = true;
  if (!failed) return pass_outcomes(self, err);
  ck_ending failure = self->call_failure;
  return ck_runner_fail(self, failure.cause, failure.text, err);
}

/* ---- cancelling ---- */

/* Nobody waits for the outcome any more: a known one is recorded with its cost, one in doubt leaves
 * the intent open for whoever asks for the effect again. */
static ck_status close_call(ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  if (self->waits_with) {
    self->phase = CK_CALL_LEFT;
    return CK_OK;
  }
  bool repeats = ck_effect_class_repeats(self->effect.class);
  bool interrupted =
      outcome->status == CK_OUTCOME_FAILED && outcome->error_status == CK_E_INTERRUPTED;
  if (outcome->status == CK_OUTCOME_UNKNOWN && repeats && !self->probing) {
    outcome->status = CK_OUTCOME_FAILED;
    outcome->error_status = CK_E_INTERRUPTED;
    interrupted = true;
  }
  bool known =
      outcome->status == CK_OUTCOME_OK || outcome->status == CK_OUTCOME_ERROR ||
      outcome->status == CK_OUTCOME_ENDED ||
      (outcome->status == CK_OUTCOME_FAILED && !self->probing && (!interrupted || repeats));
  self->delivered = false;
  self->phase = CK_CALL_LEFT;
  if (outcome->status == CK_OUTCOME_ABSENT && !self->probing) return put_off(self, err);
  if (self->settled && interrupted) return CK_OK;
  self->left_open = !known && !self->probing;
  if (!known) return CK_OK;
  ck_unsettled_release(self);
  if (interrupted) ck_outcome_count_reserve(outcome, self->effect.reserve_micros);
  return ck_call_record(self, outcome, self->driver->name, err);
}

ck_status ck_runner_close_calls(bool *closed, ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  *closed = true;
  for (size_t i = 0; i < self->call_count && status == CK_OK; i++) {
    ck_call *call = self->calls[i];
    bool asks = ck_call_asks_leave(call), begins = call->phase == CK_CALL_INTENT;
    if (asks && (begins || (call->phase == CK_CALL_DRIVER && call->delivered)))
      status = ck_permit_close(call, err);
    else if (begins && call->action)
      call->phase = CK_CALL_DONE;
    else if (begins)
      status = put_off(call, err);
    if (call->phase == CK_CALL_DRIVER && call->delivered) status = close_call(call, err);
    if (status == CK_OK) status = ck_reserves_follow(call, err);
    *closed &= call->phase != CK_CALL_DRIVER;
  }
  return status;
}

static ck_status answer_limit(ck_call *self, const char *text, ck_error *err) {
  bool raised;
  ck_status status = ck_limits_answer(&raised, self, text, err);
  return status == CK_OK && raised ? ck_call_commit_intent(self, err) : status;
}

ck_status ck_call_answer(ck_call *self, const char *text, ck_error *err) {
  ck_value *result;
  ck_outcome *outcome = NULL;
  if (ck_call_asks_leave(self)) return take_leave(self, text, err);
  ck_status status = ck_value_text(&result, ck_bytes_text(text), err);
  if (status != CK_OK) return status;
  if (!self->asks_limit)
    status = ck_effect_check_answer(self->effect.request, ck_value_bytes(result), err);
  if (status == CK_OK) status = ck_outcome_new(&outcome, CK_OUTCOME_OK, result, NULL, err);
  ck_value_free(result);
  if (status != CK_OK) return status;
  if (self->run && !self->driver->withdraw(self->driver->self, self->run, text)) {
    ck_outcome_free(outcome);
    return ck_error_set(err, CK_E_NOT_FOUND,
                        "nothing waits for an answer to %s: it has just been given", self->key);
  }
  self->run = NULL;
  ck_outcome_free(self->outcome);
  self->outcome = outcome;
  ck_runner_wake(self->runner);
  if (!self->asks_limit) count(self);
  status = self->asks_limit ? answer_limit(self, text, err)
                            : ck_call_record(self, outcome, "answer", err);
  return status == CK_OK ? ck_reserves_follow(self, err) : status;
}
