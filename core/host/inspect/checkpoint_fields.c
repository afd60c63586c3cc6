/* checkpoint_fields.c - a checkpoint as a document: the state it restores, and the path that led
 * there. */
#include "core/host/inspect/checkpoint_fields.h"
#include "core/host/inspect/conversations.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"

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

static bool add_step(void *to, const ck_event *event) {
  path *self = to;
  ck_bytes body = ck_value_bytes(event->body), node = ck_json_get(body, "node");
  if (!is_completion(ck_json_get(body, "kind")) || ck_json_type_of(node) != CK_JSON_STRING)
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

/* The keys below a prefix, without the prefix. */
static void put_keys(ck_document *document, struct cJSON *at, const char *name, const char *prefix,
                     const ck_snapshot *snapshot) {
  struct cJSON *object = ck_document_put_object(document, at, name);
  size_t len = strlen(prefix);
  for (size_t i = 0; i < snapshot->entry_count; i++) {
    const ck_state_entry *entry = &snapshot->entries[i];
    if (strncmp(entry->key, prefix, len) == 0)
      ck_document_put_value(document, object, entry->key + len, entry->value);
  }
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
  if (memory && (!profile || profile->document_memory))
    put_keys(document, at, "shared_memory", "memory.", snapshot);
  if (status == CK_OK && memory && (!profile || profile->document_conversations))
    status = ck_conversations_put(document, at, snapshot, err);
  put_keys(document, at, "accumulated_outputs", "outputs.", snapshot);
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
