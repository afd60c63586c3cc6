/* sessions_undo.c - sessions undo: back to the branch that the last rewind or resume from an older
 * checkpoint left. */
#include "core/host/command/commands.h"
#include "core/host/inspect/position.h"
#include "core/runtime/history/rewind.h"

typedef struct values {
  const char *session;
} values;

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  ck_history_edit_result now;
  ck_status status = ck_remote_command_open(&remote, host, v->session, NULL, err);
  if (status == CK_OK && remote.live)
    status = ck_error_set(err, CK_E_OWNED, "%s: pause it first", remote.owner);
  if (status == CK_OK) status = ck_session_undo(&now, remote.runtime, remote.id, err);
  if (status == CK_OK) status = ck_position_print(&remote, &now, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions undo trip", "where it was before the last rewind"},
    {0},
};

const ck_command ck_command_sessions_undo = {
    .name = "sessions undo",
    .summary = "take the last rewind back",
    .details = "The session stands at the last checkpoint of the branch that was left then. The "
               "branch that it leaves now is kept in its turn: 'ckrun sessions undo' once more "
               "goes back to it.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
