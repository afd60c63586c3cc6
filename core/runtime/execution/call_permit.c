/* call_permit.c - whether an effect may begin: the policies say so, or a person whom they ask.
 *
 * The answer of a person counts for the request and the question that it was given to, until the
 * effect has an outcome. */
#include "core/runtime/execution/call_permit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/dropped_answer.h"
#include "core/model/sources.h"
#include "core/runtime/execution/action.h"
#include "core/runtime/execution/passed_over.h"
#include "core/runtime/execution/permit_question.h"
#include "core/runtime/session/boundary.h"
#include "core/runtime/session/boundary_event.h"

static const char allow[] = CK_PERMIT_ALLOW, deny[] = CK_PERMIT_DENY;

const char *ck_permit_key(const ck_call *self) {
  return ck_call_asks_leave(self) ? self->question->key : NULL;
}

/* ---- the policies ---- */

/* It was begun with this request, and did not come to an end: what let it begin still holds. */
static bool was_begun(const ck_call *self) {
  const ck_ledger_entry *entry = ck_ledger_get(ck_call_session(self)->ledger, self->key);
  if (self->begun && !self->renewed) return true;
  if (!entry || !entry->intent || entry->blocked ||
      !ck_request_digest_is_of(self->digest, &self->effect, entry->intent_digest, entry->intent))
    return false;
  return entry->open || (entry->outcome && ck_ledger_is_unsettled(ck_value_bytes(entry->outcome)));
}

static ck_boundary where(const ck_call *self) {
  const ck_effect *effect = &self->effect;
  ck_boundary at = {.scope = effect->scope,
                    .node = ck_runner_node(self->runner),
                    .agent = effect->agent,
                    .depth = effect->depth,
                    .next = {.tool = *self->label ? self->label : NULL,
                             .has_class = true,
                             .effect_class = effect->class}};
  int64_t now = ck_execution_now_us(self->runner->execution);
  at.node_latency_ms = (now - self->runner->boundary_us) / 1000;
  ck_session_show_place(&at, ck_call_session(self));
  return at;
}

/* A policy's word hangs on where the effect begins: that is kept, so that it can be asked again. Of
 * a model that is asked in the place of another one it sees that one's name in the request. */
static ck_status ask_watched(const char **looked_at, ck_call *self, const ck_boundary *at,
                             ck_error *problem) {
  const ck_policy_engine *policies = ck_call_session(self)->policies;
  ck_effect shown = self->effect;
  ck_value *asked = NULL;
  ck_status status = CK_OK;
  *looked_at = NULL;
  if (shown.model) status = ck_effect_write_asked(&asked, shown.request, shown.model, problem);
  if (asked) shown.request = ck_value_bytes(asked);
  if (policies->watch) policies->watch(policies->self, ck_boundary_place_fields, looked_at);
  if (status == CK_OK) status = policies->permit(&self->leave, policies->self, &shown, at, problem);
  if (policies->watch) policies->watch(policies->self, NULL, NULL);
  ck_value_free(asked);
  return status;
}

static ck_status ask_policies(ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  const ck_policy_engine *policies = session->policies;
  ck_error problem = CK_ERROR_INIT;
  self->judged = true;
  if (!policies->permit || !ck_effect_asks_leave(&self->effect)) return CK_OK;
  const ck_boundary at = where(self);
  const ck_clock *clock = &session->runtime->clock;
  int64_t begun_us = clock->mono_us(clock->self);
  const char *looked_at;
  ck_status status = ask_watched(&looked_at, self, &at, &problem);
  self->leave.answers.hook = CK_HOOK_PERMIT;
  self->leave.answers.took_us = clock->mono_us(clock->self) - begun_us;
  ck_status kept =
      looked_at ? ck_boundary_write_place(&self->place, &at, self->effect.reserve_micros, err)
                : CK_OK;
  if (kept != CK_OK || status == CK_OK) return kept;
  return ck_session_record_policy_error(session, "permit", &problem, err);
}

void ck_permit_keep_answers(ck_call *self, ck_event_kind kind) {
  ck_answers *answers = &self->leave.answers;
  if (answers->hook) ck_session_keep_answers(ck_call_session(self), kind, answers);
  *answers = (ck_answers){0};
}

ck_status ck_permit_keep_place(ck_value **body, ck_call *self, ck_error *err) {
  if (!self->place) return CK_OK;
  ck_status status = ck_value_add_member(body, "at", self->place, err);
  if (status != CK_OK) return status;
  ck_value_free(self->place);
  self->place = NULL;
  return CK_OK;
}

