/* run_checkpoint.c - gives a session the conversation and the position of a run that stopped
 * elsewhere. */
#include "core/runtime/portable/run_checkpoint.h"

#include "core/runtime/portable/chat.h"
#include "core/runtime/portable/message.h"
#include "core/runtime/portable/restored.h"
#include "core/runtime/session/record.h"
#include "core/runtime/session/session_private.h"

/* ---- the conversation ---- */

static ck_status put_message(ck_session *session, const char *agent, ck_bytes json, ck_error *err) {
  ck_value *message = NULL;
  ck_status status = ck_value_copy(&message, json, err);
  if (status == CK_OK) status = ck_session_record_message(session, "main", agent, message, err);
  ck_value_free(message);
  return status;
}

static ck_status put_prompt(ck_session *session, const ck_flow_manifest *flow, ck_error *err) {
  const char *agent = flow->agents ? flow->agents[0] : NULL;
  ck_value *message = NULL;
  ck_status status = ck_message_system(&message, ck_bytes_text(flow->prompt), err);
  if (status == CK_OK) status = ck_session_record_message(session, "main", agent, message, err);
  ck_value_free(message);
  return status;
}

static bool has_prompt(ck_bytes history) {
  ck_json_iterator it = ck_json_iterate(history);
  while (ck_json_next(&it))
    if (ck_message_is_prompt(it.value)) return true;
  return false;
}

/* The messages as all runs of ckrun keep them, however the document spells them. */
static ck_status write_history(ck_buffer *out, const ck_run_checkpoint *self, ck_error *err) {
  ck_chat history = {0};
  ck_buffer opening = {0};
  ck_json_writer w = {.out = out};
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(self->history);
  while (status == CK_OK && ck_json_next(&it)) {
    ck_value *message = NULL;
    status = ck_value_copy(&message, it.value, err);
    if (status == CK_OK) status = ck_chat_add(&history, message, err);
    ck_value_free(message);
  }
  ck_message_append_text(&opening, ck_json_get(self->input, "message"));
  if (status == CK_OK) status = ck_chat_write(&w, &history, ck_buffer_bytes(&opening), true, err);
  if (status == CK_OK) status = ck_buffer_check(&opening, err);
  if (status == CK_OK) status = ck_buffer_check(out, err);
  ck_buffer_clear(&opening);
  ck_chat_clear(&history);
  return status;
}

typedef struct conversation {
  bool prompted; /* it has a prompt */
  bool spoke;    /* its last word is the assistant's */
} conversation;

static ck_status put_history(conversation *out, const ck_run_checkpoint *self, ck_session *session,
                             const ck_flow_manifest *flow, ck_error *err) {
  const char *agent = flow->agents ? flow->agents[0] : NULL;
  ck_buffer json = {0};
  ck_status status = CK_OK;
  bool has = has_prompt(self->history);
  *out = (conversation){.prompted = has || flow->prompt};
  if (flow->prompt && !has) status = put_prompt(session, flow, err);
  if (status == CK_OK) status = write_history(&json, self, err);
  ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&json));
  while (status == CK_OK && ck_json_next(&it)) {
    out->spoke = ck_message_is(it.value, "assistant");
    status = put_message(session, agent, it.value, err);
  }
  ck_buffer_clear(&json);
  return status;
}

/* ---- the position ---- */

int64_t ck_run_checkpoint_turn(const ck_run_checkpoint *self, const ck_profile *profile) {
  bool restarts = profile && profile->resume.rounds == CK_RULE_RESET;
  return restarts ? 1 : self->last_completed + 1;
}

/* `imported` tells the flow that these are not words of its own: see agent_loop.lua. */
static ck_status put_position(const ck_run_checkpoint *self, ck_session *session,
                              const conversation *of, ck_error *err) {
  int64_t turn = ck_run_checkpoint_turn(self, session->profile);
  ck_restored position;
  ck_restored_begin_position(&position, session, "agent", turn);
  ck_json_member_int(&position.w, "turn", turn);
  ck_json_member_text(&position.w, "next", of->spoke ? "ask" : "model");
  ck_json_member_text(&position.w, "imported", of->prompted ? "prompted" : "unprompted");
  return ck_restored_put_position(&position, err);
}

/* The origin of the session, for readers of the log. */
static ck_status append_note(const ck_run_checkpoint *self, ck_session *session, ck_error *err) {
  ck_restored note;
  ck_restored_begin_note(&note, session, "run_checkpoint");
  ck_json_member_raw(&note.w, "runId", self->run);
  ck_json_member_int(&note.w, "lastCompletedIteration", self->last_completed);
  ck_json_member_int(&note.w, "checkpointedAt", self->at_ms);
  if (self->failure.len) ck_json_member_raw(&note.w, "failurePoint", self->failure);
  return ck_restored_append_note(&note, err);
}

ck_status ck_run_checkpoint_restore(const ck_run_checkpoint *self, ck_session *session,
                                    const ck_flow_manifest *flow, ck_error *err) {
  conversation of = {0};
  ck_status status = append_note(self, session, err);
  if (status == CK_OK) status = put_history(&of, self, session, flow, err);
  if (status == CK_OK) status = put_position(self, session, &of, err);
  return status == CK_OK ? ck_restored_pause(session, err) : status;
}
