/* call_failure.c - an effect was not carried out: policies say whether it is tried again. */
#include <stdlib.h>

#include "core/runtime/execution/call_retry.h"
#include "core/base/text.h"
#include "core/runtime/execution/fallback.h"
#include "core/runtime/execution/undecided.h"
#include "core/runtime/session/boundary_event.h"

/* A person or time can mend it: nothing is lost by waiting. */
static bool is_transient(ck_status cause) {
  return cause == CK_E_UNAVAILABLE || cause == CK_E_SECRET_MISSING || cause == CK_E_LIMIT ||
         cause == CK_E_NO_MEMORY;
}

static ck_failure_word without_policies(ck_status cause) {
  return is_transient(cause) ? CK_FAILURE_PAUSE : CK_FAILURE_FAIL;
}

/* `otherwise`: when no policy has an answer. One that fails pauses the session, and is told: also
 * behind `text`, which is not to read as if the policies had decided it. */
static ck_status ask_policies(ck_failure_answer *out, ck_call *self, ck_failure_word otherwise,
                              ck_status cause, char text[CK_ERROR_TEXT_MAX], ck_error *err) {
  const ck_policy_engine *policies = ck_call_session(self)->policies;
  ck_failure failure = {
      .node = ck_runner_node(self->runner),
      .agent = self->effect.agent,
      .key = self->key,
      .tool = self->effect.kind == CK_EFFECT_TOOL && self->label[0] ? self->label : NULL,
      .kind = self->effect.kind,
      .status = cause,
      .error = text,
      .attempt = self->effect.attempt,
      .tries = self->tries + 1,
      .retry_after_ms = self->outcome ? self->outcome->retry_after_ms : 0};
  ck_error problem = CK_ERROR_INIT;
  const ck_clock *clock = &ck_call_session(self)->runtime->clock;
  *out = (ck_failure_answer){.word = otherwise};
  if (!policies->on_failure) return CK_OK;
  int64_t begun_us = clock->mono_us(clock->self);
  ck_status status = policies->on_failure(out, policies->self, &failure, &problem);
  if (out->word == CK_FAILURE_FALLBACK && !ck_fallback_next(self, CK_OK)) {
    out->word = otherwise;
    out->policy = NULL;
  }
  out->answers.hook = CK_HOOK_ON_FAILURE;
  out->answers.took_us = clock->mono_us(clock->self) - begun_us;
  if (status == CK_OK) return CK_OK;
  out->word = CK_FAILURE_PAUSE;
  ck_undecided_append(text, &problem);
  return ck_session_record_policy_error(ck_call_session(self), "on_failure", &problem, err);
}

ck_status ck_call_fail_again(bool *failed, ck_call *self, const ck_ledger_entry *entry,
                             ck_error *err) {
  ck_bytes body = ck_value_bytes(entry->outcome);
  ck_status cause = ck_ledger_read_status(ck_json_get(body, "cause"), CK_E_FAILED);
  char *error = ck_json_dup_string(ck_json_get(body, "error")), text[CK_ERROR_TEXT_MAX];
  if (!error) return ck_error_no_memory(err);
  ck_text_format(text, sizeof text, "effect %s: %s", self->key, error);
  free(error);
  ck_failure_answer answer;
  ck_status status = ask_policies(&answer, self, without_policies(cause), cause, text, err);
  *failed = status == CK_OK && answer.word == CK_FAILURE_FAIL;
  if (!*failed) return status;
  /* As a success that is found again: who reads the run sees how it ended. */
  status = ck_session_record_replay(ck_call_session(self), &self->effect, entry->outcome,
                                    entry->outcome_seq, err);
  if (status != CK_OK) return status;
  self->runner->execution->counts.replayed++;
  ck_call_notify(self, "replay");
  ck_call_fail(self, cause, text);
  return ck_session_count_failure(ck_call_session(self), ck_runner_node(self->runner), err);
}

/* ---- what follows ---- */

