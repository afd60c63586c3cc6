/* run_checkpoint_write.c - writes a failed run as one portable document. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/portable/run_checkpoint.h"
#include "core/runtime/session/scope.h"

/* The run as its events show it, gathered from those that the timeline sees. */
typedef struct observation {
  ck_ledger *ledger;
  int64_t boundary, boundary_ms, iterations; /* of the main scope */
  char *node;                                /* of the boundary reached last; NULL */
  ck_value *failed; /* the intent of the effect that failed last since; NULL */
  ck_status cause;  /* why it failed; CK_OK: nothing did, or it is not known */
  ck_status status;
  ck_error *err;
} observation;

static bool is_iteration(ck_bytes kind) {
  static const char *const kinds[] = {"tool_round", "loop_iteration", "round_complete",
                                      "step_complete", "node_complete"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (ck_json_is_text(kind, kinds[i])) return true;
  return false;
}

static void forget_failure(observation *self) {
  ck_value_free(self->failed);
  self->failed = NULL;
  self->cause = CK_OK;
}

/* A pause or a failure is not a position in the flow. */
static bool is_stop(ck_bytes kind) {
  return ck_json_is_text(kind, "pause") || ck_json_is_text(kind, "failure");
}

static void see_boundary(observation *self, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body), node = ck_json_get(body, "node");
  if (strcmp(event->scope, "main") != 0 || is_stop(ck_json_get(body, "kind"))) return;
  free(self->node);
  self->node = ck_json_type_of(node) == CK_JSON_STRING ? ck_json_dup_string(node) : NULL;
  if (!self->node && ck_json_type_of(node) == CK_JSON_STRING)
    self->status = ck_error_no_memory(self->err);
  if (!is_iteration(ck_json_get(body, "kind"))) return;
  self->iterations++;
  self->boundary = event->seq;
  self->boundary_ms = event->at_ms;
  forget_failure(self);
}

static ck_status see_outcome(observation *self, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_json_is_text(ck_json_get(body, "status"), "failed") || ck_ledger_is_unsettled(body))
    return CK_OK;
  char *key = ck_json_dup_string(ck_json_get(body, "key"));
  const ck_ledger_entry *entry = key ? ck_ledger_get(self->ledger, key) : NULL;
  forget_failure(self);
  if (entry) self->failed = ck_value_share(entry->intent);
  self->cause = ck_ledger_read_status(ck_json_get(body, "cause"), CK_OK);
  free(key);
  return key ? CK_OK : ck_error_no_memory(self->err);
}

static bool see(void *to, const ck_event *event) {
  observation *self = to;
  self->status = ck_ledger_apply(self->ledger, event, self->err);
  if (event->kind == CK_EVENT_SESSION_RESUMED) forget_failure(self);
  if (event->kind == CK_EVENT_BOUNDARY) see_boundary(self, event);
  if (self->status == CK_OK && event->kind == CK_EVENT_OUTCOME)
    self->status = see_outcome(self, event);
  return self->status == CK_OK;
}

/* The intent that had no outcome when the run ended, and came last. */
static ck_value *find_open(const observation *self) {
  ck_value *open = NULL;
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(self->ledger, i)); i++)
    if (entry->open && entry->intent) open = (ck_value *)entry->intent;
  return ck_value_share(open);
}

/* ---- refusals ---- */

static ck_status check(const observation *self, const ck_head *head, ck_error *err) {
  const char *id = head->session.id;
  if (head->session.status != CK_SESSION_FAILED)
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is %s: a run checkpoint is made of a run that failed", id,
                        ck_session_status_name(head->session.status));
  if (self->iterations == 0)
    return ck_error_set(
        err, CK_E_REFUSED,
        "session %s failed before it completed an iteration: there is nothing to go on from", id);
  if (self->cause == CK_E_CREDENTIALS)
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is not resumable elsewhere: %s; here `ckrun resume %s` goes on "
                        "once they are supplied",
                        id, ck_status_text(self->cause), id);
  if (self->cause == CK_E_CONTEXT || self->cause == CK_E_REQUEST)
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is not resumable: %s; another run would meet the same", id,
                        ck_status_text(self->cause));
  return CK_OK;
}

/* ---- the document ---- */

/* Names of tools and nodes are letters, digits and a few signs; any other text is not written. */
static bool is_name(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  size_t len = text ? strspn(text, letters) : 0;
  return len > 0 && len <= 64 && !text[len];
}