/* ---- a no ---- */

/* `person`: whom the policies asked. */
static ck_status describe_denial(ck_value **out, const ck_call *self, bool person, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *request;
  ck_status status = ck_permit_show_request(&request, self, err);
  if (status != CK_OK) return status;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "by", person ? "person" : "policy");
  ck_json_member_text(&w, "policies", self->leave.policies);
  ck_json_member_text(&w, person ? "question" : "reason", self->leave.text);
  ck_json_member_text(&w, "class", ck_effect_class_name(self->effect.class));
  ck_sources_write(&w, self->effect.untrusted);
  ck_json_member_raw(&w, "request", ck_value_bytes(request));
  if (self->place) ck_json_member_raw(&w, "at", ck_value_bytes(self->place));
  ck_json_end(&w, '}');
  status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  ck_value_free(request);
  return status;
}

/* A model reads the policy's own words as the result of its call; a node's error says whose they
 * are. */
static void write_error(char text[CK_ERROR_TEXT_MAX], const ck_call *self, bool person) {
  const char *why = self->leave.text ? self->leave.text : "it was asked about",
             *who = self->leave.policies ? self->leave.policies : "?";
  bool called = self->effect.kind == CK_EFFECT_TOOL || self->action;
  if (called)
    ck_text_format(text, CK_ERROR_TEXT_MAX, "%s", person ? "denied by a person" : why);
  else
    ck_text_format(
        text, CK_ERROR_TEXT_MAX,
        person ? "denied by a person, asked by policy %s: %s" : "denied by policy %s: %s", who,
        why);
}

/* An earlier process has asked, or another branch; NULL: none. */
static const ck_ledger_entry *find_asked(const ck_call *self) {
  char key[2 * CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "%s/permit", self->key);
  return ck_ledger_get(ck_call_session(self)->ledger, key);
}

/* What a policy denies waits for no person any more. */
static ck_status withdraw_asked(ck_call *self, ck_error *err) {
  const ck_ledger_entry *asked = find_asked(self);
  if (!asked || !asked->open) return CK_OK;
  ck_status status = ck_permit_make_question(self, err);
  return status == CK_OK ? ck_permit_close_question(self, "", (ck_bytes){0}, err) : status;
}

static ck_status record_denial(ck_call *self, bool person, ck_error *err) {
  ck_outcome *outcome;
  ck_value *denied;
  char text[CK_ERROR_TEXT_MAX];
  write_error(text, self, person);
  ck_status status = person ? CK_OK : withdraw_asked(self, err);
  if (status == CK_OK) status = describe_denial(&denied, self, person, err);
  if (status != CK_OK) return status;
  status = ck_outcome_new(&outcome, CK_OUTCOME_ERROR, NULL, text, err);
  if (status != CK_OK) {
    ck_value_free(denied);
    return status;
  }
  outcome->denied = denied;
  ck_permit_keep_answers(self, CK_EVENT_OUTCOME);
  return (self->effect.model || self->begins ? ck_call_pass_over : ck_call_record)(
      self, outcome, person ? "answer" : "policy", err);
}

ck_status ck_permit_deny(ck_call *self, ck_error *err) { return record_denial(self, false, err); }

ck_status ck_permit_judge(bool *denied, ck_call *self, ck_error *err) {
  ck_status status = CK_OK;
  *denied = false;
  self->permitted |= was_begun(self);
  if (self->permitted) return CK_OK;
  if (!self->judged) status = ask_policies(self, err);
  *denied = status == CK_OK && self->leave.word == CK_LEAVE_DENY;
  return *denied ? record_denial(self, false, err) : status;
}

/* ---- the question ---- */

/* Its intent, also when an earlier process had asked: that question may lie behind the checkpoint,
 * where nobody finds it. */
static ck_status put_question(ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  const ck_permit_question *q = self->question;
  ck_value *body;
  ck_status status =
      ck_ledger_write_intent(&body, &q->effect, self->digest, ck_value_bytes(q->request), err);
  if (status == CK_OK) status = ck_permit_keep_place(&body, self, err);
  if (status == CK_OK && q->dropped)
    status = ck_value_add_member(&body, CK_DROPPED_ANSWER, q->dropped, err);
  if (status != CK_OK) {
    ck_value_free(body);
    return status;
  }
  ck_permit_keep_answers(self, CK_EVENT_INTENT);
  status = ck_session_append(session, CK_EVENT_INTENT, q->effect.scope, q->effect.agent, body, err);
  ck_value_free(body);
  if (status == CK_OK) status = ck_session_push(&self->ticket, session, CK_DURABLE_POWER, err);
  self->question->open = true;
  self->probing = false;
  self->phase = CK_CALL_INTENT;
  return status;
}

