/* call_state.c - one effect under way: what kind of call it is, its failure, its cancellation. */
#include <stdlib.h>

#include "core/runtime/execution/passed_over.h"
#include "core/base/text.h"
#include "core/runtime/execution/permit_question.h"
#include "core/runtime/execution/action.h"

ck_session *ck_call_session(const ck_call *self) { return self->runner->execution->session; }

static void name_label(ck_call *self) {
  ck_buffer name = {0};
  ck_json_read_string(&name, ck_json_get(ck_value_bytes(self->request), "name"));
  ck_text_format(self->label, sizeof self->label, "%s", name.data ? name.data : "");
  ck_buffer_clear(&name);
}

ck_status ck_call_redact_request(ck_call *self, ck_error *err) {
  ck_value *asked = NULL;
  ck_status status = ck_value_copy(&asked, self->effect.request, err);
  if (status == CK_OK)
    status = ck_redactor_apply(&self->request, ck_call_session(self)->redactor, CK_SINK_REQUEST,
                               NULL, asked, err);
  if (status == CK_OK && !self->request)
    status = ck_value_copy(&self->request, ck_bytes_text("null"), err);
  ck_value_free(asked);
  if (status == CK_OK) name_label(self);
  return status;
}

bool ck_call_waits_only(const ck_effect *effect) {
  return effect->kind == CK_EFFECT_SLEEP || effect->kind == CK_EFFECT_ASK;
}

bool ck_driver_probes(const ck_effect_driver *driver, const ck_effect *effect) {
  return driver && driver->probe && (!driver->probes || driver->probes(driver->self, effect));
}

void ck_call_fail(ck_call *self, ck_status cause, const char *text) {
  ck_ending *failure = &self->runner->call_failure;
  self->phase = CK_CALL_FAILED;
  if (failure->status) return;
  *failure = (ck_ending){.status = CK_SESSION_FAILED, .cause = cause};
  ck_text_format(failure->text, sizeof failure->text, "%s", text);
}

/* Must survive a power cut: money, things done once, a person's words, and the intent of an effect
 * whose probe must be asked. */
ck_durability ck_call_durability(const ck_effect *effect, const ck_outcome *outcome) {
  bool costs = effect->reserve_micros != 0 || (outcome && outcome->cost_micros != 0);
  bool once = effect->class == CK_EFFECT_ONCE || (outcome && effect->kind == CK_EFFECT_ASK);
  bool probed = effect->class == CK_EFFECT_RECONCILABLE && !outcome;
  return costs || once || probed ? CK_DURABLE_POWER : CK_DURABLE_PROCESS;
}

bool ck_call_asks_leave(const ck_call *self) { return self->question && self->question->open; }

bool ck_call_is_idle(const ck_call *self) {
  const ck_effect_driver *driver = self->driver;
  if (self->phase != CK_CALL_DRIVER || !self->run) return false;
  return self->waits_with || ck_call_asks_leave(self) || ck_call_waits_only(&self->effect) ||
         (driver->waits && ck_effect_class_repeats(self->effect.class) &&
          driver->waits(driver->self, self->run));
}

void ck_runner_cancel_calls(ck_runner *self, bool harmless) {
  for (size_t i = 0; i < self->call_count; i++) {
    ck_call *call = self->calls[i];
    if (call->phase == CK_CALL_DRIVER && call->run && (!harmless || ck_call_is_idle(call)))
      call->driver->cancel(call->driver->self, call->run);
  }
}

static void drop_leave(ck_call *self) {
  ck_leave_clear(&self->leave);
  ck_value_free(self->place);
  self->place = NULL;
  if (self->question) ck_value_free(self->question->request);
  if (self->question) ck_value_free(self->question->kept);
  if (self->question) ck_value_free(self->question->dropped);
  free(self->question);
  self->question = NULL;
}

void ck_call_renew_leave(ck_call *self) {
  drop_leave(self);
  self->judged = self->permitted = false;
  self->renewed = true;
}

void ck_call_free(ck_call *self) {
  ck_outcome_free(self->outcome);
  ck_outcome_free(self->lost);
  drop_leave(self);
  ck_value_free(self->dropped);
  ck_action_free(self->action);
  ck_value_free(self->request);
  ck_value_free(self->tail);
  ck_value_free(self->interrupted);
  ck_conversation_free(self->messages);
  free(self->payers);
  ck_value_free(self->untrusted);
  free(self);
}

void ck_runner_drop_calls(ck_runner *self) {
  for (size_t i = 0; i < self->call_count; i++) {
    ck_call *call = self->calls[i];
    ck_reserves_withdraw(call);
    if (call->run) call->driver->cancel(call->driver->self, call->run);
  }
  for (size_t i = 0; i < self->call_count; i++) ck_call_free(self->calls[i]);
  free(self->calls);
  self->calls = NULL;
  self->call_count = 0;
}
