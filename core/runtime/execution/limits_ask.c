/* limits_ask.c - on_limit = "ask": a person is asked for a new limit, and the answer is applied
 * exactly once.
 *
 * The question is an effect of its own, KEY/limit/N below the key of the effect that was stopped:
 * its answer is found in the ledger like any other, and once it is applied it has an outcome
 * there. Its intent names the limit: a number is an answer to no other one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/dropped_answer.h"
#include "core/runtime/execution/call_private.h"
#include "core/runtime/execution/limits.h"

typedef struct question {
  ck_effect effect;
  char key[2 * CK_STATE_KEY_MAX];
  const ck_ledger_entry *entry;
} question;

/* The first that was not answered and applied. */
static void find_question(question *out, const ck_call *call) {
  const ck_session *session = call->runner->execution->session;
  for (unsigned n = 1;; n++) {
    snprintf(out->key, sizeof out->key, "%s/limit/%u", call->key, n + call->limit_answers);
    out->entry = ck_ledger_get(session->ledger, out->key);
    if (!out->entry || !out->entry->outcome) break;
  }
  out->effect = (ck_effect){.scope = call->effect.scope,
                            .key = out->key,
                            .attempt = session->timeline.attempt,
                            .kind = CK_EFFECT_ASK,
                            .class = CK_EFFECT_IDEMPOTENT,
                            .agent = call->effect.agent};
}

static ck_status write_request(ck_value **out, const char *text, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "question", text);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static const char limit_member[] = "limit";

/* An earlier version did not say which. */
static bool is_about(const ck_ledger_entry *asked, const ck_limit_hit *hit) {
  char key[CK_STATE_KEY_MAX];
  ck_bytes limit =
      asked->intent ? ck_json_get(ck_value_bytes(asked->intent), limit_member) : (ck_bytes){0};
  ck_limits_key(key, hit->dimension, hit->agent);
  return !limit.len || ck_json_is_text(limit, key);
}

/* `dropped`: an answer to another one; NULL: there is none. */
static ck_status write_intent(ck_value **out, const question *q, const ck_limit_hit *hit,
                              const char *text, const ck_value *dropped, ck_error *err) {
  char key[CK_STATE_KEY_MAX];
  ck_value *request, *limit = NULL;
  *out = NULL;
  ck_limits_key(key, hit->dimension, hit->agent);
  ck_status status = write_request(&request, text, err);
  if (status == CK_OK) status = ck_value_text(&limit, ck_bytes_text(key), err);
  if (status == CK_OK)
    status = ck_ledger_write_intent(out, &q->effect, "", ck_value_bytes(request), err);
  if (status == CK_OK) status = ck_value_add_member(out, limit_member, limit, err);
  if (status == CK_OK && dropped)
    status = ck_value_add_member(out, CK_DROPPED_ANSWER, dropped, err);
  ck_value_free(request);
  ck_value_free(limit);
  return status;
}

/* The answer that it has, to another limit. NULL: it has none. */
static ck_status find_dropped(ck_value **out, const question *q, ck_error *err) {
  *out = NULL;
  if (!q->entry || q->entry->verdict != CK_VERDICT_DONE || !q->entry->intent) return CK_OK;
  ck_bytes request = ck_json_get(ck_value_bytes(q->entry->intent), "request"),
           said = ck_value_bytes(q->entry->resolution);
  return ck_dropped_answer_write(out, ck_json_get(request, "question"), ck_json_get(said, "result"),
                                 ck_json_get(said, "by"), err);
}

/* The question as who waits for its answer tells it. */
static ck_status tell(ck_call *call, const char *text, const ck_value *dropped, ck_error *err) {
  ck_buffer told = {0};
  ck_buffer_append_text(&told, text);
  if (dropped) ck_buffer_append_text(&told, " (");
  ck_dropped_answer_append(&told, ck_dropped_answer_of(dropped), (ck_bytes){0});
  if (dropped) ck_buffer_append_char(&told, ')');
  ck_outcome_free(call->outcome);
  call->outcome = NULL;
  ck_status status = ck_buffer_check(&told, err);
  if (status == CK_OK)
    status = ck_outcome_new(&call->outcome, CK_OUTCOME_FAILED, NULL, told.data, err);
  ck_buffer_clear(&told);
  return status;
}

/* It is asked here even if an earlier process has asked: that question may lie behind the
 * checkpoint, where nobody finds it. */
