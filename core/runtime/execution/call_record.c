/* call_record.c - records an effect's outcome, replay or divergence, and notifies watchers. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/reserve.h"
#include "core/runtime/execution/chain_memory.h"
#include "core/runtime/execution/action.h"
#include "core/runtime/execution/fitted.h"
#include "core/runtime/execution/limits.h"
#include "core/runtime/execution/said_masked.h"
#include "core/runtime/execution/untrusted.h"
#include "core/runtime/session/media.h"

static ck_progress progress_of(const ck_call *self, const char *what) {
  return (ck_progress){.what = what,
                       .key = self->key,
                       .text = *self->label ? self->label : NULL,
                       .scope = self->effect.scope,
                       .agent = self->effect.agent};
}

void ck_call_notify(const ck_call *self, const char *what) {
  ck_progress progress = progress_of(self, what);
  ck_execution_notify(self->runner->execution, &progress);
}

void ck_call_notify_note(const ck_call *self, const char *text) {
  ck_progress note = progress_of(self, "note");
  note.text = text;
  ck_execution_notify(self->runner->execution, &note);
}

ck_status ck_call_record_divergence(ck_call *self, const char *recorded, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", self->key);
  ck_json_member_text(&w, "recorded", recorded);
  ck_json_member_text(&w, "asked", self->digest);
  ck_json_end(&w, '}');
  ck_value *body = NULL;
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK)
    status = ck_session_append(self->runner->execution->session, CK_EVENT_DIVERGENCE,
                               self->effect.scope, self->effect.agent, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status make_tool_message(ck_value **out, const ck_effect *effect,
                                   const ck_outcome *outcome, ck_error *err) {
  ck_value *text = NULL;
  ck_status status = CK_OK;
  char *name = ck_json_dup_string(ck_json_get(effect->request, "name"));
  char *call_id = ck_json_dup_string(ck_json_get(effect->request, "call_id"));
  if (!outcome->result)
    status = ck_value_text(&text, ck_bytes_text(outcome->error ? outcome->error : ""), err);
  if (status == CK_OK && name)
    status =
        ck_message_tool(out, call_id, name, ck_value_bytes(text ? text : outcome->result), err);
  ck_value_free(text);
  free(call_id);
  free(name);
  return status;
}

ck_status ck_call_make_message(ck_value **out, const ck_call *self, ck_error *err) {
  const ck_effect *effect = &self->effect;
  const ck_outcome *outcome = self->outcome;
  *out = NULL;
  if (effect->own || outcome->wants || ck_effect_is_aside(effect))
    return CK_OK; /* the flow answers it, or what it wants, or it is told to nobody */
  bool answered = outcome->status == CK_OUTCOME_OK,
       has_text =
           answered || outcome->status == CK_OUTCOME_ERROR || outcome->status == CK_OUTCOME_UNKNOWN;
  if (effect->kind == CK_EFFECT_MODEL && answered) *out = ck_value_share(outcome->result);
  if (effect->kind == CK_EFFECT_ASK && answered)
    return ck_message_user(out, ck_value_bytes(outcome->result), err);
  return effect->kind == CK_EFFECT_TOOL && has_text ? make_tool_message(out, effect, outcome, err)
                                                    : CK_OK;
}

/* A person's no is the last word; that of a policy about a tool is for a model to read, and any
 * about an action of an agent's for the agent. */
static bool is_refused(const ck_call *self) {
  const ck_value *denied = self->outcome->denied;
  bool passed_over = self->outcome->status == CK_OUTCOME_FAILED; /* another model is asked */
  return denied && !self->action && !passed_over &&
         (self->effect.kind != CK_EFFECT_TOOL ||
          ck_json_is_text(ck_json_get(ck_value_bytes(denied), "by"), "person"));
}

/* What becomes of the try that it is a part of. */
static void note_ending(ck_call *self) {
  self->outcome->final =
      self->outcome->status == CK_OUTCOME_UNKNOWN && !ck_effect_class_repeats(self->class);
  self->outcome->refused = is_refused(self);
  self->runner->unknown |= self->outcome->final;
  self->runner->refused |= self->outcome->refused;
}

static ck_status write_body(ck_value **out, ck_call *self, const char *via, ck_error *err) {
  ck_value *message = NULL;
  *out = NULL;
  ck_status status = ck_untrusted_mark(self, err);
  if (status == CK_OK && !self->in_batch) status = ck_call_make_message(&message, self, err);
  if (status == CK_OK)
    status =
        ck_ledger_write_outcome(out, &self->effect, self->outcome, self->digest, via, message, err);
  ck_value_free(message);
  return status;
}

static void notify_outcome(ck_call *self, const ck_progress *progress, uint64_t ticket) {
  ck_execution *execution = self->runner->execution;
  const ck_outcome *outcome = self->outcome;
  ck_notifications_push(&execution->notifications, progress, ticket);
  execution->counts.cut_off += outcome->cut != NULL;
  if (!outcome->note) return;
  ck_progress note = progress_of(self, "note");
  note.text = outcome->note;
  ck_notifications_push(&execution->notifications, &note, ticket);
}

