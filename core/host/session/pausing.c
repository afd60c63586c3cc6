/* pausing.c - a session is paused: by whoever runs it, or here when it waits for a worker. */
#include "core/host/session/pausing.h"

#include <string.h>

#include "core/host/session/last_run.h"
#include "core/host/session/queued.h"
#include "core/model/pause_reason.h"

/* As of the last refresh: the row of this run is as its resume has left it. */
static ck_status check_left(const ck_remote_command *remote, const char *run, ck_error *err) {
  const ck_session_record *record = &remote->head.session;
  if (record->status != CK_SESSION_RUNNING || strcmp(record->run, run) != 0) return CK_OK;
  return ck_error_set(err, CK_E_IO, "session %s could not be paused, which was asked for",
                      remote->id);
}

/* One that waits for a worker is taken out of its queue. CK_OK with another status or run:
 * somebody was faster. */
static ck_status take_out(ck_remote_command *remote, const char *reason, ck_error *err) {
  ck_session *session;
  char run[CK_ID_SIZE] = "";
  ck_status status = ck_remote_command_take(&session, remote, err);
  if (status == CK_OK && session) {
    strcpy(run, ck_session_run(session));
    ck_session_leave(session, reason);
    ck_session_close(session);
  }
  if (status == CK_OK) status = ck_remote_command_refresh(remote, err);
  return status == CK_OK ? check_left(remote, run, err) : status;
}

/* A worker would go on with it: it is in the queue, or its run died and it is one of workers. */
static ck_status waits_for_worker(bool *out, const ck_remote_command *remote, ck_error *err) {
  const ck_session_record *record = &remote->head.session;
  ck_last_run last = {0};
  *out = !remote->live && ck_queued_is_due(record);
  if (!*out || record->status == CK_SESSION_PAUSED) return CK_OK;
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
  ck_status status = ck_pause_reason_check(reason, err);
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
