/* run.c - run: starts a session of a flow and executes it. */
#include "core/host/cli/duration.h"
#include "core/host/command/commands.h"
#include "core/host/preflight/begin.h"
#include "core/host/run/detach.h"
#include "core/host/run/record.h"
#include "core/host/run/steer.h"
#include "core/host/run/summary.h"
#include "core/host/session/queued.h"

typedef struct values {
  ck_begin_words begin;
  const char *grace;
  ck_words labels;
  bool events, detach;
} values;

static ck_status check(const values *v, ck_error *err) {
  if (v->detach && (v->begin.record || v->events || v->grace))
    return ck_error_set(err, CK_E_USAGE,
                        "--record, --events and --grace are of a run here, and --detach begins "
                        "none");
  return ck_queued_check_labels(&v->labels, v->detach, err);
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_engine engine = {.output = host->output,
                      .steer = {.grace_ms = CK_STEER_GRACE_MS},
                      .events = {.wanted = v->events}};
  if (v->events) host->output->json = true;
  ck_status status = ck_duration_take(&engine.steer.grace_ms, "--grace", v->grace, err);
  if (status == CK_OK) status = check(v, err);
  if (status == CK_OK && v->detach) status = ck_queued_mark(&engine.queued, &v->labels, err);
  if (status == CK_OK) status = ck_begin_session(host, &engine, &v->begin, err);
  if (status == CK_OK)
    status = v->detach ? ck_detach(host, &engine, err) : ck_summary_execute(host, &engine, err);
  status = ck_record_write(&engine, status, err);
  ck_summary_forget(host, &engine);
  ck_engine_close(&engine);
  return status;
}

static const ck_operand operands[] = {
    CK_BEGIN_OPERAND(values, begin),
    {0},
};

static const ck_option options[] = {
    CK_BEGIN_OPTIONS(values, begin),
    CK_RECORD_OPTION(values, begin.record),
    CK_EVENTS_OPTION(values, events),
    {.name = "grace",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, grace),
     .value = "TIME",
     .help = "how long SIGINT or SIGTERM waits for the step under way: 10s unless given"},
    CK_QUEUED_DETACH_OPTION(values, detach),
    CK_QUEUED_LABEL_OPTION(values, labels),
    {0},
};

static const ck_example examples[] = {
    {"ckrun run flow.lua --profile ./profile.lua --cassette cassette.jsonl",
     "start a session that a recording answers: nothing is paid"},
    {"ckrun run flow.lua --cassette cassette.jsonl --session trip --limit budget_usd=2",
     "start one of that name, which may spend two dollars"},
    {0},
};

const ck_command ck_command_run = {
    .name = "run",
    .summary = "start a session of a flow",
    .details = "Prints the id of the session first, its progress on stderr, and a summary at the "
               "end: status, result, counts, bytes and time of the checkpoints, money spent, and "
               "how to go on when it stopped short. With --json all this is one object; its "
               "beginning with the id is written at once.\n\n"
               "SIGINT or SIGTERM pauses at the next boundary; when none is reached within "
               "--grace, what runs is given up, and the exit code is 75 if that was an effect of "
               "class once. A second signal stops at once. Whatever ends the program, 'ckrun "
               "resume' goes on without repeating what was done.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