/* ---- a recorded answer ---- */

/* Both answers about an agent's action hold until its turn has come to something. */
static const ck_ledger_entry *find_user(bool *used_up, const ck_call *self,
                                        const ck_ledger_entry *question) {
  const ck_ledger *ledger = ck_call_session(self)->ledger;
  const ck_ledger_entry *turn =
      self->action ? ck_ledger_get(ledger, ck_action_of(self)->key) : NULL;
  *used_up = turn && turn->outcome && turn->outcome_seq >= question->outcome_seq &&
             !ck_ledger_failed_in_passing(ck_value_bytes(turn->outcome));
  return self->action ? NULL : ck_ledger_get(ledger, self->key);
}

/* JSON; without length: there is none that counts, as one to another question. `*open`: the
 * question has no outcome yet. */
static ck_bytes find_answer(bool *open, const ck_call *self) {
  const ck_ledger *ledger = ck_call_session(self)->ledger;
  const ck_ledger_entry *q = ck_ledger_get(ledger, self->question->key);
  *open = q && q->open;
  if (!q || (self->leave.word == CK_LEAVE_ASK && !ck_permit_is_same_question(self->question, q)))
    return (ck_bytes){0};
  bool used_up;
  const ck_ledger_entry *user = find_user(&used_up, self, q);
  return used_up && !q->open ? (ck_bytes){0} : ck_permit_find_answer(q, user, self->digest);
}

/* Who gave the answer while no process ran the session; no bytes: not known. */
static ck_bytes who_answered(const ck_call *self) {
  const ck_ledger_entry *q = ck_ledger_get(ck_call_session(self)->ledger, self->question->key);
  return q && q->resolution ? ck_json_get(ck_value_bytes(q->resolution), "by") : (ck_bytes){0};
}

static ck_status find_dropped(ck_call *self, ck_error *err) {
  const ck_ledger_entry *q = ck_ledger_get(ck_call_session(self)->ledger, self->question->key);
  bool used_up = false;
  const ck_ledger_entry *user = q ? find_user(&used_up, self, q) : NULL;
  ck_value_free(self->question->dropped);
  self->question->dropped = NULL;
  return used_up ? CK_OK : ck_permit_find_dropped(&self->question->dropped, q, user, err);
}

static ck_status obey(bool *may, ck_call *self, bool allowed, ck_error *err) {
  *may = self->permitted = allowed;
  return allowed ? CK_OK : record_denial(self, true, err);
}

/* No policy asks any more what was asked. */
static ck_status withdraw(bool *may, ck_call *self, bool open, ck_error *err) {
  *may = self->permitted = true;
  return open ? ck_permit_close_question(self, "", (ck_bytes){0}, err) : CK_OK;
}

ck_status ck_permit_ask(bool *may, ck_call *self, ck_error *err) {
  bool open, asks = self->leave.word == CK_LEAVE_ASK;
  *may = self->permitted || (!asks && !find_asked(self));
  if (*may) return CK_OK;
  ck_status status = ck_permit_make_question(self, err);
  if (status != CK_OK) return status;
  ck_bytes answer = find_answer(&open, self);
  bool allowed = ck_json_is_text(answer, allow), known = allowed || ck_json_is_text(answer, deny);
  if (known && open)
    status = ck_permit_close_question(self, allowed ? allow : deny, who_answered(self), err);
  if (known) return status == CK_OK ? obey(may, self, allowed, err) : status;
  if (!asks) return withdraw(may, self, open, err);
  self->question->reworded = ck_permit_is_reworded(self);
  self->phase = CK_CALL_LEFT;
  if (self->runner->execution->ending.status) return CK_OK;
  status = find_dropped(self, err);
  return status == CK_OK ? put_question(self, err) : status;
}

/* ---- a person is asked ---- */

/* Nobody answers here: it waits for an answer from elsewhere. */
static ck_status wait_for_answer(ck_call *self, ck_error *err) {
  ck_outcome_free(self->outcome);
  self->outcome = NULL;
  self->phase = CK_CALL_WAITING;
  const char *asked = self->leave.text ? self->leave.text : self->key;
  ck_buffer text = {0};
  ck_buffer_append_text(&text, asked);
  ck_permit_append_notes(&text, self->question);
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK)
    status = ck_outcome_new(&self->outcome, CK_OUTCOME_FAILED, NULL, text.data, err);
  ck_buffer_clear(&text);
  return status;
}

