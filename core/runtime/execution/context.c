/* context.c - an agent goes on without its conversation: it gets the section of tail_section.h
 * instead, once, after all that replays.
 *
 * With resume_context = "tail" the first model call of an agent that is not replayed gets its
 * system prompt and that section. A child process whose memory died with the process before gets it
 * with its first prompt. The section is an outcome below the call's key: another resume gives the
 * same section at the same call, and finds the same request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/action.h"
#include "core/runtime/execution/call_private.h"
#include "core/runtime/ledger/interrupted.h"
#include "core/runtime/session/boundary_event.h"
#include "core/runtime/session/tail/tail_section.h"

static const char tail_note[] = "tail";

static int64_t depth_of(const ck_profile *profile, const char *agent) {
  const ck_profile_agent *own = profile ? ck_profile_get_agent(profile, agent) : NULL;
  if (own && own->replay_depth >= 0) return own->replay_depth;
  return profile ? profile->replay_depth : 50;
}

/* The tail of all that the live timeline sees by now. */
static ck_status read_section(ck_buffer *out, ck_tail_said *said, ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  ck_tail_query query = {.session = session->record.no,
                         .view = &session->view,
                         .agent = self->effect.agent,
                         .n = (size_t)depth_of(session->profile, self->effect.agent),
                         .without_rewound = true,
                         .policies = session->policies,
                         .said = said};
  ck_status status = ck_session_flush(session, CK_DURABLE_PROCESS, err);
  return status == CK_OK ? ck_tail_section(out, session->runtime->store, &query, err) : status;
}

static bool is_empty(const ck_value *section) { return ck_value_bytes(section).len <= 2; }

ck_status ck_call_record_note(ck_call *self, const char *name, const ck_value *note,
                              const ck_value *said, ck_error *err) {
  ck_session *session = ck_call_session(self);
  char key[2 * CK_STATE_KEY_MAX];
  ck_effect effect = {.scope = self->effect.scope,
                      .key = key,
                      .attempt = session->timeline.attempt,
                      .kind = CK_EFFECT_READ};
  ck_outcome given = {.status = CK_OUTCOME_ENDED, .result = (ck_value *)note};
  ck_value *body;
  snprintf(key, sizeof key, "%s/%s", self->key, name);
  ck_status status = ck_ledger_write_outcome(&body, &effect, &given, "", name, NULL, err);
  if (status == CK_OK && said) status = ck_value_add_member(&body, name, said, err);
  if (status == CK_OK) status = ck_session_record_outcome(session, &effect, body, &given.seq, err);
  ck_value_free(body);
  return status;
}

/* Where nobody was asked, nothing is kept of it. An empty section is there to tell who left all
 * out. */
static ck_status record_section(ck_call *self, const ck_value *section, ck_tail_said *said,
                                ck_error *err) {
  ck_session *session = ck_call_session(self);
  ck_value *kept;
  bool empty = is_empty(section);
  ck_status status = ck_tail_said_write(&kept, said, self->effect.agent, err);
  if (status != CK_OK) return status;
  if (kept) ck_session_keep_answers(session, CK_EVENT_OUTCOME, &said->all);
  if (kept || !empty) status = ck_call_record_note(self, tail_note, section, kept, err);
  ck_value_free(kept);
  return status;
}

static size_t count_prompts(const ck_conversation *conversation) {
  size_t count = 0;
  while (
      count < ck_conversation_count(conversation) &&
      ck_json_is_text(ck_json_get(ck_value_bytes(ck_conversation_get(conversation, count)), "role"),
                      "system"))
    count++;
  return count;
}

/* The conversation behind the system prompt gives way to the section, which is nobody's event: the
 * next tail does not hold the one before. */
static ck_status put_section(ck_call *self, ck_bytes section, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *rewind = NULL;
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "to", (int64_t)count_prompts(self->effect.conversation));
  ck_json_member_raw(&w, "report", section);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&rewind, &buffer, err);
  if (status == CK_OK)
    status = ck_session_record_rewind(ck_call_session(self), self->effect.scope, NULL, rewind, err);
  ck_value_free(rewind);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status pass_section(ck_call *self, const ck_value *section, ck_error *err) {
  if (self->effect.kind == CK_EFFECT_MODEL) return put_section(self, ck_value_bytes(section), err);
  ck_value_free(self->tail);
  self->tail = ck_value_share(section);
  self->effect.tail = self->tail;
  return CK_OK;
}

