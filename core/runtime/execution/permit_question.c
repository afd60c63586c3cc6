/* permit_question.c - writes the question whether an effect may begin, and the answer to it. */
#include "core/runtime/execution/permit_question.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/person.h"
#include "core/model/sources.h"
#include "core/runtime/session/transcript.h"

static const char hint[] =
    " (Part of what it is called with is masked where it is stored: where it comes back masked, it "
    "is not made, and its outcome says so.)";

static void write_text(ck_json_writer *w, const ck_call *self, bool masked) {
  const char *asked = self->leave.text;
  ck_buffer text = {0};
  ck_buffer_append_text(&text, asked ? asked : "a policy failed: may this be done?");
  if (masked) ck_buffer_append_text(&text, hint);
  ck_json_member_string(w, "question", ck_buffer_bytes(&text));
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

static ck_status write_request(ck_value **out, const ck_call *self, bool masked, ck_error *err) {
  const ck_effect *effect = &self->effect;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  write_text(&w, self, masked);
  ck_json_name(&w, "options");
  ck_json_begin(&w, '[');
  ck_json_put_text(&w, CK_PERMIT_ALLOW);
  ck_json_put_text(&w, CK_PERMIT_DENY);
  ck_json_end(&w, ']');
  ck_json_member_text(&w, "policies", self->leave.policies);
  ck_json_name(&w, "effect");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", self->key);
  ck_json_member_text(&w, "kind", ck_effect_kind_name(effect->kind));
  ck_json_member_text(&w, "class", ck_effect_class_name(effect->class));
  ck_sources_write(&w, effect->untrusted);
  ck_json_member_raw(&w, "request", ck_value_bytes(self->request));
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* As its intent will be stored. Policies that cannot say what they mask say so when it is. */
static ck_status keep(ck_call *self, ck_error *err) {
  ck_permit_question *q = self->question;
  ck_error ignored = CK_ERROR_INIT;
  ck_value *body;
  ck_value_free(q->kept);
  q->kept = NULL;
  ck_status status =
      ck_ledger_write_intent(&body, &q->effect, self->digest, ck_value_bytes(q->request), err);
  if (status != CK_OK) return status;
  status = ck_session_redact(&q->kept, ck_call_session(self), CK_EVENT_INTENT, q->effect.agent,
                             body, &ignored);
  if (status != CK_OK) q->kept = NULL;
  ck_value_free(body);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
}

static ck_bytes kept_request(const ck_call *self) {
  const ck_value *kept = self->question->kept;
  return kept ? ck_json_get(ck_value_bytes(kept), "request") : (ck_bytes){0};
}

static bool is_masked(const ck_call *self) {
  ck_bytes effect = ck_json_get(kept_request(self), "effect");
  return ck_redact_is_masked(ck_json_get(effect, "request"));
}

/* A person who allows it knows then what may come of it. */
static ck_status add_hint(ck_call *self, ck_error *err) {
  ck_permit_question *q = self->question;
  if (!is_masked(self)) return CK_OK;
  ck_value_free(q->request);
  q->request = NULL;
  ck_status status = write_request(&q->request, self, true, err);
  if (status != CK_OK) return status;
  q->effect.request = ck_value_bytes(q->request);
  return keep(self, err);
}

ck_status ck_permit_make_question(ck_call *self, ck_error *err) {
  if (self->question) return CK_OK;
  ck_permit_question *made = calloc(1, sizeof *made);
  if (!made) return ck_error_no_memory(err);
  self->question = made;
  snprintf(made->key, sizeof made->key, "%s/permit", self->key);
  ck_status status = write_request(&made->request, self, false, err);
  if (status != CK_OK) return status;
  made->effect = (ck_effect){.scope = self->effect.scope,
                             .key = made->key,
                             .attempt = ck_call_session(self)->timeline.attempt,
                             .kind = CK_EFFECT_ASK,
                             .class = CK_EFFECT_IDEMPOTENT,
                             .agent = self->effect.agent,
                             .request = ck_value_bytes(made->request)};
  status = keep(self, err);
  return status == CK_OK ? add_hint(self, err) : status;
}

bool ck_permit_is_same_question(const ck_call *self, const ck_ledger_entry *recorded) {
  if (!recorded->intent) return true;
  ck_bytes then = ck_json_get(ck_value_bytes(recorded->intent), "request");
  return ck_bytes_equal(ck_json_get(then, "question"), ck_json_get(kept_request(self), "question"));
}

/* ---- the answer ---- */

ck_status ck_permit_close_question(ck_call *self, const char *answer, ck_bytes by, ck_error *err) {
  ck_session *session = ck_call_session(self);
  const ck_effect *effect = &self->question->effect;
  ck_outcome outcome = {.status = CK_OUTCOME_ENDED, .by = by};
  ck_value *body = NULL;
  ck_status status = ck_value_text(&outcome.result, ck_bytes_text(answer), err);
  if (status == CK_OK)
    status = ck_ledger_write_outcome(&body, effect, &outcome, self->digest, "answer", NULL, err);
  if (status == CK_OK) status = ck_session_record_outcome(session, effect, body, &outcome.seq, err);
  self->question->open = false;
  ck_value_free(outcome.result);
  ck_value_free(body);
  return status;
}

/* From another process, or from the person at this one. */
ck_status ck_permit_take_answer(ck_call *self, const char *answer, ck_error *err) {
  ck_bytes by = self->runner->execution->answered_by;
  if (by.len) return ck_permit_close_question(self, answer, by, err);
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_person_write(&w, ck_call_session(self)->runtime->via);
  ck_json_end(&w, '}');
  ck_status status = ck_buffer_check(&buffer, err);
  if (status == CK_OK)
    status = ck_permit_close_question(self, answer, ck_buffer_bytes(&buffer), err);
  ck_buffer_clear(&buffer);
  return status;
}
