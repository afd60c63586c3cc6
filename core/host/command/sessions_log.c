/* sessions_log.c - sessions log: the events of a session, oldest first. */
#include <poll.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/agent_tail.h"
#include "core/host/inspect/event_list.h"
#include "core/host/print/pager.h"
#include "core/host/worker/trouble.h"

typedef struct values {
  const char *session, *agent, *kind;
  bool all, follow;
  int64_t last, seq, before;
} values;

enum { FOLLOW_MS = 200, TROUBLE_MS = 500 };

/* A server that is away comes back. */
static ck_status go_on(ck_event_list *self, ck_inspection *of, const ck_event_list_wanted *wanted,
                       ck_trouble *trouble) {
  ck_error problem = CK_ERROR_INIT, *err = self->err;
  self->err = &problem;
  ck_status status = ck_event_list_go_on(self, of, wanted);
  self->err = err;
  if (status != CK_OK) return ck_trouble_take(trouble, self->output, status, &problem, err);
  ck_trouble_end(trouble, self->output);
  return CK_OK;
}

/* Until its run has ended, or nobody reads any more. */
static ck_status follow(ck_event_list *self, ck_inspection *of,
                        const ck_event_list_wanted *wanted) {
  ck_status status = CK_OK;
  ck_trouble trouble = {.first_ms = TROUBLE_MS, .without = "the session is not seen"};
  while (status == CK_OK && of->live && ck_output_is_read(self->output)) {
    (void)!poll(NULL, 0, trouble.times ? ck_trouble_left_ms(&trouble) : FOLLOW_MS);
    status = go_on(self, of, wanted, &trouble);
  }
  return status;
}

static ck_status check_seq(const ck_event_list *self, const ck_inspection *of, int64_t seq,
                           ck_error *err) {
  if (!self->one || self->printed) return CK_OK;
  return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no event %lld: its last is %lld",
                      of->head.session.id, (long long)seq, (long long)of->head.last_seq);
}

static ck_status list(ck_event_list *self, ck_inspection *of, const values *v, ck_error *err) {
  const ck_event_list_wanted wanted = {v->agent, v->kind, v->seq, v->before};
  ck_status status = ck_event_list_open(self, of, v->follow);
  if (status == CK_OK) status = ck_event_list_read(self, of, &wanted);
  if (status == CK_OK) status = check_seq(self, of, v->seq, err);
  if (status == CK_OK && !self->one) status = ck_table_print(&self->table, err);
  if (status == CK_OK && v->follow && !self->one) status = follow(self, of, &wanted);
  if (status == CK_OK && v->agent && !self->printed)
    status = ck_agent_tail_check_agent(of, v->agent, err);
  ck_event_list_close(self);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  if (!v->follow) ck_pager_begin(host->output);
  ck_inspection inspection;
  if (v->before && (v->follow || v->seq))
    return ck_error_set(err, CK_E_USAGE, "--before %lld is a page of what is there: leave out --%s",
                        (long long)v->before, v->seq ? "seq" : "follow");
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  ck_event_list self = {.output = host->output,
                        .err = err,
                        .all = v->all,
                        .one = v->seq > 0,
                        .last_max = (size_t)v->last};
  status = list(&self, &inspection, v, err);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_option options[] = {
    {.name = "agent",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, agent),
     .value = "AGENT",
     .help = "only events of this agent; one that took part in nothing is an error, exit code 3"},
    {.name = "kind",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, kind),
     .value = "KIND",
     .choices = ck_inspection_kinds,
     .help = "only events of this kind, such as message, outcome or boundary"},
    {.name = "all",
     .offset = offsetof(values, all),
     .help = "every timeline: what a resume has left behind is marked as abandoned"},
    {.name = "last",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, last),
     .value = "N",
     .help = "only the last N of them"},
    {.name = "before",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, before),
     .value = "SEQ",
     .help = "only those before this event, which with --last is the page before"},
    {.name = "seq",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, seq),
     .value = "N",
     .help = "the event N alone, in full, on whatever timeline"},
    {.name = "follow",
     .letter = 'f',
     .offset = offsetof(values, follow),
     .help = "go on with what comes, until the run has ended"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions log trip --kind outcome --last 3", "the last three outcomes"},
    {"ckrun sessions log trip --seq 11", "one event, in full"},
    {0},
};

const ck_command ck_command_sessions_log = {
    .name = "sessions log",
    .summary = "print the events of a session, oldest first",
    .details =
        "Columns: seq, time, kind, scope, agent, (with --all) timeline, what happened. With "
        "--json one event per line with its body byte for byte. What a resume or a rewind "
        "has left behind is left out: the events behind the checkpoint it went on from, and "
        "what a scope did again because it went on from before that checkpoint. With --all "
        "it is listed, too, and marked: (abandoned), in JSON \"abandoned\": true. What people "
        "answered at rest is told with the resume that went on by it.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
