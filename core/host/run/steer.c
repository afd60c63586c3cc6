/* steer.c - stops a running execution from outside: signals, requests of other processes, the end
 * of a grace period. */
#include "core/host/run/steer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/host/cli/end_signals.h"
#include "core/host/print/format.h"
#include "core/model/pause_reason.h"
#include "core/runtime/session/asked.h"
#include "core/runtime/session/end.h"
#include "core/runtime/session/maintenance.h"

static int64_t now_us(const ck_steer *self) { return self->clock.mono_us(self->clock.self); }

static void fail(ck_steer *self, ck_status status, const char *text) {
  self->failure = ck_error_set(self->err, status, "%s", text);
  ck_loop_stop(self->loop);
}

static void on_signal(void *to, int signal_number) {
  ck_steer *self = to;
  (void)signal_number;
  ck_reporter_end(self->reporter);
  if (self->signals++ > 0) {
    fail(self, CK_E_INTERRUPTED, "stopped at once; a resume goes on from the last checkpoint");
    return;
  }
  self->give_up_us = now_us(self) + self->grace_ms * 1000;
  ck_buffer grace = {0};
  ck_format_duration(&grace, self->grace_ms * 1000);
  ck_output_notice(
      self->output,
      "pausing at the next boundary, or in %s where it stands; once more to stop at once",
      grace.failed ? "a while" : grace.data);
  ck_buffer_clear(&grace);
  ck_execution_pause(self->execution, self->reason);
}

/* Before there is an execution; a cancel is stronger. */
static ck_status end_first(ck_steer *self, ck_session_status status, const char *reason,
                           ck_error *err) {
  if (self->first && status != CK_SESSION_CANCELLED) return CK_OK;
  ck_status kept = ck_text_replace(&self->first_reason, reason, err);
  if (kept == CK_OK) self->first = status;
  return kept;
}

static ck_status end_by(ck_steer *self, ck_session_status status, const char *reason,
                        ck_error *err) {
  bool pauses = status == CK_SESSION_PAUSED;
  ck_status given = pauses ? ck_pause_reason_check(reason, err) : CK_OK;
  if (given != CK_OK) return given;
  if (!self->execution) return end_first(self, status, reason, err);
  if (pauses)
    ck_execution_pause(self->execution, reason);
  else
    ck_execution_cancel(self->execution, reason);
  return CK_OK;
}

static ck_status answer(ck_steer *self, const ck_session_request *request, ck_error *err) {
  const char *text = request->text ? request->text : "";
  if (!self->execution)
    return ck_error_set(err, CK_E_NOT_FOUND, "the question has not come up yet");
  return ck_execution_answer_as(self->execution, request->effect, text, request->by, err);
}

static ck_status carry_out(ck_steer *self, const ck_session_request *request, ck_error *err) {
  const char *reason = request->text ? request->text : "user_requested";
  switch (request->kind) {
    case CK_REQUEST_PAUSE:
      return end_by(self, CK_SESSION_PAUSED, reason, err);
    case CK_REQUEST_CANCEL:
      return end_by(self, CK_SESSION_CANCELLED, reason, err);
    case CK_REQUEST_ANSWER:
      return answer(self, request, err);
    case CK_REQUEST_CHECKPOINT:
      return ck_session_ask_checkpoint(self->session, request->id, request->text, err);
    case CK_REQUEST_PRUNE:
    case CK_REQUEST_PIN:
      return ck_session_serve_maintenance(self->session, request, err);
    case CK_REQUEST_KIND_COUNT:
      break;
  }
  return ck_error_set(err, CK_E_UNSUPPORTED, "this version does not serve such a request");
}

/* Its question may come up again in this run. */
static bool is_early(const ck_steer *self, const ck_session_request *request, ck_status status) {
  bool waits = request->kind == CK_REQUEST_ANSWER && status == CK_E_NOT_FOUND;
  return waits && (!self->execution || ck_session_request_is_earlier(self->session, request));
}