/* A policy asks for one try more than there are. */
static void fail_tried(ck_call *self, const char *policy, ck_status cause, const char *text) {
  char tried[CK_ERROR_TEXT_MAX];
  ck_text_format(
      tried, sizeof tried,
      "%.*s; the \"retry\" of policy \"%s\" was followed until it was tried %d times, which is "
      "all",
      ck_text_fits(text, CK_ERROR_TEXT_MAX - 200), text, policy ? policy : "?", CK_EFFECT_TRIES);
  ck_call_fail(self, cause, tried);
}

/* Who is to mend the cause is told when it was no cause of ckrun's to pause. */
static void pause_at(ck_call *self, const char *policy, ck_status cause, const char *text) {
  char told[CK_ERROR_TEXT_MAX];
  const char *node = ck_runner_node(self->runner);
  ck_text_format(told, sizeof told, "%.*s; policy \"%s\" has it wait",
                 ck_text_fits(text, CK_ERROR_TEXT_MAX - 120), text, policy ? policy : "");
  ck_execution_end_at(self->runner->execution, node, CK_SESSION_PAUSED, cause,
                      policy ? told : text);
}

/* A policy that has the next model asked has it so after any failure. */
static ck_status ask_next(ck_call *self, const ck_failure_answer *answer, ck_status cause,
                          const char *text, ck_error *err) {
  self->chain = answer->policy ? CK_OK : cause;
  self->failure.status = cause;
  ck_text_format(self->failure.text, sizeof self->failure.text, "%s", text);
  return ck_fallback_ask(self, ck_fallback_next(self, self->chain), err);
}

static ck_status follow(ck_call *self, const ck_failure_answer *answer, ck_status cause,
                        const char *text, ck_error *err) {
  if (answer->word == CK_FAILURE_FALLBACK) return ask_next(self, answer, cause, text, err);
  bool retry = answer->word == CK_FAILURE_RETRY;
  if (retry && ++self->tries < CK_EFFECT_TRIES) return ck_call_wait_to_retry(self, answer, err);
  self->phase = CK_CALL_LEFT;
  if (answer->word == CK_FAILURE_PAUSE)
    pause_at(self, answer->policy, cause, text);
  else if (retry)
    fail_tried(self, answer->policy, cause, text);
  else
    ck_call_fail(self, cause, text);
  return CK_OK;
}

ck_status ck_call_ask_further(ck_call *self, ck_error *err) {
  ck_status cause = self->failure.status;
  const ck_failure_answer answer = {.word = without_policies(cause)};
  const char *next = ck_fallback_next(self, self->chain);
  self->phase = CK_CALL_LEFT;
  if (next && !self->runner->execution->ending.status) return ck_fallback_ask(self, next, err);
  return follow(self, &answer, cause, self->failure.text, err);
}

static void describe(char text[CK_ERROR_TEXT_MAX], const ck_call *self) {
  const ck_outcome *outcome = self->outcome;
  ck_text_format(text, CK_ERROR_TEXT_MAX, "effect %s: %s", self->key,
                 outcome->error ? outcome->error : "failed");
}

