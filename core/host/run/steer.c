/* steer.c - stops a running execution from outside: signals, requests of other processes, the end
 * of a grace period. */
#include "core/host/run/steer.h"

#include <signal.h>

#include "core/host/print/format.h"
#include "core/runtime/session/asked.h"
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

static ck_status heed(ck_steer *self, const ck_session_request *request, ck_error *err) {
  const char *reason = request->text ? request->text : "user_requested";
  ck_error problem = CK_ERROR_INIT;
  switch (request->kind) {
    case CK_REQUEST_PAUSE:
      ck_execution_pause(self->execution, reason);
      break;
    case CK_REQUEST_CANCEL:
      ck_execution_cancel(self->execution, reason);
      break;
    case CK_REQUEST_ANSWER:
      problem.status =
          ck_execution_answer_as(self->execution, request->effect,
                                 request->text ? request->text : "", request->by, &problem);
      break;
    case CK_REQUEST_CHECKPOINT:
      problem.status =
          ck_session_ask_checkpoint(self->session, request->id, request->text, &problem);
      break;
    case CK_REQUEST_PRUNE:
    case CK_REQUEST_PIN:
      problem.status = ck_session_serve_maintenance(self->session, request, &problem);
      break;
    case CK_REQUEST_KIND_COUNT:
      ck_error_set(&problem, CK_E_UNSUPPORTED, "this version does not serve such a request");
      break;
  }
  return ck_session_note_request(self->session, request,
                                 problem.status == CK_OK ? NULL : problem.text, err);
}

/* An unreadable store is reported by the next write. Being fenced is final. */
static void poll_requests(ck_steer *self) {
  for (;;) {
    bool found;
    ck_session_request request;
    ck_error err = CK_ERROR_INIT;
    ck_status status = ck_session_take_request(&request, &found, self->session, &err);
    if (status == CK_OK && found) status = heed(self, &request, &err);
    ck_session_request_clear(&request);
    if (status == CK_E_FENCED) fail(self, status, err.text);
    if (status != CK_OK || !found) return;
  }
}

static void on_tick(void *to) {
  ck_steer *self = to;
  if (self->failure == CK_OK) poll_requests(self);
  if (!self->give_up_us || now_us(self) < self->give_up_us) return;
  self->give_up_us = 0;
  ck_reporter_end(self->reporter);
  ck_output_notice(self->output, "the grace period is over: what still runs is given up");
  ck_execution_stop(self->execution);
}

static void mask(int how) {
  sigset_t steering;
  sigemptyset(&steering);
  sigaddset(&steering, SIGINT);
  sigaddset(&steering, SIGTERM);
  sigaddset(&steering, SIGHUP);
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
