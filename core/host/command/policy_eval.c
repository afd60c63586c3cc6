/* policy_eval.c - policy eval: Lua over one recorded boundary, line by line. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/host/cli/line_editor.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/moment.h"
#include "core/host/print/document.h"
#include "core/host/run/chosen_policy.h"

typedef struct values {
  const char *session, *policy;
  ck_policy_words options;
  ck_words expressions;
} values;

typedef struct evaluating {
  ck_output *output;
  const values *given;
  ck_inspection inspection;
  ck_moment moment;
  ck_chosen_policy chosen;
  ck_policy_prompt *prompt;
  size_t count, failed;
} evaluating;

/* ---- lines ---- */

static ck_status print(evaluating *self, ck_bytes text, const ck_error *failure, ck_error *err) {
  ck_output *output = self->output;
  ck_buffer safe = {0};
  if (output->json) {
    ck_document document;
    ck_document_init(&document, output);
    ck_status status = CK_OK;
    if (failure)
      ck_document_put_text(&document, NULL, "error", failure->text);
    else
      status = ck_document_put_members(&document, NULL, text, err);
    if (status == CK_OK) status = ck_document_print(&document, err);
    ck_document_clear(&document);
    return status;
  }
  if (failure)
    ck_output_notice(output, "%s", failure->text);
  else
    ck_output_append_lines(output, &safe, text);
  ck_output_write(output, ck_buffer_bytes(&safe));
  ck_buffer_clear(&safe);
  return CK_OK;
}

/* A line that wants more is no failure yet: `*incomplete`. */
static ck_status evaluate(evaluating *self, const char *text, bool *incomplete, ck_error *err) {
  ck_buffer out = {0};
  ck_error failure = CK_ERROR_INIT;
  bool json = self->output->json;
  if (json) ck_buffer_append_text(&out, "{\"values\":[");
  ck_status status =
      ck_policy_prompt_run(&out, incomplete, self->prompt, ck_bytes_text(text), json, &failure);
  if (json) ck_buffer_append_text(&out, "]}");
  if (status == CK_E_NO_MEMORY) {
    ck_buffer_clear(&out);
    return ck_error_no_memory(err);
  }
  if (status != CK_OK && *incomplete) {
    ck_buffer_clear(&out);
    return CK_OK;
  }
  self->count++;
  self->failed += status != CK_OK;
  status = print(self, ck_buffer_bytes(&out), status == CK_OK ? NULL : &failure, err);
  ck_buffer_clear(&out);
  return status == CK_OK ? ck_output_flush(self->output, err) : status;
}

/* Of `text`, whose lines may still be followed by others; at the end it is all there is. */
static ck_status take_line(evaluating *self, ck_buffer *text, bool last, ck_error *err) {
  bool incomplete;
  size_t failed = self->failed;
  ck_status status = ck_buffer_check(text, err);
  if (status == CK_OK) status = evaluate(self, text->data, &incomplete, err);
  if (status != CK_OK) return status;
  if (!incomplete || self->failed > failed) ck_buffer_reset(text);
  if (!incomplete || !last) return CK_OK;
  self->failed++;
  self->count++;
  ck_error failure = CK_ERROR_INIT;
  ck_error_set(&failure, CK_E_PARSE, "eval: the last statement has no end");
  return print(self, (ck_bytes){NULL, 0}, &failure, err);
}

static bool is_empty(const char *line) { return line[strspn(line, " \t\r")] == '\0'; }

static ck_status read_lines(evaluating *self, const ck_line_editor *editor, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = CK_OK;
  char *line;
  while (status == CK_OK && (line = ck_line_editor_read(editor, text.len ? ">> " : "> "))) {
    bool skip = !text.len && is_empty(line);
    if (text.len) ck_buffer_append_char(&text, '\n');
    if (!skip) ck_buffer_append_text(&text, line);
    free(line);
    if (!skip) status = take_line(self, &text, false, err);
  }
  if (status == CK_OK && text.len) status = take_line(self, &text, true, err);
  if (editor->prompts) ck_output_print(self->output, "\n");
  ck_buffer_clear(&text);
  return status;
}

/* ---- the whole ---- */

/* Whose views they are. */
static void append_shown(ck_buffer *out, const ck_asked_views *asked) {
  if (!asked->hook) return;
  ck_buffer_append_format(
      out, "%s is shown %s%s%s%s here", asked->hook, asked->effect ? "effect" : "",
      asked->at ? " and at" : "", asked->failure ? "failure" : "",
      asked->resume ? asked->resume->checkpoint ? "session and checkpoint" : "session" : "");
  for (size_t i = 0; asked->unknown[i]; i++)
    ck_buffer_append_format(out, "%s%s", i ? ", " : "; the session does not tell ",
                            asked->unknown[i]);
}

