/* checkpoint_fields.c - a checkpoint as a document: the state it restores, and the path that led
 * there. */
#include "core/host/inspect/checkpoint_fields.h"
#include "core/host/inspect/conversations.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/description.h"

/* A text or null. */
static void put_text(ck_document *document, struct cJSON *at, const char *name, const char *text) {
  if (text)
    ck_document_put_text(document, at, name, text);
  else
    ck_document_put_null(document, at, name);
}

static void put_member(ck_document *document, struct cJSON *at, const char *name, ck_bytes value) {
  char *text = ck_json_type_of(value) == CK_JSON_STRING ? ck_json_dup_string(value) : NULL;
  put_text(document, at, name, text);
  free(text);
}

/* ---- position ---- */

static ck_bytes position_of(const ck_snapshot *snapshot) {
  const ck_value *position = ck_state_get(snapshot->state, "position.main");
  return position ? ck_json_get(ck_value_bytes(position), "at") : (ck_bytes){0};
}

/* A pause of an earlier version did not say where it was; the position of a graph does. */
static void put_nodes(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot) {
  const ck_checkpoint_info *checkpoint = &snapshot->checkpoint;
  ck_bytes info = checkpoint->info ? ck_value_bytes(checkpoint->info) : (ck_bytes){0};
  if (ck_json_get(info, "node").len || ck_description_is_stored(checkpoint->info) ||
      !ck_json_get(position_of(snapshot), "node").len) {
    ck_checkpoint_words_put_nodes(document, at, checkpoint);
    return;
  }
  put_member(document, at, "current_node", ck_json_get(position_of(snapshot), "node"));
  put_member(document, at, "next_node", ck_json_get(position_of(snapshot), "next"));
}

typedef struct path {
  ck_document *document;
  struct cJSON *list;
} path;

static bool is_completion(ck_bytes kind) {
  return ck_json_is_text(kind, "node_complete") || ck_json_is_text(kind, "step_complete") ||
         ck_json_is_text(kind, "round_complete") || ck_json_is_text(kind, "safe_point");
}

/* An optional step that failed is over, and not completed. */
static bool has_failed(ck_bytes body) {
  return ck_json_is_text(ck_json_get(body, "kind"), "step_complete") &&
         ck_json_type_of(ck_json_get(body, "last_error")) == CK_JSON_STRING;
}

static bool add_step(void *to, const ck_event *event) {
  path *self = to;
  ck_bytes body = ck_value_bytes(event->body), node = ck_json_get(body, "node");
  if (!is_completion(ck_json_get(body, "kind")) || has_failed(body) ||
      ck_json_type_of(node) != CK_JSON_STRING)
    return true;
  char *text = ck_json_dup_string(node);
  if (text)
    ck_document_put_text(self->document, self->list, NULL, text);
  else
    self->document->failed = true;
  free(text);
  return true;
}

static ck_status put_path(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                          ck_error *err) {
  path self = {.document = document, .list = ck_document_put_array(document, at, "execution_path")};
  ck_event_query query = {.session = snapshot->inspection->head.session.no,
                          .view = &snapshot->view,
                          .until = snapshot->until,
                          .kinds = 1ull << CK_EVENT_BOUNDARY};
  return ck_store_read_events(snapshot->inspection->store, &query, add_step, &self, err);
}

/* ---- state ---- */

/* The key behind "branch.SCOPE/", where a scope keeps what it writes until its parent takes it
 * over; NULL: it is a key of the main scope. */
static const char *branch_key(const char *key) {
  const char *slash = strncmp(key, "branch.", 7) == 0 ? strchr(key, '/') : NULL;
  return slash ? slash + 1 : NULL;
}

/* An entry before it has the same key: entries are by key, those of scopes before those of main,
 * and those of the scopes within a scope before its own. */
static bool is_written_within(const ck_snapshot *snapshot, size_t index, const char *key) {
  for (size_t i = 0; i < index; i++) {
    const char *other = branch_key(snapshot->entries[i].key);
    if (other && strcmp(other, key) == 0) return true;
    if (strcmp(snapshot->entries[i].key, "branch0") >= 0) break; /* no more of scopes */
  }
  return false;
}

/* The keys below a prefix, without the prefix; `scopes`: as the innermost scopes have written them,
 * joined or not, without what they have removed. */
static void put_keys(ck_document *document, struct cJSON *at, const char *name, const char *prefix,
                     bool scopes, const ck_snapshot *snapshot) {
  struct cJSON *object = ck_document_put_object(document, at, name);
  size_t len = strlen(prefix);
  for (size_t i = 0; i < snapshot->entry_count; i++) {
    const ck_state_entry *entry = &snapshot->entries[i];
    const char *within = scopes ? branch_key(entry->key) : NULL;
    const char *key = within ? within : entry->key;
    if (strncmp(key, prefix, len) != 0 || (scopes && is_written_within(snapshot, i, key))) continue;
    if (within && ck_json_type_of(ck_value_bytes(entry->value)) == CK_JSON_NULL) continue;
    ck_document_put_value(document, object, key + len, entry->value);
  }
}

