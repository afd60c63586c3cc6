/* submit.c - submit: puts a session of a flow into the queue of the workers. */
#include "core/host/command/commands.h"
#include "core/host/preflight/begin.h"
#include "core/host/run/detach.h"
#include "core/host/run/record.h"
#include "core/host/session/queued.h"

typedef struct values {
  ck_begin_words begin;
  ck_words labels;
} values;

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_engine engine = {.output = host->output};
  ck_status status = ck_queued_mark(&engine.queued, &v->labels, err);
  if (status == CK_OK) status = ck_begin_session(host, &engine, &v->begin, err);
  if (status == CK_OK) status = ck_detach(host, &engine, err);
  ck_engine_close(&engine);
  return status;
}

static const ck_operand operands[] = {
    CK_BEGIN_OPERAND(values, begin),
    {0},
};

static const ck_option options[] = {
    CK_BEGIN_OPTIONS(values, begin),
    CK_QUEUED_LABEL_OPTION(values, labels),
    {.name = "signature",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, begin.signature),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "of 'ckrun flow sign': workers that trust its key run the flow from the store, where "
             "its files are not"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun submit flow.lua --profile ./profile.lua --cassette cassette.jsonl",
     "put a session that a recording answers into the queue"},
    {"ckrun submit flow.lua --cassette cassette.jsonl --session trip --label gpu",
     "put one of that name there, for a worker that has the label"},
    {0},
};

const ck_command ck_command_submit = {
    .name = "submit",
    .summary = "put a session of a flow into the queue of the workers",
    .details =
        "Checks all that 'ckrun run' checks, makes the session, and prints its id; 'ckrun worker' "
        "runs it, here or on whatever reaches the store. The commands that act on a session act "
        "on this one, too, wherever it runs: 'sessions watch' follows it, 'pause' keeps it "
        "until somebody resumes it, 'answer' and 'resolve' put it back into the queue, 'cancel' "
        "ends it.\n\n"
        "Programs, secrets and references are those of the worker. A person who resumes the "
        "session has it from then on; 'resume --detach' gives it to workers again.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