static void greet(const evaluating *self) {
  const ck_event *event = self->moment.event;
  const ck_boundary *at = self->moment.shown.at;
  ck_buffer names = {0};
  ck_policy_prompt_append_names(&names, self->prompt);
  ck_output_notice(self->output, "event %lld of session %s, %s%s%s. There are: %s. End: Ctrl-D",
                   (long long)event->seq, self->inspection.head.session.id,
                   ck_event_kind_name(event->kind), at && at->seq == event->seq ? " " : "",
                   at && at->seq == event->seq ? ck_boundary_kind_name(at->kind) : "",
                   names.data ? names.data : "");
  ck_buffer_reset(&names);
  append_shown(&names, &self->moment.asked);
  if (names.len) ck_output_notice(self->output, "%s", names.data);
  if (at && at->seq != event->seq && !self->moment.asked.at)
    ck_output_notice(self->output, "at is the last boundary before it, event %lld",
                     (long long)at->seq);
  ck_buffer_clear(&names);
}

static ck_status run_expressions(evaluating *self, ck_error *err) {
  const ck_words *words = &self->given->expressions;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < words->count; i++) {
    ck_buffer text = {0};
    ck_buffer_append_text(&text, words->list[i]);
    status = take_line(self, &text, true, err);
    ck_buffer_clear(&text);
  }
  return status;
}

static ck_status converse(evaluating *self, ck_error *err) {
  ck_line_editor editor = {0};
  bool terminal = isatty(STDIN_FILENO) && self->output->terminal && !self->output->json;
  if (self->given->expressions.count) {
    ck_status status = run_expressions(self, err);
    if (status != CK_OK || !self->failed) return status;
  } else {
    if (terminal) greet(self);
    if (terminal && !ck_line_editor_open(&editor, NULL))
      ck_output_notice(self->output, "without line editing: libedit.so.2 is not installed");
    ck_status status = read_lines(self, &editor, err);
    if (status != CK_OK || !self->failed || terminal) return status;
  }
  return ck_error_set(err, CK_E_POLICY, "%zu of %zu %s failed", self->failed, self->count,
                      self->given->expressions.count ? "expressions" : "statements");
}

/* Whose options hold at the event: those of the agent that acts there. */
static const char *find_acting(const ck_moment *moment) {
  const ck_event *event = moment->event;
  const ck_boundary *at = moment->shown.at;
  return event->agent ? event->agent : at && at->seq == event->seq ? at->agent : NULL;
}

static ck_status evaluate_all(evaluating *self, ck_error *err) {
  const values *given = self->given;
  ck_status status = ck_chosen_policy_find(&self->chosen, &given->options, given->policy,
                                           find_acting(&self->moment), err);
  if (status == CK_OK)
    status = ck_policy_prompt_open(&self->prompt, &self->moment.shown, self->chosen.policy, err);
  if (status == CK_OK) status = converse(self, err);
  ck_policy_prompt_free(self->prompt);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  evaluating self = {.output = host->output, .given = given};
  ck_status status = ck_chosen_policy_open(&self.chosen, &self.given->options, err);
  if (status == CK_OK)
    status = ck_moment_open(&self.moment, &self.inspection, host, self.given->session,
                            self.chosen.profile, err);
  if (status == CK_OK) {
    status = evaluate_all(&self, err);
    ck_moment_close(&self.moment);
    ck_inspection_close(&self.inspection);
  }
  ck_chosen_policy_clear(&self.chosen);
  return status;
}

static const ck_operand operands[] = {
    {.name = "SESSION#SEQ",
     .offset = offsetof(values, session),
     .help = "a session, and the number of an event in it; without #SEQ its last boundary",
     .complete = CK_COMPLETE_SESSION},
    {0},
};

static const ck_option options[] = {
    {.name = "expression",
     .letter = 'e',
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, expressions),
     .value = "LUA",
     .help = "evaluate this instead of lines from stdin; more may follow"},
    {.name = "policy",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, policy),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "a policy's file, or the name of a shipped one: opt is its options, policy its hooks"},
    CK_POLICY_OPTIONS(values, options),
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy eval 'trip#11' -e at.since.cost_usd", "what policies saw at that event"},
    {0},
};

const ck_command ck_command_policy_eval = {
    .name = "policy eval",
    .summary = "evaluate Lua over what policies see at one recorded event",
    .details =
        "Each line is an expression, or a statement, in the sandbox of policies, with the time and "
        "memory of one call of a hook. It has the views of that event: at (the boundary, or the "
        "last one before the event), history (the checkpoints up to it that still exist) and "
        "checkpoint (the last of them), event, item (what redact is shown of it), effect (of an "
        "intent; with at as permit saw it, where that is recorded), failure (of an effect that "
        "failed, as on_failure saw it), session and checkpoint (of a resume, as its rules saw "
        "them); with --policy opt and policy, so that policy.checkpoint(at, opt) asks its hook; "
        "opt may be left out, and is with --profile what that sets for the agent that acts there. "
        "Values are printed as Lua writes them, a text as it is; with --json "
        "each line gives an "
        "object. What an event holds is shown as it is stored.\n\n"
        "On a terminal lines are edited, and kept until the end, in memory alone. A global that a "
        "line sets stays, a local does not. An error is told, and the next line comes: exit code 5 "
        "of -e and of lines that are no terminal's, when one failed.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