/* As a person knows the scope: its branch, step or agent; else the scope itself. Caller frees. */
static char *name_scope(const ck_snapshot *snapshot, const char *scope, size_t len) {
  static const char *const members[] = {"branch", "step", "agent"};
  char key[2 * CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%.*s", (int)len, scope);
  const ck_value *position = ck_state_get(snapshot->state, key);
  ck_bytes task = position ? ck_json_get(ck_value_bytes(position), "task") : (ck_bytes){0};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ck_bytes name = ck_json_get(task, members[i]);
    if (ck_json_type_of(name) == CK_JSON_STRING) return ck_json_dup_string(name);
  }
  return strndup(scope, len);
}

/* The scope of an entry of one, between "branch." and "/". */
static ck_bytes scope_of(const char *key) {
  return (ck_bytes){key + 7, (size_t)(branch_key(key) - key) - 8};
}

/* Two scopes of one name go by their scopes. Caller frees. */
static char *name_branch(const ck_snapshot *snapshot, size_t index) {
  ck_bytes scope = scope_of(snapshot->entries[index].key);
  char *name = name_scope(snapshot, scope.data, scope.len);
  for (size_t i = 0; name && i < index; i++) {
    if (!branch_key(snapshot->entries[i].key)) continue;
    ck_bytes other = scope_of(snapshot->entries[i].key);
    char *taken = name_scope(snapshot, other.data, other.len);
    bool same = taken && !ck_bytes_equal(scope, other) && strcmp(taken, name) == 0;
    free(taken);
    if (!same) continue;
    free(name);
    return strndup(scope.data, scope.len);
  }
  return name;
}

/* What branches have written to the memory, which is not in it before they are joined. */
static void put_branch_memory(ck_document *document, struct cJSON *at,
                              const ck_snapshot *snapshot) {
  struct cJSON *all = ck_document_put_object(document, at, "branch_memory"), *one = NULL;
  ck_bytes last = {0};
  for (size_t i = 0; i < snapshot->entry_count; i++) {
    const char *key = snapshot->entries[i].key, *within = branch_key(key);
    if (!within || strncmp(within, "memory.", 7) != 0) continue;
    if (!last.data || !ck_bytes_equal(last, scope_of(key))) {
      char *name = name_branch(snapshot, i);
      document->failed |= !name;
      one = name ? ck_document_put_object(document, all, name) : NULL;
      free(name);
    }
    last = scope_of(key);
    if (one) ck_document_put_value(document, one, within + 7, snapshot->entries[i].value);
  }
}

static void put_memory(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot) {
  put_keys(document, at, "shared_memory", "memory.", false, snapshot);
  put_branch_memory(document, at, snapshot);
}

ck_status ck_checkpoint_fields_put(ck_document *document, struct cJSON *at,
                                   const ck_snapshot *snapshot, bool memory, ck_error *err) {
  const ck_checkpoint_info *checkpoint = &snapshot->checkpoint;
  put_text(document, at, "checkpoint_id", snapshot->has_checkpoint ? checkpoint->id : NULL);
  ck_document_put_text(document, at, "session_id", snapshot->inspection->head.session.id);
  put_text(document, at, "checkpoint_type",
           snapshot->has_checkpoint ? ck_boundary_kind_name(checkpoint->kind) : NULL);
  ck_document_put_time(document, at, "created_at", checkpoint->created_ms);
  put_nodes(document, at, snapshot);
  ck_status status = put_path(document, at, snapshot, err);
  const ck_profile *profile = snapshot->profile;
  if (memory && (!profile || profile->document_memory)) put_memory(document, at, snapshot);
  if (status == CK_OK && memory && (!profile || profile->document_conversations))
    status = ck_conversations_put(document, at, snapshot, err);
  put_keys(document, at, "accumulated_outputs", "outputs.", true, snapshot);
  struct cJSON *metrics = ck_document_put_object(document, at, "metrics_snapshot");
  ck_fields_fill_totals(document, metrics, &checkpoint->totals);
  ck_checkpoint_words_put_incidents(document, metrics, checkpoint);
  ck_document_put_bool(document, at, "is_clean", snapshot->has_checkpoint && checkpoint->clean);
  ck_document_put_bool(document, at, "can_resume_from",
                       snapshot->has_checkpoint && checkpoint->resumable);
  if (snapshot->has_checkpoint)
    ck_checkpoint_words_put(document, at, checkpoint);
  else
    ck_document_put_null(document, at, "description");
  put_text(document, at, "signature", checkpoint->signature[0] ? checkpoint->signature : NULL);
  return status;
}
