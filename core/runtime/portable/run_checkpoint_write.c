/* run_checkpoint_write.c - writes a run that stopped as one portable document. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/portable/extension.h"
#include "core/runtime/portable/line.h"
#include "core/runtime/portable/message.h"
#include "core/runtime/portable/run_checkpoint.h"
#include "core/runtime/portable/run_observation.h"
#include "core/runtime/portable/run_record.h"
#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/scope.h"

/* All that the document is made of. */
typedef struct writing {
  ck_store *store;
  const ck_head *head;
  ck_view view;
  ck_run_observation observed;
  ck_chat history;
  ck_buffer message; /* what the user wanted */
} writing;

static void clear(writing *self) {
  ck_buffer_clear(&self->message);
  ck_chat_clear(&self->history);
  ck_run_observation_clear(&self->observed);
  ck_view_clear(&self->view);
}

/* ---- refusals ---- */

/* A completed run needs no other; a cancelled one was not to go on; a live one goes on itself. */
static ck_status check_status(const writing *self, ck_error *err) {
  const ck_session_record *session = &self->head->session;
  if (!ck_session_status_resumable(session->status))
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is %s: a run checkpoint is made of a run that failed, or "
                        "stopped short of its end",
                        session->id, ck_session_status_name(session->status));
  if (session->status != CK_SESSION_RUNNING) return CK_OK;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_store_check_owner(self->store, session->id, &ignored) == CK_OK) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s is running: a run checkpoint is made of a run that failed, or "
                      "stopped short of its end; `ckrun pause %s` stops it",
                      session->id, session->id);
}

static ck_status check_run(const writing *self, ck_error *err) {
  const ck_session_record *session = &self->head->session;
  const char *id = session->id;
  ck_status cause = self->observed.cause;
  if (cause == CK_E_CREDENTIALS)
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is not resumable elsewhere: %s; here `ckrun resume %s` goes on "
                        "once they are supplied",
                        id, ck_status_text(cause), id);
  if (ck_run_meets_again(cause))
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is not resumable: %s; another run would meet the same", id,
                        ck_status_text(cause));
  if (self->observed.iterations == 0)
    return ck_error_set(
        err, CK_E_REFUSED,
        "session %s %s before it completed an iteration: there is nothing to go on from", id,
        session->status == CK_SESSION_FAILED ? "failed" : "stopped");
  return CK_OK;
}

/* ---- what the user wanted ---- */

static bool take_first_words(void *to, const ck_event *event) {
  ck_buffer *out = to;
  ck_bytes message = ck_json_get(ck_value_bytes(event->body), "message");
  if (ck_message_is(message, "user")) ck_message_append_text(out, ck_json_get(message, "content"));
  return out->len == 0;
}

