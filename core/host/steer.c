/* steer.c - what stops a running execution from outside: signals, requests of other processes, the end of a grace period. */
#include "core/host/steer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t now_us(const ck_steer *self) { return self->clock.mono_us(self->clock.self); }

static void stop(ck_steer *self, ck_stop how, const char *reason) {
  if (self->stop >= how) return;
  self->stop = how;
  free(self->reason);
  self->reason = reason ? strdup(reason) : NULL;
  ck_loop_stop(self->loop);
}

static void on_signal(void *to, int signal_number) {
  ck_steer *self = to;
  (void)signal_number;
  ck_reporter_end(self->reporter);
  if (self->signals++ > 0) {
    stop(self, CK_STOP_NOW, NULL);
    return;
  }
  self->give_up_us = now_us(self) + self->grace_ms * 1000;
  ck_output_talk(self->output, "pausing at the next boundary, or in %" PRId64 " ms where it stands; once more to stop at once",
                 self->grace_ms);
  ck_execution_pause(self->execution, NULL);
}

static ck_status heed(ck_steer *self, const ck_wish *wish, ck_error *err) {
  const char *reason = wish->text ? wish->text : "user_requested";
  const char *problem = NULL;
  switch (wish->kind) {
    case CK_REQUEST_PAUSE: ck_execution_pause(self->execution, reason); break;
    case CK_REQUEST_CANCEL: stop(self, CK_STOP_CANCEL, reason); break;
    case CK_REQUEST_ANSWER:
    case CK_REQUEST_KIND_COUNT: problem = "this version does not serve such a request"; break;
  }
  return ck_session_note_request(self->session, wish, problem, err);
}

/* A store that cannot be read now is told by the next write. Being fenced is final. */
static void look_for_requests(ck_steer *self) {
  for (;;) {
    bool found;
    ck_wish wish;
    ck_error err = CK_ERROR_INIT;
    ck_status status = ck_session_take_request(&wish, &found, self->session, &err);
    if (status == CK_OK && found) status = heed(self, &wish, &err);
    ck_wish_clear(&wish);
    if (status == CK_E_FENCED) {
      self->failure = ck_error_set(self->err, status, "%s", err.text);
      ck_loop_stop(self->loop);
    }
    if (status != CK_OK || !found) return;
  }
}

static void on_beat(void *to) {
  ck_steer *self = to;
  if (self->failure == CK_OK && self->stop == CK_STOP_NONE) look_for_requests(self);
  if (self->give_up_us && now_us(self) >= self->give_up_us) stop(self, CK_STOP_BREAK_OFF, "user_requested");
}

ck_status ck_steer_begin(ck_steer *self, ck_error *err) {
  self->err = err;
  ck_status status = ck_loop_on_signal(self->loop, on_signal, self, err);
  return status == CK_OK ? ck_loop_every(self->loop, CK_STEER_POLL_MS, on_beat, self, err) : status;
}

static ck_status cancel(ck_steer *self, ck_execution_result *result, ck_error *err) {
  *result = (ck_execution_result){.status = CK_SESSION_CANCELLED, .cause = CK_E_CANCELLED};
  snprintf(result->text, sizeof result->text, "%s", self->reason ? self->reason : "user_requested");
  return ck_session_end(self->session, CK_SESSION_CANCELLED, result->text, NULL, err);
}

static ck_status break_off(ck_steer *self, ck_execution_result *result, ck_error *err) {
  *result = (ck_execution_result){0};
  ck_status status = ck_session_break_off(&result->status, self->session, "user_requested", err);
  bool doubt = result->status == CK_SESSION_IN_DOUBT;
  result->cause = doubt ? CK_E_IN_DOUBT : CK_E_PAUSED;
  snprintf(result->text, sizeof result->text, "user_requested; %s after %" PRId64 " ms of grace",
           doubt ? "an effect of class once was given up" : "the step under way was given up", self->grace_ms);
  return status;
}

ck_status ck_steer_finish(ck_steer *self, ck_execution_result *result, ck_error *err) {
  switch (self->stop) {
    case CK_STOP_CANCEL: return cancel(self, result, err);
    case CK_STOP_BREAK_OFF: return break_off(self, result, err);
    case CK_STOP_NONE:
    case CK_STOP_NOW: break;
  }
  return ck_error_set(err, CK_E_INTERRUPTED, "stopped at once; a resume goes on from the last checkpoint");
}

void ck_steer_clear(ck_steer *self) {
  free(self->reason);
  *self = (ck_steer){0};
}
