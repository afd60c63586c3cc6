/* pause.c - pause: asks the process that runs a session to stop at its next boundary. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/session/pausing.h"

typedef struct values {
  const char *session, *reason, *timeout;
  bool wait, no_wait;
} values;

static ck_status pause_session(ck_remote_command *remote, const values *v, ck_error *err) {
  char *reason = NULL;
  bool left = false;
  ck_status status = ck_remote_command_clean_reason(&reason, remote, v->reason, err);
  if (status == CK_OK)
    status = v->no_wait ? ck_pausing_ask(&left, remote, reason, err)
                        : ck_pausing_pause(remote, reason, err);
  free(reason);
  if (status != CK_OK) return status;
  return left ? ck_remote_command_print(remote, "requested", NULL, err)
              : ck_remote_command_print(remote, "paused", remote->head.session.reason, err);
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
               "reported as paused when that is on the disk, not before; no worker goes on with it "
               "then. A session that is paused already stays so. With --timeout over, the exit "
               "code is 1, and the session still pauses when it comes to a boundary: at the next "
               "process that runs it, if the owner dies before. Only a person's resume supersedes "
               "that, and says so.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
