/* workflow_document_write.c - writes the outcomes of a session's completed steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/portable/line.h"
#include "core/runtime/portable/workflow_document.h"

typedef struct writing {
  ck_store *store;
  const ck_head *head;
  const ck_totals *totals;
  ck_view view;
  ck_checkpoint_info checkpoint;
  int64_t until;    /* only what is known there; 0: as it stands */
  int64_t timeline; /* of which the run is told */
  int64_t at_ms;
  ck_buffer written; /* names of steps, each between line breaks */
  ck_state *state;   /* NULL: no checkpoint was taken yet */
  ck_bytes done;     /* of the position: {STEP: true | {error}} */
  ck_json_writer *w;
  bool failed; /* for lack of memory */
} writing;

/* A named checkpoint is told as its own timeline has it. */
static ck_status select_base(writing *self, const char *checkpoint, ck_error *err) {
  const ck_head *head = self->head;
  int64_t timeline = head->session.timeline;
  ck_status status = CK_OK;
  if (checkpoint || head->has_checkpoint)
    status = ck_store_get_checkpoint(&self->checkpoint, self->store, head->session.no, checkpoint,
                                     head->checkpoint.seq, err);
  if (status != CK_OK) return status;
  if (checkpoint) {
    timeline = self->checkpoint.timeline;
    self->until = self->checkpoint.seq;
    self->totals = &self->checkpoint.totals;
  }
  self->timeline = timeline;
  self->at_ms = self->checkpoint.created_ms;
  return ck_view_make(&self->view, head->timelines, head->timeline_count, timeline, err);
}

static ck_status load(writing *self, const char *checkpoint, ck_error *err) {
  ck_status status = select_base(self, checkpoint, err);
  if (status != CK_OK || !self->checkpoint.seq) return status;
  status = ck_store_get_state(&self->state, self->store, self->head->session.no,
                              self->checkpoint.seq, err);
  if (status != CK_OK) return status;
  const ck_value *position = ck_state_get(self->state, "position.main");
  ck_bytes at = position ? ck_json_get(ck_value_bytes(position), "at") : (ck_bytes){0};
  self->done = ck_json_get(at, "done");
  return CK_OK;
}

static ck_status refuse_empty(const writing *self, ck_error *err) {
  const char *id = self->head->session.id;
  if (self->until)
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s had completed no step at checkpoint %s: a workflow checkpoint "
                        "is that of a flow.steps which has",
                        id, self->checkpoint.id);
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s has completed no step: a workflow checkpoint is that of a "
                      "flow.steps which has",
                      id);
}

/* True: it completed; an optional one that failed runs again. */
static bool has_outcome(const writing *self, const char *step) {
  bool is = false;
  ck_json_read_bool(&is, ck_json_get(self->done, step));
  return is;
}

static bool is_written(const writing *self, const char *step) {
  char name[CK_STATE_KEY_MAX + 2];
  int len = snprintf(name, sizeof name, "\n%s\n", step);
  return self->written.len && len < (int)sizeof name &&
         memmem(self->written.data, self->written.len, name, (size_t)len);
}

static void write_outcome(writing *self, const char *step, ck_bytes outcome) {
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "task_id", step);
  ck_json_member_raw(self->w, "outcome", outcome);
  ck_json_end(self->w, '}');
  ck_buffer_append_format(&self->written, "\n%s\n", step);
}

/* One that the checkpoint holds. `name`: as JSON. */
static void write_step(writing *self, ck_bytes name) {
  char key[CK_STATE_KEY_MAX];
  char *step = ck_json_dup_string(name);
  self->failed = !step;
  if (step && has_outcome(self, step) && !is_written(self, step)) {
    snprintf(key, sizeof key, "outputs.%s", step);
    const ck_value *output = ck_state_get(self->state, key);
    write_outcome(self, step, output ? ck_value_bytes(output) : ck_bytes_text("null"));
  }
  free(step);
}

/* Behind the checkpoint the event itself has the outcome; an older ckrun wrote none, and the step
 * runs again. */
static void write_later(writing *self, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body), outcome = ck_json_get(body, "outcome");
  if (!outcome.len) return;
  char *step = ck_json_dup_string(ck_json_get(body, "node"));
  self->failed = !step;
  if (step && !is_written(self, step)) write_outcome(self, step, outcome);
  self->at_ms = event->at_ms;
  free(step);
}

static bool see_boundary(void *to, const ck_event *event) {
  writing *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (strcmp(event->scope, "main") != 0 ||
      !ck_json_is_text(ck_json_get(body, "kind"), "step_complete"))
    return true;
  if (event->seq <= self->checkpoint.seq)
    write_step(self, ck_json_get(body, "node"));
  else
    write_later(self, event);
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

/* Several steps that ended together were complete at the first one's checkpoint; after a resume
 * from there the others have no boundary of their own. */
static void write_others(writing *self) {
  ck_json_iterator it = ck_json_iterate(self->done);
  while (!self->failed && ck_json_next(&it)) write_step(self, it.name);
}

static ck_status write_steps(writing *self, ck_error *err) {
  ck_event_query query = {.session = self->head->session.no,
                          .view = &self->view,
                          .until = self->until,
                          .kinds = 1ull << CK_EVENT_NOTE};
  ck_json_name(self->w, "steps");
  ck_json_begin(self->w, '[');
  ck_status status = ck_store_read_events(self->store, &query, see_imported, self, err);
  query.kinds = 1ull << CK_EVENT_BOUNDARY;
  if (status == CK_OK && !self->failed)
    status = ck_store_read_events(self->store, &query, see_boundary, self, err);
  if (status == CK_OK) write_others(self);
  ck_json_end(self->w, ']');
  if (status == CK_OK) status = ck_buffer_check(&self->written, err);
  if (status == CK_OK && self->failed) return ck_error_no_memory(err);
  return status == CK_OK && !self->written.len ? refuse_empty(self, err) : status;
}

/* The flow's own memory, which steps read. */
static ck_status write_memory(const writing *self, ck_error *err) {
  ck_state_entry *entries = NULL;
  size_t count = 0;
  ck_status status = self->state ? ck_state_list(&entries, &count, self->state, err) : CK_OK;
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
  if (input.len) ck_json_member_raw(self->w, "input", input);
  if (!session->flow || !digest.len) return;
  ck_json_name(self->w, "flow");
  ck_json_begin(self->w, '{');
  ck_json_member_text(self->w, "name", ck_session_flow_name(session));
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
  ck_json_member_int(&w, "checkpoint_ms", self->at_ms);
  ck_carried_write_run(&w, self->head, self->timeline);
  ck_carried_write_usage(&w, self->totals);
  if (status == CK_OK) status = write_memory(self, err);
  write_origin(self);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

ck_status ck_workflow_document_write(ck_buffer *out, ck_store *store, const ck_workflow_source *of,
                                     ck_redactor *redactor, ck_error *err) {
  writing self = {.store = store, .head = of->head, .totals = of->totals};
  ck_value *document = NULL;
  ck_status status = load(&self, of->checkpoint, err);
  if (status == CK_OK) status = write_document(&document, &self, err);
  if (status == CK_OK) status = ck_portable_append_line(out, redactor, document, err);
  ck_value_free(document);
  ck_state_free(self.state);
  ck_checkpoint_info_clear(&self.checkpoint);
  ck_view_clear(&self.view);
  ck_buffer_clear(&self.written);
  return status;
}