static void write_failure(ck_json_writer *w, const observation *self, ck_bytes intent) {
  ck_bytes kind = ck_json_get(intent, "kind");
  bool is_model = ck_json_is_text(kind, "model"), is_tool = ck_json_is_text(kind, "tool");
  bool acts = is_tool || ck_json_is_text(kind, "exec") || ck_json_is_text(kind, "agent");
  ck_bytes name = ck_json_get(ck_json_get(intent, "request"), "name");
  char *tool = is_tool && name.len ? ck_json_dup_string(name) : NULL;
  const char *stage = is_tool ? tool : self->node;
  ck_json_name(w, "failurePoint");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "iteration", self->iterations + 1);
  ck_json_member_text(w, "phase",
                      is_model     ? "llm"
                      : acts       ? "tool"
                      : intent.len ? "unknown"
                                   : "iteration");
  if (is_name(stage)) ck_json_member_text(w, "stage", stage);
  ck_json_end(w, '}');
  if (is_tool && name.len && !tool) w->out->failed = true;
  free(tool);
}

static void write_history(ck_json_writer *w, const ck_conversation *conversation) {
  ck_json_name(w, "history");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < ck_conversation_count(conversation); i++)
    ck_json_put_raw(w, ck_value_bytes(ck_conversation_get(conversation, i)));
  ck_json_end(w, ']');
}

/* The session's input, or the first message of its user. */
static ck_bytes find_input(const ck_head *head, const ck_conversation *conversation) {
  ck_bytes input = head->session.input ? ck_json_get(ck_value_bytes(head->session.input), "input")
                                       : (ck_bytes){0};
  ck_bytes message = ck_json_get(input, "message");
  if (message.len) return message;
  for (size_t i = 0; !input.len && i < ck_conversation_count(conversation); i++) {
    ck_bytes said = ck_value_bytes(ck_conversation_get(conversation, i));
    if (ck_json_is_text(ck_json_get(said, "role"), "user")) input = ck_json_get(said, "content");
  }
  return input;
}

static void write_input(ck_json_writer *w, ck_bytes input) {
  ck_json_name(w, "originalInput");
  ck_json_begin(w, '{');
  if (ck_json_type_of(input) == CK_JSON_STRING)
    ck_json_member_raw(w, "message", input);
  else
    ck_json_member_string(w, "message", input);
  ck_json_end(w, '}');
}

static ck_status write_document(ck_value **out, const observation *self, const ck_head *head,
                                const ck_conversation *conversation, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_value *intent = self->failed ? ck_value_share(self->failed) : find_open(self);
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "version", CK_RUN_CHECKPOINT_VERSION);
  ck_json_member_text(&w, "runId", head->session.run);
  write_history(&w, conversation);
  ck_json_member_int(&w, "lastCompletedIteration", self->iterations);
  write_input(&w, find_input(head, conversation));
  ck_json_member_int(&w, "checkpointedAt", self->boundary_ms);
  write_failure(&w, self, intent ? ck_value_bytes(intent) : (ck_bytes){0});
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &json, err);
  ck_value_free(intent);
  ck_buffer_clear(&json);
  return status;
}

static ck_status observe(observation *self, ck_store *store, const ck_head *head,
                         const ck_view *view, ck_error *err) {
  ck_event_query query = {.session = head->session.no,
                          .view = view,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
                                   1ull << CK_EVENT_BOUNDARY | 1ull << CK_EVENT_SESSION_RESUMED};
  self->err = err;
  ck_status status = ck_ledger_new(&self->ledger, err);
  if (status == CK_OK) status = ck_store_read_events(store, &query, see, self, err);
  return status == CK_OK ? self->status : status;
}

static ck_status append_line(ck_buffer *out, ck_redactor *redactor, const ck_value *document,
                             ck_error *err) {
  ck_value *kept = NULL;
  ck_status status = ck_redactor_apply(&kept, redactor, CK_SINK_EXPORT, NULL, document, err);
  if (status == CK_OK && kept) ck_buffer_append_bytes(out, ck_value_bytes(kept));
  ck_buffer_append_char(out, '\n');
  ck_value_free(kept);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

ck_status ck_run_checkpoint_write(ck_buffer *out, ck_store *store, const ck_head *head,
                                  ck_redactor *redactor, ck_error *err) {
  observation seen = {0};
  ck_view view = {0};
  ck_scope *scope = NULL;
  ck_value *document = NULL;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  if (status == CK_OK) status = observe(&seen, store, head, &view, err);
  if (status == CK_OK) status = check(&seen, head, err);
  if (status == CK_OK) status = ck_scope_new(&scope, "main", err);
  if (status == CK_OK)
    status = ck_scope_fold(scope, store, head->session.no, &view, seen.boundary, err);
  if (status == CK_OK)
    status = write_document(&document, &seen, head, ck_scope_conversation(scope), err);
  if (status == CK_OK) status = append_line(out, redactor, document, err);
  ck_value_free(document);
  ck_scope_free(scope);
  ck_view_clear(&view);
  forget_failure(&seen);
  free(seen.node);
  ck_ledger_free(seen.ledger);
  return status;
}
