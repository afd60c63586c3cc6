/* execution_state.c - a session's runners and drivers by name, and how the session is to end. */

#include "core/model/pause_reason.h"
#include "core/base/text.h"
#include "core/runtime/execution/call_private.h"

void ck_execution_notify(const ck_execution *self, const ck_progress *progress) {
  if (self->options.progress) self->options.progress(self->options.to, progress);
}

int64_t ck_execution_now_us(const ck_execution *self) {
  const ck_clock *clock = &self->options.clock;
  return clock->mono_us(clock->self);
}

ck_runner *ck_execution_find(const ck_execution *self, const char *scope) {
  return ck_map_get(&self->runners.by_scope, scope);
}

const ck_effect_driver *ck_execution_find_driver(const ck_execution *self,
                                                 const ck_effect *effect) {
  for (const ck_effect_driver *const *d = self->options.drivers; d && *d; d++)
    if ((*d)->serves((*d)->self, effect)) return *d;
  return NULL;
}

/* ---- how the session is to end ---- */

static void cancel_calls(ck_execution *self, bool harmless) {
  for (ck_runner *runner = self->runners.first; runner; runner = runner->place.next)
    ck_runner_cancel_calls(runner, harmless);
}

void ck_execution_wake_rooms(ck_execution *self) {
  if (!self->rooms) return;
  self->rooms = false;
  for (ck_runner *runner = self->runners.first; runner; runner = runner->place.next)
    for (size_t i = 0; i < runner->call_count; i++) {
      if (runner->calls[i]->phase != CK_CALL_ROOM) continue;
      self->rooms = true;
      ck_runner_wake(runner);
    }
}

void ck_execution_end_at(ck_execution *self, const char *node, ck_session_status status,
                         ck_status cause, const char *text) {
  ck_ending *ending = &self->ending;
  bool first = !ending->status;
  bool doubt = status == CK_SESSION_IN_DOUBT && ending->status != CK_SESSION_IN_DOUBT;
  bool paused = ending->status == CK_SESSION_PAUSED;
  bool stronger = paused && (status == CK_SESSION_FAILED || status == CK_SESSION_CANCELLED);
  if (first || doubt || stronger) {
    *ending = (ck_ending){.status = status, .cause = cause};
    ck_text_format(ending->text, sizeof ending->text, "%s", text ? text : "");
    ck_text_format(ending->node, sizeof ending->node, "%s", node ? node : "");
  }
  if (!first) return;
  cancel_calls(self, true); /* none is begun from now on */
  ck_execution_wake_rooms(self);
}

void ck_execution_end(ck_execution *self, ck_session_status status, ck_status cause,
                      const char *text) {
  ck_execution_end_at(self, NULL, status, cause, text);
}

void ck_execution_complete(ck_execution *self) {
  ck_runner_set_ended(self->runners.first);
  self->ending = (ck_ending){0}; /* whatever else it was about to end for */
  ck_execution_end(self, CK_SESSION_COMPLETED, CK_OK, NULL);
}

/* What a person asks for holds longer than what the run does for its own sake. */
static void take_reason(ck_ending *ending, const char *reason) {
  int64_t from_ms;
  bool passes = ending->status == CK_SESSION_PAUSED && ending->cause == CK_E_PAUSED &&
                ck_pause_reason_goes_on(&from_ms, ending->text);
  if (passes && !ck_pause_reason_goes_on(&from_ms, reason))
    ck_text_format(ending->text, sizeof ending->text, "%s", reason);
}

void ck_execution_pause(ck_execution *self, const char *reason) {
  if (!reason) reason = "user_requested";
  take_reason(&self->ending, reason);
  ck_execution_end(self, CK_SESSION_PAUSED, CK_E_PAUSED, reason);
  ck_waker_wake(self->options.waker);
}

void ck_execution_cancel(ck_execution *self, const char *reason) {
  ck_execution_end(self, CK_SESSION_CANCELLED, CK_E_CANCELLED, reason ? reason : "user_requested");
  ck_execution_stop(self);
}

void ck_execution_stop(ck_execution *self) {
  self->stopping = true;
  cancel_calls(self, false);
  ck_waker_wake(self->options.waker);
}

bool ck_execution_is_ending(const ck_execution *self) { return self->ending.status != 0; }
