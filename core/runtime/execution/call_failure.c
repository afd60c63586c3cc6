/* call_failure.c - an effect was not carried out: policies say whether it is tried again. */
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/execution/call_private.h"

/* A person or time can mend it: nothing is lost by waiting. */
static bool is_transient(ck_status cause) {
  return cause == CK_E_UNAVAILABLE || cause == CK_E_SECRET_MISSING || cause == CK_E_LIMIT ||
         cause == CK_E_NO_MEMORY;
}

static ck_failure_answer ask_policies(ck_call *self, ck_status cause, const char *text) {
  const ck_policy_engine *policies = ck_call_session(self)->policies;
  ck_failure_answer answer = is_transient(cause) ? CK_FAILURE_PAUSE : CK_FAILURE_FAIL;
  ck_failure failure = {.node = ck_runner_node(self->runner),
                        .agent = self->effect.agent,
                        .key = self->key,
                        .status = cause,
                        .error = text,
                        .attempt = self->effect.attempt};
  ck_error ignored = CK_ERROR_INIT;
  if (policies->on_failure &&
      policies->on_failure(&answer, policies->self, &failure, &ignored) != CK_OK)
    answer = CK_FAILURE_PAUSE;
  return answer;
}

ck_status ck_call_fail_again(bool *failed, ck_call *self, const ck_ledger_entry *entry,
                             ck_error *err) {
  ck_bytes body = ck_value_bytes(entry->outcome);
  ck_status cause = ck_ledger_read_status(ck_json_get(body, "cause"), CK_E_FAILED);
  char *error = ck_json_dup_string(ck_json_get(body, "error")), text[CK_ERROR_TEXT_MAX];
  if (!error) return ck_error_no_memory(err);
  snprintf(text, sizeof text, "effect %s: %s", self->key, error);
  free(error);
  *failed = ask_policies(self, cause, text) == CK_FAILURE_FAIL;
  if (!*failed) return CK_OK;
  ck_call_fail(self, cause, text);
  return ck_session_count_failure(ck_call_session(self), ck_runner_node(self->runner), err);
}

ck_status ck_call_handle_failure(ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  ck_status cause = outcome->error_status != CK_OK ? outcome->error_status : CK_E_FAILED;
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "effect %s: %s", self->key,
           outcome->error ? outcome->error : "failed");
  ck_status status = ck_call_record(self, outcome, self->driver->name, err);
  const char *node = ck_runner_node(self->runner);
  if (status == CK_OK) status = ck_session_count_failure(ck_call_session(self), node, err);
  if (status != CK_OK) return status;
  ck_failure_answer answer = ask_policies(self, cause, text);
  if (answer == CK_FAILURE_RETRY && ++self->tries < CK_EFFECT_TRIES) {
    self->again = true;
    return ck_call_commit_intent(self, err);
  }
  self->phase = CK_CALL_LEFT;
  if (answer == CK_FAILURE_PAUSE)
    ck_execution_end_at(self->runner->execution, node, CK_SESSION_PAUSED, cause, text);
  else
    ck_call_fail(self, cause, text);
  return CK_OK;
}
