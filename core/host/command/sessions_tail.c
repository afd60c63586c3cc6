/* sessions_tail.c - sessions tail: the part of its past that an agent gets when its session is
 * resumed. */
#include <stdlib.h>
#include <string.h>

#include "core/host/print/pager.h"
#include "core/host/inspect/agent_tail.h"
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/runtime/session/tail/tail_section.h"

typedef struct values {
  const char *session, *agent, *last, *profile;
} values;

/* Line by line: a line break within a text is escaped already. */
static void print_section(ck_output *output, ck_bytes section) {
  const char *end = section.data + section.len;
  for (const char *line = section.data; line && line < end;) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop) stop = end;
    ck_buffer safe = {0};
    ck_output_append_safe(output, &safe, (ck_bytes){line, (size_t)(stop - line)});
    ck_buffer_append_char(&safe, '\n');
    if (safe.failed) output->failed = true;
    ck_output_write(output, ck_buffer_bytes(&safe));
    ck_buffer_clear(&safe);
    line = stop + 1;
  }
}

static ck_status print_json(ck_output *output, const ck_agent_tail *tail, ck_bytes section,
                            ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_status status = ck_agent_tail_put(&document, NULL, tail, section, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status print_tail(ck_output *output, const ck_agent_tail *tail, ck_error *err) {
  ck_buffer section = {0};
  ck_tail_append_section(&section, &tail->tail);
  ck_status status = ck_buffer_check(&section, err);
  if (status == CK_OK && output->json)
    status = print_json(output, tail, ck_buffer_bytes(&section), err);
  else if (status == CK_OK)
    print_section(output, ck_buffer_bytes(&section));
  ck_buffer_clear(&section);
  return status;
}

static ck_status read_last(int64_t *out, const char *last, ck_error *err) {
  *out = -1;
  if (!last) return CK_OK;
  size_t digits = strspn(last, "0123456789");
  if (!digits || digits > 9 || last[digits])
    return ck_error_set(err, CK_E_USAGE, "--last: '%s' is not a number of events (0 to 999999999)",
                        last);
  *out = strtol(last, NULL, 10);
  return CK_OK;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_pager_begin(host->output);
  ck_inspection inspection;
  ck_agent_tail tail = {0};
  ck_agent_tail_options options = {.agent = v->agent, .profile = v->profile};
  ck_status status = read_last(&options.last, v->last, err);
  if (status == CK_OK) status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  status = ck_agent_tail_read(&tail, &inspection, host->output, &options, err);
  if (status == CK_OK) status = print_tail(host->output, &tail, err);
  if (status == CK_OK && tail.tail.count == 0)
    status = ck_agent_tail_check_agent(&inspection, v->agent, err);
  ck_agent_tail_clear(&tail);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {.name = "AGENT", .offset = offsetof(values, agent), .help = "whose tail"},
    {0},
};

static const ck_option options[] = {
    {.name = "last",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, last),
     .value = "N",
     .help = "at most N events, 0 for none; transcript_replay_depth of the profile otherwise"},
    {.name = "profile",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, profile),
     .value = "PROFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "another profile than the one it was started with"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions tail trip shopper --last 10", "what this agent would be told of its past"},
    {0},
};

const ck_command ck_command_sessions_tail = {
    .name = "sessions tail",
    .summary = "print what an agent will be given of its past",
    .details =
        "The last N events in which the agent took part: its own, delegations, notes and updates "
        "that name it as childAgentId, delegations to it; and of those the ones that the tail "
        "hooks of the profile's policies agree to. An agent that took part in nothing has an "
        "empty tail, and the exit code is 3: stderr names the agents that there are.\n\n"
        "After three lines of heading one line for each event, oldest first: time (UTC), kind, "
        "agent (\"-\" for nobody), and behind a colon what happened. Line breaks and control "
        "characters are escaped; what is longer than 1000 bytes is cut and says by how much. Of a "
        "session that stopped, what lies behind the checkpoint it would go on from counts only as "
        "far as it has an outcome (of one that failed, a resume asks anew for what is pure). With "
        "--json one object: session, agent, depth, section (the text) and events.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
