/* call_dropped.c - an answer that was given to another question under a question's key: it does not
 * count, and is told. */
#include "core/runtime/execution/call_dropped.h"

#include "core/model/dropped_answer.h"

/* Given from elsewhere, and not taken yet; or taken. */
static ck_bytes find_answer(const ck_ledger_entry *recorded) {
  ck_bytes taken = ck_value_bytes(recorded->outcome), none = {0};
  if (recorded->open)
    return recorded->verdict == CK_VERDICT_DONE
               ? ck_json_get(ck_value_bytes(recorded->resolution), "result")
               : none;
  if (!ck_json_is_text(ck_json_get(taken, "status"), "ok")) return none;
  ck_bytes message = ck_json_get(taken, "message");
  return ck_json_get(message.len ? message : taken, message.len ? "content" : "result");
}

ck_status ck_call_drop_answer(ck_call *self, const ck_ledger_entry *recorded, ck_error *err) {
  if (self->effect.kind != CK_EFFECT_ASK || !recorded->intent) return CK_OK;
  ck_bytes answer = find_answer(recorded);
  if (!answer.len) return CK_OK;
  ck_bytes request = ck_json_get(ck_value_bytes(recorded->intent), "request"),
           question = ck_json_get(request, "question"),
           by = ck_json_get(
               ck_value_bytes(recorded->open ? recorded->resolution : recorded->outcome), "by");
  if (!question.len) question = ck_bytes_text("\"\"");
  ck_value_free(self->dropped);
  self->dropped = NULL;
  return ck_dropped_answer_write(&self->dropped, question, answer, by, err);
}

ck_status ck_call_keep_dropped(ck_value **body, const ck_call *self, ck_error *err) {
  return self->dropped ? ck_value_add_member(body, CK_DROPPED_ANSWER, self->dropped, err) : CK_OK;
}

static void append(ck_buffer *out, const ck_call *self) {
  ck_dropped_answer_append(out, ck_dropped_answer_of(self->dropped),
                           ck_json_get(ck_value_bytes(self->request), "question"));
}

void ck_call_notify_dropped(const ck_call *self) {
  ck_buffer text = {0};
  append(&text, self);
  if (text.len && ck_buffer_check(&text, &(ck_error)CK_ERROR_INIT) == CK_OK)
    ck_call_notify_note(self, text.data);
  ck_buffer_clear(&text);
}

ck_status ck_call_tell_dropped(ck_call *self, ck_error *err) {
  ck_buffer text = {0};
  ck_outcome *told = NULL;
  if (!self->dropped) return CK_OK;
  ck_buffer_append_text(&text, self->outcome->error);
  ck_buffer_append_text(&text, " (");
  append(&text, self);
  ck_buffer_append_char(&text, ')');
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = ck_outcome_new(&told, CK_OUTCOME_FAILED, NULL, text.data, err);
  ck_buffer_clear(&text);
  if (status != CK_OK) return status;
  told->error_status = self->outcome->error_status;
  ck_outcome_free(self->outcome);
  self->outcome = told;
  return CK_OK;
}