/* The first of them tells what is wrong; which events it was about, the section's event does. */
static ck_status record_failure(ck_call *self, const ck_tail_said *said, ck_error *err) {
  if (said->failure.status == CK_OK) return CK_OK;
  return ck_session_record_policy_error(ck_call_session(self), "tail", &said->failure, err);
}

static ck_status make_section(bool *notified, ck_call *self, ck_error *err) {
  ck_buffer text = {0};
  ck_value *section = NULL;
  ck_tail_said said = {.clock = &ck_call_session(self)->runtime->clock};
  ck_status status = read_section(&text, &said, self, err);
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = record_failure(self, &said, err);
  *notified = status == CK_OK && text.len > 0;
  if (status == CK_OK) status = ck_value_text(&section, ck_buffer_bytes(&text), err);
  if (status == CK_OK) status = record_section(self, section, &said, err);
  if (*notified && status == CK_OK) status = pass_section(self, section, err);
  ck_tail_said_clear(&said);
  ck_value_free(section);
  ck_buffer_clear(&text);
  return status;
}

/* The agent took part before this process began. */
static ck_status took_part_before(bool *out, ck_call *self, ck_error *err) {
  const ck_session *session = ck_call_session(self);
  ck_tail tail = {0};
  ck_tail_query query = {.session = session->record.no,
                         .view = &session->view,
                         .until = session->timeline.begin - 1,
                         .agent = self->effect.agent,
                         .n = 1};
  ck_status status = ck_tail_read(&tail, session->runtime->store, &query, err);
  *out = status == CK_OK && tail.count > 0;
  ck_tail_clear(&tail);
  return status;
}

/* The context of an agent may be gone that took part before, and that this process has not asked
 * anything yet. */
static ck_status is_due(bool *due, ck_call *self, ck_error *err) {
  const ck_session *session = ck_call_session(self);
  const ck_effect *effect = &self->effect;
  bool model = effect->kind == CK_EFFECT_MODEL && !ck_effect_is_aside(effect) && session->profile &&
               session->profile->resume_with_tail;
  *due = false;
  if (session->cut == 0 || !effect->agent || (!model && effect->kind != CK_EFFECT_AGENT))
    return CK_OK;
  ck_status status = ck_runner_use(due, self->runner->execution->agents_asked, effect->agent, err);
  return status == CK_OK && *due ? took_part_before(due, self, err) : status;
}

ck_status ck_call_find_note(ck_outcome **out, const ck_call *self, const char *name,
                            ck_error *err) {
  char key[2 * CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "%s/%s", self->key, name);
  const ck_ledger_entry *entry = ck_ledger_get(ck_call_session(self)->ledger, key);
  *out = NULL;
  return entry && entry->outcome
             ? ck_ledger_read_outcome(out, entry->outcome, entry->outcome_seq, err)
             : CK_OK;
}

ck_status ck_call_restore_notifications(bool *notified, ck_call *self, ck_error *err) {
  ck_outcome *outcome;
  ck_status status = ck_call_find_note(&outcome, self, tail_note, err);
  *notified = outcome && !(outcome->result && is_empty(outcome->result));
  if (status != CK_OK || !outcome) return status;
  if (outcome->result && *notified) status = pass_section(self, outcome->result, err);
  ck_outcome_free(outcome);
  return status;
}

ck_status ck_call_notify_agent(bool *notified, ck_call *self, ck_error *err) {
  bool due = false;
  ck_outcome *before;
  *notified = false;
  ck_status status = ck_call_find_note(&before, self, tail_note, err);
  bool asked = before != NULL; /* and all was left out */
  ck_outcome_free(before);
  if (status == CK_OK && !asked) status = is_due(&due, self, err);
  return status == CK_OK && due ? make_section(notified, self, err) : status;
}

ck_status ck_call_find_interrupted(ck_call *self, ck_error *err) {
  ck_session *session = ck_call_session(self);
  bool tried = self->tried || self->effect.lost > 0 || self->tries > 0;
  if (self->effect.kind != CK_EFFECT_AGENT || self->probing || !tried) return CK_OK;
  ck_value_free(self->interrupted);
  self->interrupted = NULL;
  ck_status status = ck_session_flush(session, CK_DURABLE_PROCESS, err);
  if (status == CK_OK)
    status = ck_interrupted_read(&self->interrupted, session->runtime->store, session->record.no,
                                 self->key, err);
  if (status == CK_OK && self->interrupted)
    status = ck_action_add_answers(&self->interrupted, self, err);
  self->effect.interrupted = self->interrupted;
  return status;
}
