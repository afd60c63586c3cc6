/* answer.c - answer: gives a session the answer that it waits for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/open_effects.h"
#include "core/host/session/answering.h"

enum { ANSWER_MAX = 1 << 20 };

typedef struct values {
  const char *session, *text, *effect, *timeout;
} values;

/* Line breaks at the end of standard input are not part of the answer. */
static ck_status read_input(ck_buffer *out, ck_error *err) {
  char chunk[1 << 14];
  size_t got;
  while (out->len <= ANSWER_MAX && (got = fread(chunk, 1, sizeof chunk, stdin)) > 0)
    ck_buffer_append(out, chunk, got);
  if (ferror(stdin))
    return ck_error_set(err, CK_E_USAGE, "the answer cannot be read from standard input: %s",
                        strerror(errno));
  while (out->len > 0 && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r'))
    out->len--;
  return CK_OK;
}

/* The answer as it was given. */
static ck_status take_text(char **out, const char *given, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = CK_OK;
  if (strcmp(given, "-") == 0)
    status = read_input(&text, err);
  else
    ck_buffer_append_text(&text, given);
  ck_buffer_append(&text, "", 1);
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK && text.len > ANSWER_MAX)
    status =
        ck_error_set(err, CK_E_USAGE, "an answer of more than %d bytes is not taken", ANSWER_MAX);
  if (status == CK_OK && strlen(text.data) + 1 != text.len)
    status = ck_error_set(err, CK_E_USAGE, "an answer with a NUL byte is not taken");
  *out = status == CK_OK ? ck_buffer_take(&text) : NULL;
  ck_buffer_clear(&text);
  return status;
}

static ck_status answer(ck_remote_command *remote, const char *text, const char *effect,
                        ck_error *err) {
  ck_status status = ck_answering_give(remote, text, effect, err);
  if (status == CK_OK)
    return ck_remote_command_print(remote, ck_session_status_name(remote->head.session.status),
                                   remote->head.session.reason, err);
  size_t count;
  ck_error ignored = CK_ERROR_INIT;
  if (status == CK_E_USAGE && !remote->host->output->json &&
      ck_open_effects_print(&count, remote, CK_OPEN_QUESTIONS, &ignored) != CK_OK)
    return status;
  return status;
}

/* What is masked is looked for in the text itself; it is given as it may be kept. */
static ck_status mask(ck_masking *out, char **text, ck_remote_command *remote, const char *effect,
                      ck_error *err) {
  char *kept = NULL;
  ck_status status = ck_answering_find_masking(out, remote, *text, effect, err);
  if (status == CK_OK) status = ck_remote_command_clean(&kept, remote, *text, err);
  if (status != CK_OK) return status;
  free(*text);
  *text = kept;
  return CK_OK;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  ck_masking masking = {0};
  char *text = NULL;
  size_t count = 0;
  ck_status status = ck_remote_command_open(&remote, host, v->session, v->timeout, err);
  if (status == CK_OK) remote.runtime->via = "ckrun answer";
  if (status == CK_OK && v->text) status = take_text(&text, v->text, err);
  if (status == CK_OK && v->text) status = mask(&masking, &text, &remote, v->effect, err);
  if (status == CK_OK && v->text)
    status = answer(&remote, text, v->effect, err);
  else if (status == CK_OK)
    status = ck_open_effects_print(&count, &remote, CK_OPEN_QUESTIONS, err);
  if (status == CK_OK && !v->text)
    ck_output_notice(
        host->output,
        count ? "answer with: ckrun answer %s TEXT [--effect EFFECT]" : "session %s asks nothing",
        remote.id);
  free(text);
  ck_masking_clear(&masking);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {.name = "TEXT",
     .optional = true,
     .offset = offsetof(values, text),
     .help =
         "the answer; - reads it from standard input; without one, the open questions are listed"},
    {0},
};

static const ck_option options[] = {
    {.name = "effect",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, effect),
     .value = "EFFECT",
     .help = "which question, where there are several"},
    CK_REMOTE_COMMAND_TIMEOUT_OPTION(values, timeout, " for the process that runs it", ""),
    {0},
};

static const ck_example examples[] = {
    {"ckrun answer trip", "list what it asks"},
    {"ckrun answer trip 'Pens or paper: which costs less?'",
     "keep this answer for its next resume"},
    {0},
};

const ck_command ck_command_answer = {
    .name = "answer",
    .summary = "give a session the answer that it waits for",
    .details = "A session at rest keeps the answer, and its next resume takes it, once; a running "
               "one is given it at once. A second answer to the same question is refused.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