static ck_status ask_person(ck_call *call, const question *q, const ck_limit_hit *hit,
                            ck_error *err) {
  ck_session *session = call->runner->execution->session;
  char spent[256], text[CK_ERROR_TEXT_MAX];
  ck_value *dropped, *body = NULL;
  uint64_t ticket;
  ck_limits_describe(spent, sizeof spent, hit);
  snprintf(text, sizeof text, "%s. Answer with a new limit (a number), or stop.", spent);
  ck_status status = find_dropped(&dropped, q, err);
  if (status == CK_OK) status = write_intent(&body, q, hit, text, dropped, err);
  if (status == CK_OK)
    status =
        ck_session_append(session, CK_EVENT_INTENT, q->effect.scope, q->effect.agent, body, err);
  if (status == CK_OK) status = ck_session_push(&ticket, session, CK_DURABLE_POWER, err);
  if (status == CK_OK) status = tell(call, text, dropped, err);
  call->phase = CK_CALL_WAITING;
  call->asks_limit = true;
  call->hit = *hit;
  ck_value_free(dropped);
  ck_value_free(body);
  return status;
}

/* The answer is applied: the question gets its outcome. */
static ck_status close_question(ck_call *call, const char *text, ck_error *err) {
  ck_session *session = call->runner->execution->session;
  question q;
  ck_outcome outcome = {.status = CK_OUTCOME_ENDED};
  ck_value *body = NULL;
  find_question(&q, call);
  ck_status status = ck_value_text(&outcome.result, ck_bytes_text(text), err);
  if (status == CK_OK)
    status = ck_ledger_write_outcome(&body, &q.effect, &outcome, "", "answer", NULL, err);
  if (status == CK_OK)
    status = ck_session_record_outcome(session, &q.effect, body, &outcome.seq, err);
  call->limit_answers++;
  call->asks_limit = false;
  ck_value_free(outcome.result);
  ck_value_free(body);
  return status;
}

static ck_status set_limit(ck_call *call, const char *number, ck_error *err) {
  ck_session *session = call->runner->execution->session;
  char key[CK_STATE_KEY_MAX];
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *value = NULL, *body = NULL;
  ck_limits_key(key, call->hit.dimension, call->hit.agent);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", key);
  ck_json_member_raw(&w, "value", ck_bytes_text(number));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK) status = ck_value_new(&value, ck_bytes_text(number), err);
  if (status == CK_OK)
    status = ck_session_append(session, CK_EVENT_EDIT, NULL, call->hit.agent, body, err);
  if (status == CK_OK) status = ck_session_put(session, key, value, err);
  ck_value_free(value);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

/* The new limit is state: one checkpoint commits it together with the question's outcome. */
static ck_status keep_limit(ck_execution *execution, ck_error *err) {
  ck_saved saved;
  const ck_boundary at = {.kind = CK_BOUNDARY_EDIT, .description = "a person raised a limit"};
  ck_status status = ck_session_boundary(&saved, execution->session, &at, err);
  execution->counts.checkpoints += saved.taken;
  return status;
}

static ck_status apply_answer(bool *raised, ck_call *call, const char *text, ck_error *err) {
  ck_execution *execution = call->runner->execution;
  bool stops = strcmp(text, "stop") == 0;
  ck_status status = stops ? CK_OK : set_limit(call, text, err);
  if (status == CK_OK) status = close_question(call, text, err);
  if (status == CK_OK && !stops) status = keep_limit(execution, err);
  *raised = status == CK_OK && !stops;
  if (status != CK_OK) return status;
  call->phase = CK_CALL_LEFT;
  if (stops)
    ck_execution_end(execution, CK_SESSION_FAILED, CK_E_LIMIT, "stopped by a person at a limit");
  return CK_OK;
}

ck_status ck_limits_answer(bool *raised, ck_call *call, const char *text, ck_error *err) {
  *raised = false;
  ck_status status = ck_limits_check_answer(text, err);
  return status == CK_OK ? apply_answer(raised, call, text, err) : status;
}

ck_status ck_limits_withdraw(ck_call *call, ck_error *err) {
  question q;
  find_question(&q, call);
  return q.entry && q.entry->open ? close_question(call, "", err) : CK_OK;
}

ck_status ck_limits_ask(bool *raised, ck_call *call, const ck_limit_hit *hit, ck_error *err) {
  question q;
  *raised = false;
  find_question(&q, call);
  call->hit = *hit;
  if (!q.entry || q.entry->verdict != CK_VERDICT_DONE || !is_about(q.entry, hit))
    return ask_person(call, &q, hit, err);
  char *text = ck_json_dup_string(ck_json_get(ck_value_bytes(q.entry->resolution), "result"));
  ck_status status = CK_OK;
  ck_error unfit = CK_ERROR_INIT;
  if (text && ck_limits_check_answer(text, &unfit) == CK_OK) {
    status = apply_answer(raised, call, text, err);
  } else {
    status = close_question(call, text ? text : "", err);
    find_question(&q, call);
    if (status == CK_OK) status = ask_person(call, &q, hit, err);
  }
  free(text);
  return status;
}