/* "Run the flow pipeline." */
static void name_flow(writing *self) {
  const char *flow = ck_session_flow_name(&self->head->session);
  const char *name = flow ? flow : self->head->session.id, *dot = strrchr(name, '.');
  ck_buffer_append_format(&self->message, "Run the flow %.*s.",
                          dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

/* The session's input, or the first words of a user. */
static ck_status find_message(writing *self, ck_error *err) {
  ck_bytes input = ck_extension_input(&self->head->session);
  ck_bytes message = ck_json_get(input, "message");
  ck_message_append_text(&self->message, message.len ? message : input);
  ck_event_query query = {.session = self->head->session.no,
                          .view = &self->view,
                          .kinds = 1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_OUTCOME};
  ck_status status = CK_OK;
  if (!self->message.len)
    status = ck_store_read_events(self->store, &query, take_first_words, &self->message, err);
  if (!self->message.len) name_flow(self);
  return status == CK_OK ? ck_buffer_check(&self->message, err) : status;
}

/* ---- what was said and done ---- */

static bool has_nodes(const ck_run_observation *seen) {
  for (size_t i = 0; i < seen->unit_count; i++)
    if (seen->units[i].name) return true;
  return false;
}

/* What a person answers a node that asks is no conversation: the node's record has it. */
static bool has_turns(const writing *self, const ck_conversation *conversation) {
  bool nodes = has_nodes(&self->observed);
  for (size_t i = 0; i < ck_conversation_count(conversation); i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get(conversation, i));
    if (nodes ? ck_message_is(message, "assistant") : !ck_message_is_prompt(message)) return true;
  }
  return false;
}

/* The outputs of nodes as the latest checkpoint has them; NULL: there is none. */
static ck_status load_state(ck_state **out, const writing *self, ck_error *err) {
  ck_checkpoint_info latest;
  *out = NULL;
  ck_status status = ck_select_checkpoint(&latest, self->store, self->head, &(ck_choice){0}, err);
  if (status != CK_OK || !latest.seq) return status;
  status = ck_store_get_state(out, self->store, self->head->session.no, latest.seq, err);
  ck_checkpoint_info_clear(&latest);
  return status;
}

static ck_status add_record(writing *self, ck_error *err) {
  ck_state *state;
  ck_status status = load_state(&state, self, err);
  if (status != CK_OK) return status;
  status = ck_run_record_add(&self->history, &self->observed, self->store, self->head->session.no,
                             state, err);
  ck_state_free(state);
  return status;
}

static ck_status read_history(writing *self, ck_error *err) {
  ck_scope *scope = NULL;
  ck_status status = ck_scope_new(&scope, "main", err);
  if (status == CK_OK)
    status = ck_scope_fold(scope, self->store, self->head->session.no, &self->view,
                           self->observed.boundary, err);
  if (status == CK_OK)
    status = has_turns(self, ck_scope_conversation(scope))
                 ? ck_chat_add_all(&self->history, ck_scope_conversation(scope), err)
                 : add_record(self, err);
  ck_scope_free(scope);
  return status;
}

/* ---- the document ---- */

static const char *phase_of(const ck_run_observation *seen) {
  if (!seen->has_effect) return "iteration";
  if (seen->kind == CK_EFFECT_MODEL) return "llm";
  bool acts =
      seen->kind == CK_EFFECT_TOOL || seen->kind == CK_EFFECT_EXEC || seen->kind == CK_EFFECT_AGENT;
  return acts ? "tool" : "unknown";
}

/* A run that was paused between its actions, or waits for a person or a time, did not fail. */
static void write_failure(ck_json_writer *w, const writing *self) {
  const ck_run_observation *seen = &self->observed;
  ck_session_status status = self->head->session.status;
  bool stopped = status == CK_SESSION_PAUSED || status == CK_SESSION_WAITING;
  bool waits = seen->kind == CK_EFFECT_ASK || seen->kind == CK_EFFECT_SLEEP;
  if (stopped && (!seen->has_effect || waits)) return;
  ck_json_name(w, "failurePoint");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "iteration", seen->iterations + 1);
  ck_json_member_text(w, "phase", phase_of(seen));
  ck_json_member_text(w, "stage", seen->stage);
  ck_json_end(w, '}');
}

/* Who said all this, so that nobody else goes on with it unawares. */
static void write_identity(ck_json_writer *w, const writing *self) {
  const ck_session_record *session = &self->head->session;
  ck_bytes digest =
      session->input ? ck_json_get(ck_value_bytes(session->input), "flow_digest") : (ck_bytes){0};
  if (self->observed.agent) {
    ck_json_name(w, "agent");
    ck_json_begin(w, '{');
    ck_json_member_text(w, "id", self->observed.agent);
    ck_json_end(w, '}');
  }
  if (!session->flow || !digest.len) return;
  ck_json_name(w, "flow");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "name", ck_session_flow_name(session));
  ck_json_member_raw(w, "digest", digest);
  ck_json_end(w, '}');
}

static void write_extension(ck_json_writer *w, const writing *self) {
  ck_json_name(w, CK_EXTENSION);
  ck_json_begin(w, '{');
  ck_extension_write_input(w, &self->head->session);
  ck_json_end(w, '}');
}

static ck_status write_document(ck_value **out, const writing *self, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_bytes message = ck_buffer_bytes(&self->message);
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "version", CK_RUN_CHECKPOINT_VERSION);
  ck_json_member_text(&w, "runId", self->head->session.run);
  ck_json_name(&w, "history");
  ck_status status = ck_chat_write(&w, &self->history, message, false, err);
  ck_json_member_int(&w, "lastCompletedIteration", self->observed.iterations);
  ck_json_name(&w, "originalInput");
  ck_json_begin(&w, '{');
  ck_json_member_string(&w, "message", message);
  ck_json_end(&w, '}');
  ck_json_member_int(&w, "checkpointedAt", self->observed.boundary_ms);
  write_failure(&w, self);
  write_identity(&w, self);
  write_extension(&w, self);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

ck_status ck_run_checkpoint_write(ck_buffer *out, ck_store *store, const ck_head *head,
                                  ck_redactor *redactor, ck_error *err) {
  writing self = {.store = store, .head = head};
  ck_value *document = NULL;
  ck_status status = check_status(&self, err);
  if (status == CK_OK)
    status = ck_view_make(&self.view, head->timelines, head->timeline_count, head->session.timeline,
                          err);
  if (status == CK_OK)
    status = ck_run_observe(&self.observed, store, head->session.no, &self.view, err);
  if (status == CK_OK) status = check_run(&self, err);
  if (status == CK_OK) status = find_message(&self, err);
  if (status == CK_OK) status = read_history(&self, err);
  if (status == CK_OK) status = write_document(&document, &self, err);
  if (status == CK_OK) status = ck_portable_append_line(out, redactor, document, err);
  ck_value_free(document);
  clear(&self);
  return status;
}
