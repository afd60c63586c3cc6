/* history_edit.c - shared by fork, rewind and undo: inspect, load, gather the events, and write
 * them in one transaction. */
#include "core/runtime/history/history_edit_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/opening/amend.h"
#include "core/runtime/session/opening/load.h"
#include "core/runtime/session/opening/opening.h"
#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/totals.h"

ck_status ck_history_edit_open(ck_history_edit *self, ck_runtime *runtime, const char *id,
                               const char *doing, ck_error *err) {
  self->runtime = runtime;
  ck_status status = ck_id_check("session id", id, err);
  if (status == CK_OK) status = ck_store_get_head(&self->head, runtime->store, id, err);
  if (status == CK_OK && !ck_session_status_resumable(self->head.session.status))
    status = ck_error_set(
        err, CK_E_REFUSED,
        "session %s is %s and cannot be %s: 'ckrun sessions fork %s' makes one that goes on from a "
        "checkpoint of it",
        id, ck_session_status_name(self->head.session.status), doing, id);
  return status == CK_OK ? ck_store_check_owner(runtime->store, id, err) : status;
}

static ck_status select_checkpoint(ck_history_edit *self, const char *checkpoint, ck_error *err) {
  const char *id = self->head.session.id;
  ck_status status = ck_select_checkpoint(&self->from, self->runtime->store, &self->head,
                                          &(ck_choice){.id = checkpoint}, err);
  if (status != CK_OK) return status;
  if (self->from.seq == 0)
    return ck_error_set(err, CK_E_REFUSED, "session %s has no checkpoint to go on from", id);
  if (self->from.resumable) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED, "checkpoint %s of session %s is not one to resume from",
                      self->from.id, id);
}

/* What a person changes is for the flow to see. */
static bool changes_something(const ck_history_edit_options *options) {
  return options->report || (options->edits && options->edits->count > 0);
}

static ck_status load_state(ck_history_edit *self, const ck_history_edit_options *options,
                            ck_error *err) {
  ck_state *state;
  ck_status status =
      ck_store_get_state(&state, self->runtime->store, self->head.session.no, self->from.seq, err);
  if (status != CK_OK) return status;
  status = ck_session_set_state(self->session, state, err);
  if (status == CK_OK && changes_something(options))
    status = ck_session_take_end_back(self->session, err);
  return status == CK_OK ? ck_session_fill_secret_references(self->session, true, err) : status;
}

/* Nothing is set back by a person's edit. */
static ck_status load_base(ck_history_edit *self, ck_error *err) {
  const ck_resume_rules rules = {.budget = CK_RULE_CONTINUE,
                                 .time = CK_RULE_CONTINUE,
                                 .rounds = CK_RULE_CONTINUE,
                                 .tokens = CK_RULE_CONTINUE,
                                 .tool_calls = CK_RULE_CONTINUE};
  return ck_session_reset_base(self->session, &self->head, &self->from, &rules, err);
}

/* The session's profile is not needed: no policy is asked, and the caller gives the secrets to
 * redact. */
ck_status ck_history_edit_begin(ck_history_edit *self, const ck_history_edit_options *options,
                                ck_error *err) {
  ck_status status = select_checkpoint(self, options->checkpoint, err);
  if (status == CK_OK) status = ck_session_new(&self->session, self->runtime, NULL, NULL, err);
  if (status == CK_OK && options->secrets)
    status = ck_redactor_copy_secrets(self->session->redactor, options->secrets, err);
  if (status == CK_OK && options->excluded)
    status = ck_redactor_set_keys(self->session->redactor, options->excluded, err);
  if (status == CK_OK) status = load_state(self, options, err);
  if (status == CK_OK)
    status = ck_session_load_history(self->session, &self->head, &self->from, true, err);
  if (status == CK_OK) status = load_base(self, err);
  if (status != CK_OK) return status;
  ck_session_follow_checkpoint(self->session, self->from.seq);
  ck_session_restart_active(self->session);
  return CK_OK;
}

ck_status ck_history_edit_announce(ck_history_edit *self, ck_event_kind kind, int64_t undone,
                                   ck_error *err) {
  ck_buffer buffer = {0};
  ck_value *body = NULL;
  ck_json_writer w = {.out = &buffer};
  const ck_timeline *timeline = &self->session->timeline;
  bool forks = kind == CK_EVENT_SESSION_FORKED;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "run", timeline->run);
  ck_json_member_text(&w, "parent_run", timeline->parent_run);
  ck_json_member_text(&w, "origin", forks ? self->head.session.id : NULL);
  ck_json_member_text(&w, "checkpoint", self->from.id);
  if (!forks) ck_json_member_int(&w, "left", self->head.session.timeline);
  if (undone) ck_json_member_int(&w, "undone", undone);
  ck_status status =
      kind == CK_EVENT_SESSION_REWOUND ? ck_session_write_cuts(self->session, &w, err) : CK_OK;
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK) status = ck_session_append(self->session, kind, NULL, NULL, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_history_edit_commit(ck_history_edit_result *out, ck_history_edit *self,
                                 const ck_session_record *record, const char *reason,
                                 ck_error *err) {
  ck_checkpoint *checkpoint = NULL;
  const ck_session_update paused = {.status = CK_SESSION_PAUSED, .reason = reason};
  /* what agents have spent behind the checkpoint stays spent; for a fork it never was */
  ck_status status = record ? CK_OK : ck_session_put_spending(self->session, err);
  /* a fork that goes back behind its beginning still counts from there */
  if (status == CK_OK && !record && self->session->spent.inherits_base)
    status = ck_session_put_base(self->session, err);
  if (status == CK_OK) status = ck_session_mark_edit(&checkpoint, self->session, reason, err);
  if (status == CK_OK)
    status =
        ck_session_write_gathered(self->session, &self->head, record, checkpoint, &paused, err);
  if (status == CK_OK) {
    *out = (ck_history_edit_result){.from_seq = self->from.seq,
                                    .timeline = self->session->timeline.no,
                                    .left = self->head.session.timeline};
    memcpy(out->session, record ? record->id : self->head.session.id, sizeof out->session);
    memcpy(out->from, self->from.id, sizeof out->from);
    memcpy(out->checkpoint, checkpoint->id, sizeof out->checkpoint);
  }
  ck_checkpoint_free(checkpoint);
  return status;
}

/* Without a channel nothing is written any more; the lock is released. */
void ck_history_edit_close(ck_history_edit *self) {
  ck_session_close(self->session);
  ck_checkpoint_info_clear(&self->from);
  ck_head_clear(&self->head);
}
