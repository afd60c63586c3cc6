/* pausing.c - a session is paused: by whoever runs it, or here when it waits for a worker. */
#include "core/host/session/pausing.h"

#include "core/host/session/last_run.h"
#include "core/host/session/queued.h"

/* One that waits for a worker is taken out of its queue. CK_OK with the session as it was: somebody
 * was faster. */
static ck_status take_out(ck_remote_command *remote, const char *reason, ck_error *err) {
  ck_session *session;
  ck_error taken = CK_ERROR_INIT;
  ck_resume_options options = {.keep_references = true};
  ck_status status = ck_session_resume(&session, remote->runtime, remote->id, &options, &taken);
  if (status == CK_E_OWNED || status == CK_E_FENCED) return CK_OK;
  if (status != CK_OK) return ck_error_set(err, status, "%s", taken.text);
  ck_session_leave(session, reason);
  ck_session_close(session);
  return CK_OK;
}

/* A worker would go on with it: it is in the queue, or its run died and it is one of workers. */
static ck_status waits_for_worker(bool *out, const ck_remote_command *remote, ck_error *err) {
  const ck_session_record *record = &remote->head.session;
  ck_last_run last = {0};
  *out = !remote->live && ck_queued_is_due(record);
  if (!*out || record->status != CK_SESSION_RUNNING) return CK_OK;
  ck_status status = ck_last_run_read(&last, remote->runtime->store, &remote->head, err);
  *out = status == CK_OK && ck_queued_of(&last).len;
  ck_last_run_clear(&last);
  return status;
}

static ck_status leave(ck_remote_command *remote, const char *reason, ck_error *err) {
  ck_session_request request = {.kind = CK_REQUEST_PAUSE, .text = (char *)reason};
  return ck_remote_command_leave(remote, &request, err);
}

/* Owners may change meanwhile: the request goes with the session. */
static ck_status pause(bool *left, ck_remote_command *remote, const char *reason, bool waits,
                       ck_error *err) {
  bool queued = true;
  ck_status status = CK_OK;
  *left = false;
  while (status == CK_OK && queued) {
    if (remote->live) status = leave(remote, reason, err);
    if (remote->live && !waits) {
      *left = status == CK_OK;
      return status;
    }
    if (status == CK_OK && remote->live)
      status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_ENDED, err);
    if (status == CK_OK) status = ck_remote_command_check_problem(remote, "paused", err);
    if (status == CK_OK) status = waits_for_worker(&queued, remote, err);
    if (status == CK_OK && queued) status = take_out(remote, reason, err);
    if (status == CK_OK && queued) status = ck_remote_command_refresh(remote, err);
  }
  if (status != CK_OK || remote->rested) return status;
  return ck_remote_command_check_paused(remote, err);
}

ck_status ck_pausing_pause(ck_remote_command *remote, const char *reason, ck_error *err) {
  bool left;
  return pause(&left, remote, reason, true, err);
}

ck_status ck_pausing_ask(bool *left, ck_remote_command *remote, const char *reason, ck_error *err) {
  return pause(left, remote, reason, false, err);
}