static ck_status hold(ck_steer *self, ck_session_request *request, ck_error *err) {
  ck_session_request *held =
      ck_array_grow(self->held, self->held_count, &self->held_cap, sizeof *held);
  if (!held) return ck_error_no_memory(err);
  self->held = held;
  held[self->held_count++] = *request;
  *request = (ck_session_request){0};
  return CK_OK;
}

/* `request` is empty when it is held. */
static ck_status heed(ck_steer *self, ck_session_request *request, ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  ck_status status = carry_out(self, request, &problem);
  if (is_early(self, request, status)) return hold(self, request, err);
  return ck_session_note_request(self->session, request, status == CK_OK ? NULL : problem.text,
                                 err);
}

static ck_status heed_held(ck_steer *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t left = self->held_count; left > 0 && status == CK_OK; left--) {
    ck_session_request request = self->held[0];
    self->held_count--;
    memmove(self->held, self->held + 1, self->held_count * sizeof *self->held);
    status = heed(self, &request, err);
    ck_session_request_clear(&request);
  }
  return status;
}

static ck_status take_requests(ck_steer *self, ck_error *err) {
  bool found = true;
  ck_status status = CK_OK;
  while (status == CK_OK && found) {
    ck_session_request request;
    status = ck_session_take_request(&request, &found, self->session, err);
    if (status == CK_OK && found) status = heed(self, &request, err);
    ck_session_request_clear(&request);
  }
  return status;
}

/* An unreadable store is reported by the next write. Being fenced is final. */
void ck_steer_look(ck_steer *self) {
  ck_error err = CK_ERROR_INIT;
  if (self->failure != CK_OK) return;
  ck_status status = heed_held(self, &err);
  if (status == CK_OK) status = take_requests(self, &err);
  if (status == CK_E_FENCED) fail(self, status, err.text);
}

/* Nothing of the flow is begun: where it stands is where the run before has left it. */
ck_status ck_steer_serve_first(bool *ended, ck_execution_result *result, ck_steer *self,
                               ck_error *err) {
  *ended = false;
  ck_status status = take_requests(self, err);
  if (status != CK_OK || !self->first) return status;
  bool cancels = self->first == CK_SESSION_CANCELLED;
  if (cancels)
    status = ck_session_end(self->session, self->first, self->first_reason, NULL, err);
  else
    ck_session_leave(self->session, self->first_reason);
  if (status == CK_OK && ck_session_get_record(self->session)->status != self->first)
    status = ck_error_set(err, CK_E_IO, "session %s could not be paused, which was asked for",
                          ck_session_id(self->session));
  if (status != CK_OK) return status;
  *ended = true;
  *result =
      (ck_execution_result){.status = self->first, .cause = cancels ? CK_E_CANCELLED : CK_E_PAUSED};
  snprintf(result->text, sizeof result->text, "%s", self->first_reason);
  return CK_OK;
}

void ck_steer_clear(ck_steer *self) {
  for (size_t i = 0; i < self->held_count; i++) ck_session_request_clear(&self->held[i]);
  free(self->held);
  free(self->first_reason);
  self->held = NULL;
  self->first_reason = NULL;
  self->held_count = 0;
}

static void on_tick(void *to) {
  ck_steer *self = to;
  ck_steer_look(self);
  if (!self->give_up_us || now_us(self) < self->give_up_us) return;
  self->give_up_us = 0;
  ck_reporter_end(self->reporter);
  ck_output_notice(self->output, "the grace period is over: what still runs is given up");
  ck_execution_stop(self->execution);
}

static void mask(int how) {
  sigset_t steering;
  ck_end_signals_fill(&steering);
  pthread_sigmask(how, &steering, NULL);
}

void ck_steer_hold(void) { mask(SIG_BLOCK); }
void ck_steer_release(void) { mask(SIG_UNBLOCK); }

ck_status ck_steer_begin(ck_steer *self, ck_error *err) {
  self->err = err;
  ck_status status = ck_loop_on_signal(self->loop, on_signal, self, err);
  mask(SIG_UNBLOCK);
  return status == CK_OK ? ck_loop_every(self->loop, CK_STEER_POLL_MS, on_tick, self, err) : status;
}
