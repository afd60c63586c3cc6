/* workflow_document.c - begins a session with what the steps of another one came to. */
#include "core/runtime/portable/workflow_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/map.h"
#include "core/runtime/portable/field.h"
#include "core/runtime/portable/restored.h"
#include "core/runtime/session/session_private.h"

/* ---- reading ---- */

bool ck_workflow_document_is(ck_bytes document) {
  return ck_json_type_of(document) == CK_JSON_OBJECT &&
         ck_json_get(document, "schema_version").len &&
         (ck_json_get(document, "workflow_id").len || ck_json_get(document, "steps").len);
}

static ck_status check_step(ck_map *seen, ck_bytes step, size_t at, ck_error *err) {
  char paths[2][48];
  ck_bytes id;
  snprintf(paths[0], sizeof *paths, "steps[%zu].task_id", at);
  snprintf(paths[1], sizeof *paths, "steps[%zu].outcome", at);
  ck_field how = {paths[0], CK_JSON_STRING, "a string"};
  ck_status status = ck_field_read(&id, step, "task_id", &how, err);
  if (status == CK_OK && !ck_json_get(step, "outcome").len)
    status = ck_error_set(err, CK_E_PARSE, "missing required field: %s", paths[1]);
  if (status != CK_OK) return status;
  char *key = ck_json_dup_string(id);
  if (!key) return ck_error_no_memory(err);
  if (ck_map_find(seen, key))
    status = ck_error_set(err, CK_E_PARSE, "field %s is that of another step", paths[0]);
  else
    status = ck_map_add(seen, key, key, err);
  if (status != CK_OK) free(key);
  return status;
}

static ck_status check_steps(ck_bytes steps, ck_error *err) {
  ck_map seen = {0};
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(steps);
  for (size_t i = 0; status == CK_OK && ck_json_next(&it); i++)
    status = check_step(&seen, it.value, i, err);
  for (size_t i = 0; i < seen.cap; i++) free(seen.slots[i].key);
  ck_map_clear(&seen);
  return status;
}

static ck_status read_optional(ck_workflow_document *out, ck_bytes document, ck_error *err) {
  out->input = ck_json_get(document, "input");
  out->memory = ck_json_get(document, "memory");
  out->flow_digest = ck_json_get(ck_json_get(document, "flow"), "digest");
  if (!out->memory.len || ck_json_type_of(out->memory) == CK_JSON_OBJECT)
    return ck_carried_read(&out->carried, document, false, err);
  return ck_error_set(err, CK_E_PARSE, "field memory must be an object");
}

ck_status ck_workflow_document_read(ck_workflow_document *out, ck_bytes document, ck_error *err) {
  static const ck_field workflow = {"workflow_id", CK_JSON_STRING, "a string"},
                        steps = {"steps", CK_JSON_ARRAY, "an array"};
  *out = (ck_workflow_document){.at_ms = 0};
  ck_status status = ck_carried_check_version(document, err);
  if (status == CK_OK)
    status = ck_field_read(&out->workflow, document, "workflow_id", &workflow, err);
  if (status == CK_OK) status = ck_field_read(&out->steps, document, "steps", &steps, err);
  if (status == CK_OK) status = check_steps(out->steps, err);
  if (status == CK_OK)
    status = ck_field_read_count(&out->at_ms, document, "checkpoint_ms", "checkpoint_ms", INT64_MAX,
                                 err);
  if (status == CK_OK) status = read_optional(out, document, err);
  if (status != CK_OK) *out = (ck_workflow_document){.at_ms = 0};
  return status;
}

static bool has_step(const ck_flow_manifest *flow, ck_bytes id) {
  for (size_t i = 0; i < flow->node_count; i++)
    if (ck_json_is_text(id, flow->nodes[i].name)) return true;
  return false;
}

ck_status ck_workflow_document_check(const ck_workflow_document *self, const ck_flow_manifest *flow,
                                     ck_error *err) {
  ck_json_iterator it = ck_json_iterate(self->steps);
  while (ck_json_next(&it)) {
    ck_bytes id = ck_json_get(it.value, "task_id");
    if (has_step(flow, id)) continue;
    return ck_error_set(err, CK_E_REFUSED, "flow %s has no step %.*s, which the document has",
                        flow->path, (int)id.len, id.data);
  }
  return CK_OK;
}

/* ---- restoring ---- */

static ck_status put(ck_session *session, const char *place, ck_bytes name, ck_bytes json,
                     ck_error *err) {
  ck_buffer key = {0};
  ck_value *value = NULL;
  ck_buffer_append_text(&key, place);
  ck_json_read_string(&key, name);
  ck_status status = ck_buffer_check(&key, err);
  if (status == CK_OK) status = ck_value_copy(&value, json, err);
  if (status == CK_OK) status = ck_session_put(session, key.data, value, err);
  ck_value_free(value);
  ck_buffer_clear(&key);
  return status;
}

static ck_status put_outcomes(const ck_workflow_document *self, ck_session *session,
                              ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(self->steps);
  while (status == CK_OK && ck_json_next(&it)) {
    ck_bytes outcome = ck_json_get(it.value, "outcome");
    if (ck_json_type_of(outcome) != CK_JSON_NULL)
      status = put(session, "outputs.", ck_json_get(it.value, "task_id"), outcome, err);
  }
  it = ck_json_iterate(self->memory);
  while (self->memory.len && status == CK_OK && ck_json_next(&it))
    status = put(session, "memory.", it.name, it.value, err);
  return status;
}

static ck_status put_position(const ck_workflow_document *self, ck_session *session,
                              ck_error *err) {
  int64_t count = (int64_t)ck_json_count(self->steps);
  ck_restored position;
  ck_json_writer *w = &position.w;
  ck_restored_begin_position(&position, session, "steps", count);
  ck_json_member_int(w, "round", count);
  ck_json_name(w, "done");
  ck_json_begin(w, '{');
  ck_json_iterator it = ck_json_iterate(self->steps);
  while (ck_json_next(&it)) {
    char *step = ck_json_dup_string(ck_json_get(it.value, "task_id"));
    if (step) ck_json_member_bool(w, step, true);
    position.json.failed |= !step;
    free(step);
  }
  ck_json_end(w, '}');
  ck_json_member_raw(w, "running", ck_bytes_text("[]"));
  return ck_restored_put_position(&position, err);
}

/* The origin of the session, for readers of the log, and the order of the steps. */
static ck_status append_note(const ck_workflow_document *self, ck_session *session, ck_error *err) {
  ck_restored note;
  ck_restored_begin_note(&note, session, "workflow_checkpoint");
  ck_json_member_raw(&note.w, "workflow_id", self->workflow);
  ck_json_name(&note.w, "steps");
  ck_json_begin(&note.w, '[');
  ck_json_iterator it = ck_json_iterate(self->steps);
  while (ck_json_next(&it)) ck_json_put_raw(&note.w, ck_json_get(it.value, "task_id"));
  ck_json_end(&note.w, ']');
  ck_json_member_int(&note.w, "checkpoint_ms", self->at_ms);
  return ck_restored_append_note(&note, err);
}

ck_status ck_workflow_document_restore(const ck_workflow_document *self, ck_session *session,
                                       ck_error *err) {
  ck_session_carry_totals(session, &self->carried.totals, 0);
  ck_status status = append_note(self, session, err);
  if (status == CK_OK) status = put_outcomes(self, session, err);
  if (status == CK_OK) status = put_position(self, session, err);
  return status == CK_OK ? ck_restored_pause(session, err) : status;
}
