/* answering.c - an answer is kept in the store, or left with the process that runs the session. */
#include "core/host/session/answering.h"

#include <stdio.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "lua/flow/form.h"

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
static ck_status was_applied(bool *out, const ck_remote_command *remote, const char *effect,
                             ck_error *err) {
  search s = {.text = remote->left, .effect = effect};
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
  if (status == CK_E_REFUSED && was_applied(given, remote, effect, err) != CK_OK)
    return err->status;
  return *given ? CK_OK : ck_error_set(err, status, "%s", failure.text);
}

typedef struct questions {
  char key[CK_STATE_KEY_MAX];
  size_t count;
} questions;

static void count_question(void *to, const ck_open_effect *effect) {
  questions *self = to;
  snprintf(self->key, sizeof self->key, "%s", effect->key);
  self->count++;
}

/* Which question it is decides whether policies mask the answer: not what they asked themselves. */
static ck_status find_only(questions *out, const ck_remote_command *remote, ck_error *err) {
  *out = (questions){0};
  return ck_session_list_questions(remote->runtime, remote->id, count_question, out, err);
}

ck_status ck_answering_find_masking(ck_masking *out, ck_remote_command *remote, const char *text,
                                    const char *effect, ck_error *err) {
  ck_value *value;
  questions open = {0};
  *out = (ck_masking){0};
  ck_status status = effect ? CK_OK : find_only(&open, remote, err);
  if (status == CK_OK) status = ck_value_text(&value, ck_bytes_text(text), err);
  if (status != CK_OK) return status;
  if (open.count == 1) effect = open.key;
  if (effect) status = ck_remote_command_mask(out, remote, &(ck_masking_word){effect, value}, err);
  ck_value_free(value);
  return status;
}

static ck_status request_from_owner(bool *given, ck_remote_command *remote, const char *text,
                                    const char *effect, ck_error *err) {
  ck_session_request request = {.kind = CK_REQUEST_ANSWER,
                                .text = (char *)text,
                                .effect = (char *)effect,
                                .via = remote->runtime->via};
  questions open = {0};
  ck_status status = effect ? CK_OK : find_only(&open, remote, err);
  if (open.count == 1) request.effect = open.key;
  if (status == CK_OK) status = ck_remote_command_leave(remote, &request, err);
  if (status == CK_OK) status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_NOTED, err);
  if (status != CK_OK) return status;
  *given = remote->noted && !remote->problem[0];
  if (remote->problem[0])
    return ck_error_set(err, CK_E_REFUSED, "session %s: %s", remote->id, remote->problem);
  return CK_OK;
}

typedef struct form_search {
  const char *effect;
  ck_value *form; /* of the question that is meant */
  size_t count;
  ck_status status;
  ck_error *err;
} form_search;

static void find_form(void *to, const ck_open_effect *question) {
  form_search *self = to;
  if (self->effect && strcmp(self->effect, question->key) != 0) return;
  ck_bytes form = ck_json_get(question->request, "form");
  if (self->count++ || ck_json_type_of(form) != CK_JSON_OBJECT) return;
  self->status = ck_value_copy(&self->form, form, self->err);
}

/* A form whose answer cannot be sent is asked about now, not when the flow goes on. */
static ck_status check_form(const ck_remote_command *remote, const char *text, const char *effect,
                            ck_error *err) {
  form_search self = {.effect = effect, .err = err};
  ck_status status = (effect ? ck_session_list_asked : ck_session_list_questions)(
      remote->runtime, remote->id, find_form, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && self.form && self.count == 1)
    status = ck_form_check(ck_value_bytes(self.form), text, err);
  ck_value_free(self.form);
  return status;
}

/* Owners may change meanwhile; the answer is given once. */
ck_status ck_answering_give(ck_remote_command *remote, const char *text, const char *effect,
                            ck_error *err) {
  bool given = false;
  ck_status status = check_form(remote, text, effect, err);
  while (status == CK_OK && !given) {
    status = remote->live ? request_from_owner(&given, remote, text, effect, err)
                          : answer_at_rest(&given, remote, text, effect, err);
    if (status == CK_OK) status = ck_remote_command_refresh(remote, err);
  }
  return status;
}
