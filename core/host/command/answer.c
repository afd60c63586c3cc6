/* answer.c - answer: gives a session the answer that it waits for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/open_effects.h"
#include "core/runtime/history/resolve.h"

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

/* The answer, redacted for storage. */
static ck_status take_text(char **out, const ck_remote_command *remote, const char *given,
                           ck_error *err) {
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
  if (status == CK_OK) status = ck_remote_command_clean(out, remote, text.data, err);
  ck_buffer_clear(&text);
  return status;
}

typedef struct search {
  const char *text, *effect;
  bool found;
} search;

static bool check_outcome(void *to, const ck_event *event) {
  search *self = to;
  ck_bytes body = ck_value_bytes(event->body), result = ck_json_get(body, "result");
  if (result.len == 0) result = ck_json_get(ck_json_get(body, "message"), "content");
  bool key = !self->effect || ck_json_is_text(ck_json_get(body, "key"), self->effect);
  self->found = key && ck_json_is_text(ck_json_get(body, "via"), "answer") &&
                ck_json_is_text(result, self->text);
  return !self->found;
}

/* An owner that died between the answer and its note has applied the answer all the same. */
static ck_status was_applied(bool *out, const ck_remote_command *remote, const char *text,
                             const char *effect, ck_error *err) {
  search s = {.text = text, .effect = effect};
  ck_event_query query = {.session = remote->head.session.no,
                          .after = remote->after,
                          .kinds = UINT64_C(1) << CK_EVENT_OUTCOME};
  ck_status status =
      remote->run[0] ? ck_store_read_events(remote->runtime->store, &query, check_outcome, &s, err)
                     : CK_OK;
  *out = s.found;
  return status;
}

static ck_status answer_at_rest(bool *given, const ck_remote_command *remote, const char *text,
                                const char *effect, ck_error *err) {
  ck_value *value;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_value_text(&value, ck_bytes_text(text), err);
  if (status != CK_OK) return status;
  status = ck_session_answer(remote->runtime, remote->id, effect, value, &failure);
  ck_value_free(value);
  *given = status == CK_OK;
  if (status == CK_OK || status == CK_E_OWNED || status == CK_E_FENCED) return CK_OK;
  if (status == CK_E_REFUSED && was_applied(given, remote, text, effect, err) != CK_OK)
    return err->status;
  return *given ? CK_OK : ck_error_set(err, status, "%s", failure.text);
}

static ck_status request_from_owner(bool *given, ck_remote_command *remote, char *text,
                                    const char *effect, ck_error *err) {
  ck_session_request request = {.kind = CK_REQUEST_ANSWER, .text = text, .effect = (char *)effect};
  ck_status status = ck_remote_command_leave(remote, &request, err);
  if (status == CK_OK) status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_NOTED, err);
  if (status != CK_OK) return status;
  *given = remote->noted && !remote->problem[0];
  if (remote->problem[0])
    return ck_error_set(err, CK_E_REFUSED, "session %s: %s", remote->id, remote->problem);
  return CK_OK;
}

/* Owners may change meanwhile; the answer is given once. */
static ck_status answer(ck_remote_command *remote, char *text, const char *effect, ck_error *err) {
  bool given = false;
  ck_status status = CK_OK;
  while (status == CK_OK && !given) {
    status = remote->live ? request_from_owner(&given, remote, text, effect, err)
                          : answer_at_rest(&given, remote, text, effect, err);
    if (status == CK_OK) status = ck_remote_command_refresh(remote, err);
  }
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

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  char *text = NULL;
  size_t count = 0;
  ck_status status = ck_remote_command_open(&remote, host, v->session, v->timeout, err);
  if (status == CK_OK && v->text) status = take_text(&text, &remote, v->text, err);
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

const ck_command ck_command_answer = {
    .name = "answer",
    .summary = "give a session the answer that it waits for",
    .details = "A session at rest keeps the answer, and its next resume takes it, once; a running "
               "one is given it at once. A second answer to the same question is refused.",
    .operands = operands,
    .options = options,
    .run = run,
};
