/* action_state.c - what is kept of an agent's action, and the end of what was asked about it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/action.h"
#include "core/runtime/execution/permit_question.h"

void ck_action_free(ck_action_question *self) {
  if (!self) return;
  ck_value_free(self->id);
  ck_value_free(self->option);
  ck_value_free(self->request);
  free(self);
}

const ck_call *ck_action_of(const ck_call *self) { return self->action->of; }

/* ---- questions below a turn ---- */

static bool is_below(const ck_ledger_entry *entry, const ck_call *of) {
  size_t len = strlen(of->key);
  const char *kind = ck_effect_kind_name(CK_EFFECT_AGENT_TOOL);
  return strncmp(entry->key, of->key, len) == 0 && entry->key[len] == '/' &&
         strncmp(entry->key + len + 1, kind, strlen(kind)) == 0;
}

/* No bytes: there is none. */
static ck_bytes answer_of(const ck_ledger_entry *question) {
  if (question->open)
    return question->verdict == CK_VERDICT_DONE
               ? ck_json_get(ck_value_bytes(question->resolution), "result")
               : (ck_bytes){0};
  return question->outcome ? ck_json_get(ck_value_bytes(question->outcome), "result")
                           : (ck_bytes){0};
}

/* An action has an outcome once the agent was told of the answer. */
static bool was_told(const ck_ledger *ledger, const ck_ledger_entry *question) {
  char key[CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "%.*s", (int)(strlen(question->key) - strlen("/permit")),
           question->key);
  const ck_ledger_entry *action = ck_ledger_get(ledger, key);
  return action && action->outcome;
}

static void write_answer(ck_json_writer *w, const ck_ledger_entry *question, ck_bytes answer) {
  ck_bytes asked = ck_json_get(ck_value_bytes(question->intent), "request");
  ck_bytes action = ck_json_get(ck_json_get(asked, "effect"), "request");
  ck_bytes title = ck_json_get(action, "title"), kind = ck_json_get(action, "name");
  ck_json_begin(w, '{');
  if (title.len) ck_json_member_raw(w, "title", title);
  if (kind.len) ck_json_member_raw(w, "kind", kind);
  ck_json_member_raw(w, "answer", answer);
  ck_json_end(w, '}');
}

ck_status ck_action_add_answers(ck_value **interrupted, const ck_call *of, ck_error *err) {
  const ck_ledger *ledger = of->runner->execution->session->ledger;
  const ck_ledger_entry *entry;
  ck_buffer list = {0};
  ck_json_writer w = {.out = &list};
  ck_value *answers = NULL;
  ck_json_begin(&w, '[');
  for (size_t i = 0; (entry = ck_ledger_at(ledger, i)) != NULL; i++) {
    if (entry->kind != CK_EFFECT_ASK || !entry->intent || !is_below(entry, of)) continue;
    ck_bytes answer = answer_of(entry);
    bool given =
        ck_json_is_text(answer, CK_PERMIT_ALLOW) || ck_json_is_text(answer, CK_PERMIT_DENY);
    if (given && !was_told(ledger, entry)) write_answer(&w, entry, answer);
  }
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(&answers, &list, err);
  if (status == CK_OK) status = ck_value_add_member(interrupted, "answers", answers, err);
  ck_value_free(answers);
  ck_buffer_clear(&list);
  return status;
}

static ck_status close_question(ck_session *session, const ck_ledger_entry *entry, ck_error *err) {
  ck_outcome outcome = {.status = CK_OUTCOME_ENDED};
  ck_value *body = NULL;
  const ck_effect effect = {.scope = entry->scope,
                            .key = entry->key,
                            .attempt = session->timeline.attempt,
                            .kind = entry->kind,
                            .class = entry->class,
                            .agent = entry->agent};
  ck_status status = ck_value_text(&outcome.result, ck_bytes_text(""), err);
  if (status == CK_OK)
    status = ck_ledger_write_outcome(&body, &effect, &outcome, entry->intent_digest, "answer", NULL,
                                     err);
  if (status == CK_OK)
    status = ck_session_record_outcome(session, &effect, body, &outcome.seq, err);
  ck_value_free(outcome.result);
  ck_value_free(body);
  return status;
}

ck_status ck_action_close_questions(const ck_call *of, ck_error *err) {
  ck_session *session = of->runner->execution->session;
  const ck_ledger_entry *entry, *prompt = ck_ledger_get(session->ledger, of->key);
  ck_status status = CK_OK;
  if (of->effect.kind != CK_EFFECT_AGENT || !prompt || !prompt->outcome ||
      ck_ledger_failed_in_passing(ck_value_bytes(prompt->outcome)))
    return CK_OK;
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(session->ledger, i)) != NULL; i++)
    if (entry->open && entry->kind == CK_EFFECT_ASK && is_below(entry, of))
      status = close_question(session, entry, err);
  return status;
}
