/* sessions_show.c - sessions show: one session, its state, and the command that continues with
 * it. */
#include "core/host/print/pager.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/session_screen.h"

typedef struct values {
  const char *session;
  bool verbose;
} values;

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_pager_begin(host->output);
  ck_inspection inspection;
  ck_session_view view;
  bool screen = host->output->terminal && !host->output->json && !v->verbose;
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  status = ck_session_view_read(&view, host, &inspection, err);
  view.runs.whole = v->verbose;
  if (status == CK_OK && screen) status = ck_session_screen_print(&view, host->output, err);
  if (status == CK_OK && !screen) status = ck_session_view_print(&view, host->output, err);
  ck_session_view_clear(&view);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_option options[] = {
    {.name = "verbose",
     .letter = 'v',
     .offset = offsetof(values, verbose),
     .help = "on a terminal, too: every field, as names and values; of every run"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions show latest", "the newest: status, cost, what to do next"},
    {0},
};

const ck_command ck_command_sessions_show = {
    .name = "sessions show",
    .summary = "show one session: status, totals, how to go on",
    .details =
        "On a terminal: how it stands, what failed, the command that goes on, what each agent "
        "has spent of its limits, the last effects with bars by their duration, and what is "
        "stored. Elsewhere, and with -v, names and values; --json has all of it.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
