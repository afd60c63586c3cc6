/* workflow_document_write.c - writes the outcomes of a session's completed steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/portable/line.h"
#include "core/runtime/portable/workflow_document.h"
#include "core/runtime/session/opening/select.h"

typedef struct writing {
  ck_store *store;
  const ck_head *head;
  const ck_totals *totals;
  ck_view view;
  ck_checkpoint_info checkpoint;
  ck_state *state;
  ck_bytes done; /* of the position: {STEP: true | {error}} */
  ck_json_writer *w;
  bool failed; /* for lack of memory */
} writing;

static ck_status check_status(const writing *self, ck_error *err) {
  const ck_session_record *session = &self->head->session;
  ck_error ignored = CK_ERROR_INIT;
  if (session->status != CK_SESSION_RUNNING ||
      ck_store_check_owner(self->store, session->id, &ignored) == CK_OK)
    return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s is running: a workflow checkpoint is made of one that has "
                      "stopped; `ckrun pause %s` stops it",
                      session->id, session->id);
}

static ck_status load(writing *self, ck_error *err) {
  const ck_session_record *session = &self->head->session;
  const ck_timeline *timelines = self->head->timelines;
  ck_status status =
      ck_view_make(&self->view, timelines, self->head->timeline_count, session->timeline, err);
  if (status == CK_OK)
    status = ck_select_checkpoint(&self->checkpoint, self->store, self->head, &(ck_choice){0}, err);
  if (status != CK_OK) return status;
  if (!self->checkpoint.seq)
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s has no checkpoint: no step of it is known to be complete",
                        session->id);
  status = ck_store_get_state(&self->state, self->store, session->no, self->checkpoint.seq, err);
  if (status != CK_OK) return status;
  const ck_value *position = ck_state_get(self->state, "position.main");
  ck_bytes at = position ? ck_json_get(ck_value_bytes(position), "at") : (ck_bytes){0};
  self->done = ck_json_get(at, "done");
  if (ck_json_count(self->done) > 0) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s has completed no step: a workflow checkpoint is that of a "
                      "flow.steps which has",
                      session->id);
}

/* True: it completed; an optional one that failed runs again. */
static bool has_outcome(const writing *self, const char *step) {
  bool is = false;
  ck_json_read_bool(&is, ck_json_get(self->done, step));
  return is;
}

static void write_outcome(writing *self, const char *step) {
  char key[CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "outputs.%s", step);
  const ck_value *output = ck_state_get(self->state, key);
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "task_id", step);
  ck_json_member_raw(self->w, "outcome", output ? ck_value_bytes(output) : ck_bytes_text("null"));
  ck_json_end(self->w, '}');
}

/* `name`: as JSON. */
static void write_step(writing *self, ck_bytes name) {
  char *step = ck_json_dup_string(name);
  self->failed = !step;
  if (step && has_outcome(self, step)) write_outcome(self, step);
  free(step);
}

static bool see_boundary(void *to, const ck_event *event) {
  writing *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (strcmp(event->scope, "main") != 0 ||
      !ck_json_is_text(ck_json_get(body, "kind"), "step_complete"))
    return true;
  write_step(self, ck_json_get(body, "node"));
  return !self->failed;
}

/* An imported session: what its document had comes first, in the document's order. */
static bool see_imported(void *to, const ck_event *event) {
  writing *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_json_is_text(ck_json_get(body, "type"), "workflow_checkpoint")) return true;
  ck_json_iterator it = ck_json_iterate(ck_json_get(body, "steps"));
  while (!self->failed && ck_json_next(&it)) write_step(self, it.value);
  return false;
}

static ck_status write_steps(writing *self, ck_error *err) {
  ck_event_query query = {.session = self->head->session.no,
                          .view = &self->view,
                          .until = self->checkpoint.seq,
                          .kinds = 1ull << CK_EVENT_NOTE};
  ck_json_name(self->w, "steps");
  ck_json_begin(self->w, '[');
  ck_status status = ck_store_read_events(self->store, &query, see_imported, self, err);
  query.kinds = 1ull << CK_EVENT_BOUNDARY;
  if (status == CK_OK && !self->failed)
    status = ck_store_read_events(self->store, &query, see_boundary, self, err);
  ck_json_end(self->w, ']');
  return status == CK_OK && self->failed ? ck_error_no_memory(err) : status;
}

/* The flow's own memory, which steps read. */
static ck_status write_memory(const writing *self, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, self->state, err);
  if (status != CK_OK) return status;
  ck_json_name(self->w, "memory");
  ck_json_begin(self->w, '{');
  for (size_t i = 0; i < count; i++)
    if (strncmp(entries[i].key, "memory.", 7) == 0)
      ck_json_member_raw(self->w, entries[i].key + 7, ck_value_bytes(entries[i].value));
  ck_json_end(self->w, '}');
  free(entries);
  return CK_OK;
}

static void write_origin(const writing *self) {
  const ck_session_record *session = &self->head->session;
  ck_bytes launch = session->input ? ck_value_bytes(session->input) : (ck_bytes){0};
  ck_bytes input = ck_json_get(launch, "input"), digest = ck_json_get(launch, "flow_digest");
  const char *slash = session->flow ? strrchr(session->flow, '/') : NULL;
  if (input.len) ck_json_member_raw(self->w, "input", input);
  if (!session->flow || !digest.len) return;
  ck_json_name(self->w, "flow");
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "name", slash ? slash + 1 : session->flow);
  ck_json_member_raw(self->w, "digest", digest);
  ck_json_end(self->w, '}');
}

static ck_status write_document(ck_value **out, writing *self, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  self->w = &w;
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "schema_version", CK_CARRIED_VERSION);
  ck_json_member_text(&w, "workflow_id", self->head->session.id);
  ck_status status = write_steps(self, err);
  ck_json_member_int(&w, "checkpoint_ms", self->checkpoint.created_ms);
  ck_carried_write_run(&w, self->head);
  ck_carried_write_usage(&w, self->totals);
  if (status == CK_OK) status = write_memory(self, err);
  write_origin(self);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

ck_status ck_workflow_document_write(ck_buffer *out, ck_store *store, const ck_head *head,
                                     const ck_totals *totals, ck_redactor *redactor,
                                     ck_error *err) {
  writing self = {.store = store, .head = head, .totals = totals};
  ck_value *document = NULL;
  ck_status status = check_status(&self, err);
  if (status == CK_OK) status = load(&self, err);
  if (status == CK_OK) status = write_document(&document, &self, err);
  if (status == CK_OK) status = ck_portable_append_line(out, redactor, document, err);
  ck_value_free(document);
  ck_state_free(self.state);
  ck_checkpoint_info_clear(&self.checkpoint);
  ck_view_clear(&self.view);
  return status;
}
