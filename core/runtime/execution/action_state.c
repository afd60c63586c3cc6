/* action_state.c - what is kept of an agent's action, and the end of what was asked about it. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/action.h"

void ck_action_free(ck_action_question *self) {
  if (!self) return;
  ck_value_free(self->id);
  ck_value_free(self->option);
  ck_value_free(self->request);
  free(self);
}

const ck_call *ck_action_of(const ck_call *self) { return self->action->of; }

/* ---- questions that nobody needs answered ---- */

static bool is_below(const ck_ledger_entry *entry, const ck_call *of) {
  size_t len = strlen(of->key);
  const char *kind = ck_effect_kind_name(CK_EFFECT_AGENT_TOOL);
  return strncmp(entry->key, of->key, len) == 0 && entry->key[len] == '/' &&
         strncmp(entry->key + len + 1, kind, strlen(kind)) == 0;
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
