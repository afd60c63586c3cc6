/* sessions_rewind.c - sessions rewind: back to a checkpoint, with a report of what was learnt
 * since. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/inspect/position.h"
#include "core/runtime/history/rewind.h"

typedef struct values {
  const char *session, *to, *report, *scope;
} values;

static ck_status rewind_session(ck_remote_command *remote, const values *v, ck_error *err) {
  ck_checkpoint_info to;
  ck_history_edit_result now;
  ck_inspection inspection = {
      .store = remote->runtime->store, .head = remote->head, .live = remote->live};
  if (remote->live) return ck_error_set(err, CK_E_OWNED, "%s: pause it first", remote->owner);
  ck_status status = ck_remote_command_guard(remote, err);
  if (status != CK_OK) return status;
  status = ck_resolve_checkpoint(&to, &inspection, v->to, err);
  if (status != CK_OK) return status;
  ck_history_edit_options options = {.checkpoint = to.id,
                                     .report = v->report,
                                     .scope = v->scope,
                                     .secrets = remote->host->output->redactor};
  status = ck_session_rewind(&now, remote->runtime, remote->id, &options, err);
  if (status == CK_OK) status = ck_position_print(remote, &now, err);
  ck_checkpoint_info_clear(&to);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  if (!v->to || !v->report)
    return ck_error_set(err, CK_E_USAGE,
                        "say where to, and what was found out: CHECKPOINT --report TEXT");
  ck_status status = ck_remote_command_open(&remote, host, v->session, NULL, err);
  if (status == CK_OK) status = rewind_session(&remote, v, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    CK_CHECKPOINT_OPERAND(values, to, true, "where to: " CK_RESOLVE_CHECKPOINT_HELP),
    {0},
};

static const ck_option options[] = {
    {.name = "to",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, to),
     .value = "CHECKPOINT",
     .help = "the same"},
    {.name = "report",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, report),
     .value = "TEXT",
     .required = true,
     .help =
         "what was found out since: the next message of the user in each conversation that is cut"},
    {.name = "scope",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, scope),
     .value = "SCOPE",
     .help = "whose conversation alone gets the report, such as main or agent.NAME"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions rewind trip first --report 'pens are sold out'",
     "go back, and tell the model what was found out"},
    {0},
};

const ck_command ck_command_sessions_rewind = {
    .name = "sessions rewind",
    .summary = "go back to a checkpoint, with a report",
    .details = "The session must be stopped. What came after the checkpoint is left behind as an "
               "abandoned branch, and kept; 'ckrun sessions undo' goes back to it. What was spent "
               "stays spent, and effects of class once that succeeded are not done again.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