/* What no other member of the outcome's event tells of the question, for whoever asks it again. */
static ck_status keep_question(ck_call *self, const ck_failure_answer *answer, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_outcome *outcome = self->outcome;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "node", ck_runner_node(self->runner));
  ck_json_member_int(&w, "try", self->tries + 1);
  if (outcome->retry_after_ms) ck_json_member_int(&w, "retry_after", outcome->retry_after_ms);
  if (answer->word == CK_FAILURE_RETRY && answer->wait_ms > 0)
    ck_json_member_int(&w, "wait", answer->wait_ms);
  ck_call_plan_retry(&w, self, answer);
  if (answer->policy) ck_json_member_text(&w, "policy", answer->policy);
  ck_json_end(&w, '}');
  ck_value_free(outcome->failure);
  ck_status status = ck_value_from(&outcome->failure, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* The answers belong to the outcome that they are about. */
static ck_status ask_about_outcome(ck_failure_answer *out, ck_call *self, ck_failure_word otherwise,
                                   ck_status cause, char text[CK_ERROR_TEXT_MAX], ck_error *err) {
  ck_status status = ask_policies(out, self, otherwise, cause, text, err);
  if (!out->answers.hook) return status;
  ck_session_keep_answers(ck_call_session(self), CK_EVENT_OUTCOME, &out->answers);
  return status == CK_OK ? keep_question(self, out, err) : status;
}

static ck_status record_failure(ck_call *self, ck_error *err) {
  const char *node = ck_runner_node(self->runner);
  ck_status status = ck_call_record(self, self->outcome, self->driver->name, err);
  return status == CK_OK ? ck_session_count_failure(ck_call_session(self), node, err) : status;
}

ck_status ck_call_handle_failure(ck_call *self, ck_error *err) {
  ck_status cause = self->outcome->error_status;
  char text[CK_ERROR_TEXT_MAX];
  ck_failure_answer answer;
  if (cause == CK_OK) cause = CK_E_FAILED;
  describe(text, self);
  bool ends = self->runner->execution->ending.status;
  ck_failure_word otherwise =
      !ends && ck_fallback_next(self, cause) ? CK_FAILURE_FALLBACK : without_policies(cause);
  ck_status status = ask_about_outcome(&answer, self, otherwise, cause, text, err);
  if (status == CK_OK) status = record_failure(self, err);
  return status == CK_OK ? follow(self, &answer, cause, text, err) : status;
}

/* Who asked for an answer of a schema cannot take a refusal for one. */
static ck_failure_word without_answer(const ck_call *self) {
  bool wanted = ck_json_get(self->effect.request, "response_schema").len > 0;
  if (!self->runner->execution->ending.status && ck_fallback_next(self, CK_E_REFUSAL))
    return CK_FAILURE_FALLBACK;
  return wanted ? CK_FAILURE_FAIL : CK_FAILURE_LEAVE;
}

/* What the model has said is kept beside it. */
static ck_status tell_refusal(ck_outcome *outcome, ck_error *err) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "the model refused to answer: %s", outcome->refusal);
  char *told = ck_buffer_take(&text);
  if (!told) return ck_error_no_memory(err);
  free(outcome->error);
  outcome->error = told;
  return CK_OK;
}

/* `otherwise`: when no policy has an answer. */
static ck_status handle_as_failure(bool *handled, ck_call *self, ck_failure_word otherwise,
                                   ck_status cause, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  char text[CK_ERROR_TEXT_MAX];
  ck_failure_answer answer;
  describe(text, self);
  ck_status status = ask_about_outcome(&answer, self, otherwise, cause, text, err);
  *handled = status == CK_OK && answer.word != CK_FAILURE_LEAVE;
  if (!*handled) return status;
  outcome->status = CK_OUTCOME_FAILED;
  outcome->error_status = cause;
  status = record_failure(self, err);
  return status == CK_OK ? follow(self, &answer, cause, text, err) : status;
}

static ck_status handle_refusal(bool *handled, ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  ck_status status = tell_refusal(outcome, err);
  if (status == CK_OK)
    status = handle_as_failure(handled, self, without_answer(self), CK_E_REFUSAL, err);
  if (*handled) return status;
  free(outcome->error); /* it is an answer */
  outcome->error = NULL;
  return status;
}

ck_status ck_call_handle_ended(bool *handled, ck_call *self, ck_error *err) {
  const ck_outcome *outcome = self->outcome;
  *handled = false;
  if (self->effect.kind == CK_EFFECT_EXEC && outcome->status == CK_OUTCOME_ERROR)
    return handle_as_failure(handled, self, CK_FAILURE_LEAVE, CK_E_FAILED, err);
  if (self->effect.kind == CK_EFFECT_MODEL && outcome->status == CK_OUTCOME_OK && outcome->refusal)
    return handle_refusal(handled, self, err);
  return CK_OK;
}
