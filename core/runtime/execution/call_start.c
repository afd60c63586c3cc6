/* call_start.c - starts an effect's driver, or its probe, and takes what it delivers. */
#include "core/runtime/execution/call_dropped.h"

static void deliver(ck_effect_sink *sink, ck_outcome *outcome) {
  ck_call *self = ((ck_call_sink *)sink)->call;
  self->run = NULL;
  self->kept = NULL;
  self->delivered = true;
  ck_outcome_free(self->outcome);
  self->outcome = outcome;
  ck_runner_wake(self->runner);
  ck_waker_wake(self->runner->execution->options.waker);
}

/* A running effect's update is an event, for others to read while it runs; an update that cannot be
 * recorded is lost, the effect is not. */
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
      ck_session_append(ck_call_session(self), CK_EVENT_UPDATE, self->effect.scope,
                        self->effect.agent, body, &ignored) != CK_OK ||
      ck_session_push(&self->told, ck_call_session(self), CK_DURABLE_PROCESS, &ignored) != CK_OK)
    ck_waker_wake(self->runner->execution->options
                      .waker); /* the next turn meets the store's failure itself */
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  if (self->runner->execution->ending.status && ck_call_is_idle(self))
    self->driver->cancel(self->driver->self, self->run);
}

static void when_kept(ck_effect_sink *sink, void (*then)(void *to), void *to) {
  ck_call *self = ((ck_call_sink *)sink)->call;
  self->kept = then;
  self->kept_to = to;
  ck_runner_wake(self->runner);
  ck_waker_wake(self->runner->execution->options.waker);
}

/* What cannot be kept now is in the outcome. */
static bool spent(ck_effect_sink *sink, const ck_outcome *known) {
  ck_error ignored = CK_ERROR_INIT;
  return ck_call_settle_try(((ck_call_sink *)sink)->call, known, &ignored) == CK_OK;
}

ck_status ck_call_probe(ck_call *self, ck_error *err) {
  self->probing = true;
  return ck_call_start(self, err);
}

ck_status ck_call_start_with(ck_call *self, const ck_effect *effect, ck_error *err) {
  const ck_effect_driver *driver = self->driver;
  self->sink.sink.update = update;
  self->sink.sink.when_kept = when_kept;
  self->sink.sink.spent = spent;
  self->sink.sink.done = deliver;
  self->sink.call = self;
  self->delivered = false;
  self->phase = CK_CALL_DRIVER;
  ck_error failure = CK_ERROR_INIT;
  /* The intent is durable; who stood still since then may have lost the session meanwhile. */
  ck_status status = ck_session_check_lease(ck_call_session(self), err);
  if (status != CK_OK) return status;
  status = self->probing
               ? driver->probe(&self->run, driver->self, effect, &self->sink.sink, &failure)
               : driver->start(&self->run, driver->self, effect, &self->sink.sink, &failure);
  if (status == CK_OK) return CK_OK;
  self->run = NULL;
  self->delivered = true;
  status = ck_outcome_new(&self->outcome, CK_OUTCOME_FAILED, NULL, failure.text, err);
  if (status == CK_OK) self->outcome->error_status = failure.status;
  return status;
}

ck_status ck_call_start(ck_call *self, ck_error *err) {
  self->begun_us = ck_execution_now_us(self->runner->execution);
  ck_call_notify(self, self->probing ? "probe" : "effect");
  ck_call_notify_dropped(self);
  ck_status status = ck_call_find_interrupted(self, err);
  return status == CK_OK ? ck_call_start_with(self, &self->effect, err) : status;
}
