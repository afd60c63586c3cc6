/* permit_question.c - writes the question whether an effect may begin, and the answer to it. */
#include "core/runtime/execution/permit_question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/person.h"
#include "core/model/dropped_answer.h"
#include "core/model/sources.h"
#include "core/runtime/session/opening/approval.h"
#include "core/runtime/session/transcript.h"

static void write_text(ck_json_writer *w, const ck_leave *leave, bool masked) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, leave->text ? leave->text : "a policy failed: may this be done?");
  if (masked) ck_buffer_append_text(&text, CK_LEAVE_MASKED_HINT);
  ck_json_member_string(w, "question", ck_buffer_bytes(&text));
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

static ck_status write_request(ck_value **out, const ck_permit_about *about, bool masked,
                               ck_error *err) {
  const ck_effect *effect = about->effect;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  write_text(&w, about->leave, masked);
  ck_json_name(&w, "options");
  ck_json_begin(&w, '[');
  ck_json_put_text(&w, CK_PERMIT_ALLOW);
  ck_json_put_text(&w, CK_PERMIT_DENY);
  ck_json_end(&w, ']');
  ck_json_member_text(&w, "policies", about->leave->policies);
  ck_json_name(&w, "effect");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", effect->key);
  ck_json_member_text(&w, "kind", ck_effect_kind_name(effect->kind));
  ck_json_member_text(&w, "class", ck_effect_class_name(effect->class));
  ck_sources_write(&w, effect->untrusted);
  ck_json_member_raw(&w, "request", effect->request);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* As its intent will be stored. Policies that cannot say what they mask say so when it is. */
static ck_status keep(ck_permit_question *q, const ck_permit_about *about, ck_error *err) {
  ck_error ignored = CK_ERROR_INIT;
  ck_value *body;
  ck_value_free(q->kept);
  q->kept = NULL;
  ck_status status =
      ck_ledger_write_intent(&body, &q->effect, about->digest, ck_value_bytes(q->request), err);
  if (status != CK_OK) return status;
  status =
      ck_session_redact(&q->kept, about->session, CK_EVENT_INTENT, q->effect.agent, body, &ignored);
  if (status != CK_OK) q->kept = NULL;
  ck_value_free(body);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
}

static ck_bytes kept_request(const ck_permit_question *self) {
  return self->kept ? ck_json_get(ck_value_bytes(self->kept), "request") : (ck_bytes){0};
}

static bool is_masked(const ck_permit_question *self) {
  ck_bytes effect = ck_json_get(kept_request(self), "effect");
  return ck_redact_is_masked(ck_json_get(effect, "request"));
}

/* A person who allows it knows then what may come of it. */
static ck_status add_hint(ck_permit_question *q, const ck_permit_about *about, ck_error *err) {
  bool own = about->effect->kind == CK_EFFECT_AGENT_TOOL; /* an agent has its own words */
  if (own || !is_masked(q)) return CK_OK;
  ck_value_free(q->request);
  q->request = NULL;
  ck_status status = write_request(&q->request, about, true, err);
  if (status != CK_OK) return status;
  q->effect.request = ck_value_bytes(q->request);
  return keep(q, about, err);
}

ck_status ck_permit_fill_question(ck_permit_question *out, const ck_permit_about *about,
                                  ck_error *err) {
  snprintf(out->key, sizeof out->key, "%s/permit", about->effect->key);
  ck_status status = write_request(&out->request, about, false, err);
  if (status != CK_OK) return status;
  out->effect = (ck_effect){.scope = about->effect->scope,
                            .key = out->key,
                            .attempt = about->session->timeline.attempt,
                            .kind = CK_EFFECT_ASK,
                            .class = CK_EFFECT_IDEMPOTENT,
                            .agent = about->effect->agent,
                            .request = ck_value_bytes(out->request)};
  status = keep(out, about, err);
  return status == CK_OK ? add_hint(out, about, err) : status;
}

ck_status ck_permit_show_request(ck_value **out, const ck_call *self, ck_error *err) {
  const char *model = self->effect.model;
  *out = model ? NULL : ck_value_share(self->request);
  return model ? ck_effect_write_asked(out, ck_value_bytes(self->request), model, err) : CK_OK;
}

ck_status ck_permit_make_question(ck_call *self, ck_error *err) {
  if (self->question) return CK_OK;
  ck_value *request;
  ck_status status = ck_permit_show_request(&request, self, err);
  if (status != CK_OK) return status;
  self->question = calloc(1, sizeof *self->question);
  ck_effect effect = self->effect;
  effect.key = self->key;
  effect.request = ck_value_bytes(request);
  const ck_permit_about about = {.session = ck_call_session(self),
                                 .effect = &effect,
                                 .leave = &self->leave,
                                 .digest = self->digest};
  status = self->question ? ck_permit_fill_question(self->question, &about, err)
                          : ck_error_no_memory(err);
  ck_value_free(request);
  return status;
}

/* That a call asks; no bytes: it is no model's. */
static ck_bytes model_of(ck_bytes question) {
  return ck_json_get(ck_json_get(ck_json_get(question, "effect"), "request"), "model");
}

bool ck_permit_is_same_question(const ck_permit_question *self, const ck_ledger_entry *recorded) {
  if (!recorded->intent) return true;
  ck_bytes then = ck_json_get(ck_value_bytes(recorded->intent), "request"),
           now = kept_request(self);
  return ck_bytes_equal(ck_json_get(then, "question"), ck_json_get(now, "question")) &&
         ck_bytes_equal(model_of(then), model_of(now));
}

bool ck_permit_is_reworded(const ck_call *self) {
  const ck_session *session = ck_call_session(self);
  const ck_ledger_entry *q = ck_ledger_get(session->ledger, self->question->key);
  bool same = q && strcmp(q->open ? q->intent_digest : q->outcome_digest, self->digest) == 0;
  return same && session->unchanged && !ck_ledger_get(session->ledger, self->key) &&
         !ck_permit_is_same_question(self->question, q);
}

static void append_dropped(ck_buffer *out, const ck_permit_question *question) {
  ck_bytes asked = ck_json_get(ck_value_bytes(question->request), "question");
  ck_dropped_answer_append(out, ck_dropped_answer_of(question->dropped), asked);
}

/* Both are true of a question whose words are others each time: the remedy is the better word. */
void ck_permit_append_notes(ck_buffer *out, const ck_permit_question *question) {
  bool told = question->reworded || !question->dropped;
  if (question->reworded) ck_buffer_append_text(out, CK_APPROVAL_REWORDED);
  if (told) return;
  ck_buffer_append_text(out, " (");
  append_dropped(out, question);
  ck_buffer_append_char(out, ')');
}

void ck_permit_notify_notes(const ck_call *self) {
  ck_buffer text = {0};
  append_dropped(&text, self->question);
  if (text.len && ck_buffer_check(&text, &(ck_error)CK_ERROR_INIT) == CK_OK)
    ck_call_notify_note(self, text.data);
  ck_buffer_clear(&text);
}

/* ---- the answer ---- */

/* What was allowed may begin until it has come to something; what was denied is asked about again
 * once that is recorded. */
static bool is_used_up(const ck_ledger_entry *question, const ck_ledger_entry *entry,
                       bool allowed) {
  if (!entry || !entry->outcome || entry->outcome_seq < question->outcome_seq) return false;
  return !allowed || !ck_ledger_failed_in_passing(ck_value_bytes(entry->outcome));
}

/* To whatever was asked, about whatever request. */
static ck_bytes find_any_answer(const ck_ledger_entry *q, const ck_ledger_entry *entry) {
  if (q->open)
    return q->verdict == CK_VERDICT_DONE ? ck_json_get(ck_value_bytes(q->resolution), "result")
                                         : (ck_bytes){0};
  ck_bytes answer = ck_json_get(ck_value_bytes(q->outcome), "result");
  bool allowed = ck_json_is_text(answer, CK_PERMIT_ALLOW);
  return is_used_up(q, entry, allowed) ? (ck_bytes){0} : answer;
}

ck_bytes ck_permit_find_answer(const ck_ledger_entry *q, const ck_ledger_entry *entry,
                               const char *digest) {
  const char *recorded = q->open ? q->intent_digest : q->outcome_digest;
  bool same = ck_request_digest_equal(ck_bytes_text(digest), ck_bytes_text(recorded));
  return same ? find_any_answer(q, entry) : (ck_bytes){0};
}

ck_status ck_permit_find_dropped(ck_value **out, const ck_ledger_entry *q,
                                 const ck_ledger_entry *entry, ck_error *err) {
  *out = NULL;
  if (!q || !q->intent) return CK_OK; /* what was asked is not known */
  ck_bytes answer = find_any_answer(q, entry), asked = ck_value_bytes(q->intent);
  if (!ck_json_is_text(answer, CK_PERMIT_ALLOW) && !ck_json_is_text(answer, CK_PERMIT_DENY))
    return CK_OK;
  ck_bytes by = ck_json_get(ck_value_bytes(q->open ? q->resolution : q->outcome), "by");
  return ck_dropped_answer_write(out, ck_json_get(ck_json_get(asked, "request"), "question"),
                                 answer, by, err);
}

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
