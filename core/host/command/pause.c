/* pause.c - pause: asks the process that runs a session to stop at its next boundary. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/session/queued.h"
#include "core/host/session/remote_command.h"

typedef struct values {
  const char *session, *reason, *timeout;
  bool wait, no_wait;
} values;

/* One that waits for a worker is taken out of its queue. CK_OK with the session running: somebody
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

/* The message about a session that no process runs. */
static ck_status answer_at_rest(const ck_remote_command *remote, ck_error *err) {
  ck_status status = ck_remote_command_check_paused(remote, err);
  return status == CK_OK
             ? ck_remote_command_print(remote, "paused", remote->head.session.reason, err)
             : status;
}

static ck_status ask(ck_remote_command *remote, const values *v, const char *reason,
                     ck_error *err) {
  ck_session_request request = {.kind = CK_REQUEST_PAUSE, .text = (char *)reason};
  ck_status status = ck_remote_command_leave(remote, &request, err);
  if (status != CK_OK) return status;
  if (v->no_wait) return ck_remote_command_print(remote, "requested", NULL, err);
  status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_ENDED, err);
  if (status == CK_OK) status = ck_remote_command_check_problem(remote, "paused", err);
  return status == CK_OK ? answer_at_rest(remote, err) : status;
}

static bool is_in_queue(const ck_remote_command *remote) {
  const ck_session_record *record = &remote->head.session;
  return !remote->live && record->status == CK_SESSION_PAUSED && ck_queued_is_due(record);
}

/* Owners may change meanwhile. */
static ck_status pause_session(ck_remote_command *remote, const values *v, ck_error *err) {
  char *reason = NULL;
  ck_status status = ck_remote_command_clean_reason(&reason, remote, v->reason, err);
  while (status == CK_OK && is_in_queue(remote)) {
    status = take_out(remote, reason, err);
    if (status == CK_OK) status = ck_remote_command_refresh(remote, err);
  }
  if (status == CK_OK)
    status = remote->live ? ask(remote, v, reason, err) : answer_at_rest(remote, err);
  free(reason);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  if (v->wait && v->no_wait)
    return ck_error_set(err, CK_E_USAGE, "--wait and --no-wait are opposites");
  ck_status status = ck_remote_command_open(&remote, host, v->session, v->timeout, err);
  if (status == CK_OK) status = pause_session(&remote, v, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_option options[] = {
    {.name = "reason",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, reason),
     .value = "TEXT",
     .help = "kept with the session; user_requested otherwise"},
    {.name = "wait",
     .offset = offsetof(values, wait),
     .help = "return when it is paused: the default"},
    CK_REMOTE_COMMAND_NO_WAIT_OPTION(values, no_wait),
    CK_REMOTE_COMMAND_TIMEOUT_OPTION(values, timeout, "", "; the request stands after it"),
    {0},
};

static const ck_example examples[] = {
    {"ckrun pause trip --reason 'the office closes'", "have it stop at its next boundary"},
    {0},
};

const ck_command ck_command_pause = {
    .name = "pause",
    .summary = "pause a session that another process runs",
    .details = "The owner takes the request within a second and pauses at its next boundary. It is "
               "reported as paused when that is on the disk, not before. A session that is paused "
               "already stays so. With --timeout over, the exit code is 1, and the session still "
               "pauses when it comes to a boundary.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
