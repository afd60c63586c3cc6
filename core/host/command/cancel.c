/* cancel.c - cancel: ends a session for good, whichever process runs it. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/session/remote_command.h"
#include "core/host/run/orphans.h"

typedef struct values {
  const char *session, *reason, *timeout;
} values;

/* CK_OK with the session still running: another process has taken it meanwhile. */
static ck_status cancel_at_rest(ck_remote_command *remote, const char *reason, ck_error *err) {
  ck_session *session;
  ck_status status = ck_remote_command_take(&session, remote, err);
  if (status != CK_OK || !session) return status;
  status = ck_orphans_end_dead(session, remote->runtime->store, remote->host->output, err);
  if (status == CK_OK) status = ck_session_end(session, CK_SESSION_CANCELLED, reason, NULL, err);
  ck_session_close(session);
  return status;
}

static ck_status request_from_owner(ck_remote_command *remote, const char *reason, ck_error *err) {
  ck_session_request request = {.kind = CK_REQUEST_CANCEL, .text = (char *)reason};
  ck_status status = ck_remote_command_leave(remote, &request, err);
  if (status == CK_OK) status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_ENDED, err);
  return status == CK_OK ? ck_remote_command_check_problem(remote, "cancelled", err) : status;
}

/* Owners may change meanwhile; each turn acts on the session's present state. */
static ck_status cancel(ck_remote_command *remote, const char *reason, ck_error *err) {
  const ck_session_record *record = &remote->head.session;
  ck_status status = CK_OK;
  while (status == CK_OK && record->status != CK_SESSION_CANCELLED) {
    if (record->status == CK_SESSION_COMPLETED)
      return ck_error_set(err, CK_E_REFUSED,
                          "session %s is completed: there is nothing left to cancel", remote->id);
    status = remote->live ? request_from_owner(remote, reason, err)
                          : cancel_at_rest(remote, reason, err);
    if (status == CK_OK) status = ck_remote_command_refresh(remote, err);
  }
  return status == CK_OK ? ck_remote_command_print(remote, "cancelled", record->reason, err)
                         : status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  char *reason = NULL;
  ck_status status = ck_remote_command_open(&remote, host, v->session, v->timeout, err);
  if (status == CK_OK) status = ck_remote_command_clean_reason(&reason, &remote, v->reason, err);
  if (status == CK_OK) status = cancel(&remote, reason, err);
  free(reason);
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
    CK_REMOTE_COMMAND_TIMEOUT_OPTION(values, timeout, " for the process that runs it", ""),
    {0},
};

static const ck_example examples[] = {
    {"ckrun cancel trip --reason 'not needed any more'", "end it: it cannot be resumed"},
    {0},
};

const ck_command ck_command_cancel = {
    .name = "cancel",
    .summary = "end a session for good",
    .details = "The process that runs it ends what is under way and exits: the next one that has "
               "it, if that one hangs or dies, before it begins anything. A session at rest is "
               "cancelled at once. What it has recorded stays; it cannot be resumed. Cancelling it "
               "again changes nothing.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
