/* action_record.c - records that an agent may do what it wants to do. */
#include "core/runtime/execution/action.h"
#include "core/runtime/execution/call_permit.h"
#include "core/runtime/session/transcript.h"

static ck_status append_outcome(ck_call *self, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  ck_outcome outcome = {.status = CK_OUTCOME_OK};
  const ck_action_question *action = self->action;
  ck_json_begin(&w, '{');
  if (action->id) ck_json_member_raw(&w, "call", ck_value_bytes(action->id));
  if (action->option) ck_json_member_raw(&w, "option", ck_value_bytes(action->option));
  ck_json_end(&w, '}');
  const char *via = self->leave.word == CK_LEAVE_ASK ? "answer"
                    : self->leave.approved           ? "policy"
                                                     : CK_LEAVE_BY_RULES;
  ck_status status = ck_value_from(&outcome.result, &buffer, err);
  if (status == CK_OK)
    status = ck_ledger_write_outcome(&body, &self->effect, &outcome, self->digest, via, NULL, err);
  if (status == CK_OK)
    status =
        ck_session_record_outcome(ck_call_session(self), &self->effect, body, &outcome.seq, err);
  ck_value_free(body);
  ck_value_free(outcome.result);
  ck_buffer_clear(&buffer);
  return status;
}

/* Both in one commit: an intent alone would be an effect in doubt. */
ck_status ck_action_allow(ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  ck_value *body;
  if (self->action->told) return CK_OK; /* the turn that wanted it has ended */
  ck_status status = ck_ledger_write_intent(&body, &self->effect, self->digest,
                                            ck_value_bytes(self->request), err);
  if (status == CK_OK) status = ck_permit_keep_place(&body, self, err);
  if (status == CK_OK) {
    ck_permit_keep_answers(self, CK_EVENT_INTENT);
    status = ck_session_append(session, CK_EVENT_INTENT, self->effect.scope, self->effect.agent,
                               body, err);
  }
  ck_value_free(body);
  if (status == CK_OK) status = append_outcome(self, err);
  if (status == CK_OK)
    status = ck_session_push(&self->ticket, session, ck_call_durability(&self->effect, NULL), err);
  self->action->allowed = true;
  self->phase = CK_CALL_INTENT;
  return status;
}