/* NULL: nobody is there, as in a recording, which would look for the question among its own. */
static const ck_effect_driver *find_asker(const ck_call *self) {
  const ck_effect_driver *found =
      ck_execution_find_driver(self->runner->execution, &self->question->effect);
  return found && strcmp(found->name, "ask") == 0 ? found : NULL;
}

ck_status ck_permit_find(const ck_effect **asks, ck_call *self, ck_error *err) {
  const ck_effect_driver *asker = find_asker(self);
  *asks = NULL;
  if (self->runner->execution->ending.status) {
    self->phase = CK_CALL_LEFT;
    return CK_OK;
  }
  if (!asker) return wait_for_answer(self, err);
  ck_permit_notify_notes(self);
  self->question->other = self->driver;
  self->driver = asker;
  *asks = &self->question->effect;
  return CK_OK;
}

void ck_permit_put_back(ck_call *self) {
  if (self->phase == CK_CALL_DRIVER) self->driver = self->question->other;
  self->delivered = false;
  self->run = NULL;
  self->phase = CK_CALL_LEFT;
}

/* The answer is recorded; what it denies, too. */
static ck_status take_answer(bool *may, ck_call *self, const char *text, ck_error *err) {
  ck_outcome_free(self->outcome);
  self->outcome = NULL;
  ck_status status = ck_permit_take_answer(self, text, err);
  if (status == CK_OK) status = obey(may, self, strcmp(text, allow) == 0, err);
  *may &= status == CK_OK && !self->runner->execution->ending.status;
  return status;
}

/* The answer that the driver of questions has delivered; NULL: none. Owned. */
static char *read_answer(const ck_call *self) {
  const ck_outcome *outcome = self->outcome;
  bool given = outcome->status == CK_OUTCOME_OK && outcome->result;
  return given ? ck_json_dup_string(ck_value_bytes(outcome->result)) : NULL;
}

ck_status ck_permit_complete(bool *may, ck_call *self, ck_error *err) {
  char *text = read_answer(self);
  *may = false;
  bool cancelled = !text && self->outcome->error_status == CK_E_INTERRUPTED;
  ck_permit_put_back(self);
  ck_status status = text         ? take_answer(may, self, text, err)
                     : !cancelled ? wait_for_answer(self, err)
                                  : CK_OK;
  free(text);
  return status;
}

ck_status ck_permit_close(ck_call *self, ck_error *err) {
  char *text = self->phase == CK_CALL_DRIVER && self->delivered ? read_answer(self) : NULL;
  ck_permit_put_back(self);
  ck_status status = text ? ck_permit_take_answer(self, text, err) : CK_OK;
  free(text);
  return status;
}

ck_status ck_permit_answer(bool *may, ck_call *self, const char *text, ck_error *err) {
  ck_value *given;
  *may = false;
  ck_status status = ck_value_text(&given, ck_bytes_text(text), err);
  if (status != CK_OK) return status;
  status =
      ck_effect_check_answer(ck_value_bytes(self->question->request), ck_value_bytes(given), err);
  ck_value_free(given);
  if (status != CK_OK) return status;
  if (self->run && !self->driver->withdraw(self->driver->self, self->run, text))
    return ck_error_set(err, CK_E_NOT_FOUND,
                        "nothing waits for an answer to %s: it has just been given",
                        self->question->key);
  ck_permit_put_back(self);
  ck_runner_wake(self->runner);
  return take_answer(may, self, text, err);
}

ck_status ck_permit_note_masked(ck_outcome *outcome, ck_call *self, ck_error *err) {
  if (!find_asked(self)) return CK_OK;
  ck_status status = ck_permit_make_question(self, err);
  if (status != CK_OK) return status;
  const ck_ledger_entry *q = ck_ledger_get(ck_call_session(self)->ledger, self->question->key);
  bool allowed = q->open && q->verdict == CK_VERDICT_DONE &&
                 ck_json_is_text(ck_json_get(ck_value_bytes(q->resolution), "result"), allow);
  if (q->open)
    status = ck_permit_close_question(self, allowed ? allow : "", who_answered(self), err);
  if (status != CK_OK || !allowed) return status;
  return ck_text_copy(&outcome->note,
                      "a person had allowed it, but what it is called with came back from the "
                      "store masked, so it is not made",
                      err);
}