/* An earlier run of this session began it. */
static bool is_earlier(const ck_call *self) {
  const ck_session *session = self->runner->execution->session;
  const ck_ledger_entry *entry = self->begun ? NULL : ck_ledger_get(session->ledger, self->key);
  return entry && entry->open && entry->intent_seq > session->record.origin.cut;
}

/* What the flow carries out itself is recorded as it is called: what came of it is not known. */
static const char *step_of(const ck_call *self) {
  if (self->outcome->denied) return "denied";
  if (self->outcome->status == CK_OUTCOME_UNKNOWN) return "unknown";
  if (self->outcome->status != CK_OUTCOME_OK) return "failure";
  return self->effect.own ? "call" : "outcome";
}

/* Images and files of what came go into the store. One that cannot be taken stays in line: what was
 * done is recorded in any case. */
static void keep_media(const ck_call *self, ck_outcome *outcome) {
  ck_effect_kind kind = self->effect.kind;
  ck_value *kept;
  ck_error ignored = CK_ERROR_INIT;
  if (kind != CK_EFFECT_TOOL && kind != CK_EFFECT_READ && kind != CK_EFFECT_ASK) return;
  if (!outcome->result ||
      ck_session_take_media(&kept, self->runner->execution->session, outcome->result, &ignored))
    return;
  ck_value_free(outcome->result);
  outcome->result = kept;
}

/* What was done is recorded with the last memory that there is, and though a policy fails at it:
 * that is told behind it. */
ck_status ck_call_record(ck_call *self, ck_outcome *outcome, const char *via, ck_error *err) {
  ck_execution *execution = self->runner->execution;
  ck_value *body;
  uint64_t ticket;
  self->outcome = outcome;
  keep_media(self, outcome);
  note_ending(self);
  ck_fitted_tell(self, outcome);
  ck_status status = write_body(&body, self, via, err);
  if (status == CK_E_NO_MEMORY && ck_reserve_use()) status = write_body(&body, self, via, err);
  ck_status said = CK_OK;
  if (status == CK_OK)
    said = ck_session_record_done(execution->session, &self->effect, body, &outcome->seq, err);
  if (status == CK_OK && said != CK_E_POLICY) status = said;
  if (status == CK_OK && is_earlier(self)) ck_session_add_earlier(execution->session, body);
  if (status == CK_OK) status = ck_said_masked_keep(self, err);
  if (status == CK_OK) status = ck_action_close_questions(self, err);
  if (status == CK_OK && self->effect.remembered)
    status = ck_chain_memory_take(execution, ck_value_bytes(body), err);
  if (status == CK_OK) status = ck_limits_count(self, err);
  /* a program's bad end: whether its node fails of it, is the flow's to say */
  if (status == CK_OK && outcome->status == CK_OUTCOME_ERROR &&
      ck_ledger_is_failure(ck_value_bytes(body)))
    ck_session_mark_unclean(execution->session);
  if (status == CK_OK)
    status = ck_session_push(&ticket, execution->session,
                             ck_call_durability(&self->effect, outcome), err);
  ck_progress progress = progress_of(self, step_of(self));
  if (status == CK_OK && outcome->status != CK_OUTCOME_ENDED)
    notify_outcome(self, &progress, ticket);
  ck_value_free(body);
  self->phase = CK_CALL_DONE;
  return status == CK_OK ? said : status;
}

/* An effect that was asked for alone has its message in its outcome, and replays it from there. */
static bool has_message(const ck_ledger_entry *entry) {
  return ck_json_type_of(ck_json_get(ck_value_bytes(entry->outcome), "message")) != CK_JSON_NONE;
}

/* What had gone wrong before its last outcome is a part of this run's past, too. */
static ck_status count_incidents(ck_call *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_session *session = self->runner->execution->session;
  bool ended_badly = ck_ledger_is_failure(ck_value_bytes(entry->outcome));
  if (ended_badly) ck_session_mark_unclean(session);
  if (entry->troubles <= ended_badly) return CK_OK;
  ck_session_count_retry(session);
  return ck_session_count_failure(session, ck_runner_node(self->runner), err);
}

ck_status ck_call_replay(ck_call *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_execution *execution = self->runner->execution;
  ck_status status =
      ck_ledger_read_outcome(&self->outcome, entry->outcome, entry->outcome_seq, err);
  if (status == CK_OK) note_ending(self);
  if (status == CK_OK) status = count_incidents(self, entry, err);
  if (status == CK_OK)
    status = ck_session_record_replay(execution->session, &self->effect, entry->outcome,
                                      entry->outcome_seq, err);
  if (status == CK_OK && self->effect.kind == CK_EFFECT_MODEL)
    status = ck_chain_memory_take(execution, ck_value_bytes(entry->outcome), err);
  if (has_message(entry)) self->in_batch = false;
  execution->counts.replayed++;
  ck_call_notify(self, "replay");
  self->phase = CK_CALL_DONE;
  return status;
}
