/* conversations.c - folds the conversations of a checkpoint's scopes and shows them. */
#include "core/host/inspect/conversations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/map.h"
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/scope.h"

/* The scopes of the transcript up to the checkpoint. */
typedef struct scopes {
  ck_map names; /* owns its keys */
  ck_status status;
  ck_error *err;
} scopes;

static ck_status add_scope(scopes *self, const char *name) {
  if (ck_map_find(&self->names, name)) return CK_OK;
  char *kept = strdup(name);
  if (!kept) return ck_error_no_memory(self->err);
  ck_status status = ck_map_add(&self->names, kept, NULL, self->err);
  if (status != CK_OK) free(kept);
  return status;
}

static bool take_scope(void *to, const ck_event *event) {
  scopes *self = to;
  self->status = add_scope(self, event->scope);
  return self->status == CK_OK;
}

static void take_open_scope(void *to, const char *scope, ck_bytes position) {
  scopes *self = to;
  (void)position;
  if (self->status == CK_OK) self->status = add_scope(self, scope);
}

static void clear_scopes(scopes *self) {
  for (size_t i = 0; i < self->names.cap; i++) free(self->names.slots[i].key);
  ck_map_clear(&self->names);
}

/* In the order of their names. */
static int compare_names(const void *left, const void *right) {
  return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static ck_status list_names(char ***out, size_t *count, const scopes *self, ck_error *err) {
  *count = 0;
  *out = calloc(self->names.count + 1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->names.cap; i++)
    if (self->names.slots[i].key) (*out)[(*count)++] = self->names.slots[i].key;
  qsort(*out, *count, sizeof **out, compare_names);
  return CK_OK;
}

static size_t put_messages(ck_document *document, struct cJSON *list,
                           const ck_conversation *conversation) {
  size_t count = conversation ? ck_conversation_count(conversation) : 0;
  for (size_t i = 0; list && i < count; i++)
    ck_document_put_value(document, list, NULL, ck_conversation_get(conversation, i));
  return count;
}

/* main's is shown even when nothing was said: a program that drives a session without a flow has no
 * other scope. */
static ck_status put_conversation(ck_document *document, struct cJSON *at,
                                  const ck_snapshot *snapshot, const char *name, bool open,
                                  int64_t cut, ck_error *err) {
  ck_scope *scope = NULL;
  const ck_inspection *inspection = snapshot->inspection;
  ck_status status = ck_scope_new(&scope, name, err);
  if (status == CK_OK)
    status = ck_scope_fold(scope, inspection->store, inspection->head.session.no, &snapshot->view,
                           cut, err);
  const ck_conversation *said = status == CK_OK ? ck_scope_conversation(scope) : NULL,
                        *early = status == CK_OK ? ck_scope_early(scope) : NULL;
  bool shown = open || early || put_messages(document, NULL, said) || strcmp(name, "main") == 0;
  struct cJSON *list = status == CK_OK && shown ? ck_document_put_array(document, at, name) : NULL;
  put_messages(document, list, said);
  put_messages(document, list, early);
  ck_scope_free(scope);
  return status;
}

/* -1: it is not open. At the end of the session nothing is. */
static int64_t cut_of(const ck_snapshot *snapshot, const char *name) {
  char key[CK_STATE_KEY_MAX];
  if (snapshot->checkpoint.kind == CK_BOUNDARY_FINAL) return -1;
  snprintf(key, sizeof key, "position.%s", name);
  const ck_value *position = ck_state_get(snapshot->state, key);
  return position ? ck_replay_range_cut(ck_value_bytes(position), UINT32_MAX) : -1;
}

static ck_status put_all(ck_document *document, struct cJSON *object, const ck_snapshot *snapshot,
                         const scopes *found, ck_error *err) {
  char **names;
  size_t count;
  ck_status status = list_names(&names, &count, found, err);
  for (size_t i = 0; status == CK_OK && i < count; i++) {
    int64_t cut = cut_of(snapshot, names[i]);
    status = put_conversation(document, object, snapshot, names[i], cut >= 0,
                              cut >= 0 ? cut : snapshot->until, err);
  }
  free(names);
  return status;
}

ck_status ck_conversations_put(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                               ck_error *err) {
  scopes found = {.err = err};
  struct cJSON *object = ck_document_put_object(document, at, "conversation_states");
  ck_event_query query = {
      .session = snapshot->inspection->head.session.no,
      .view = &snapshot->view,
      .until = snapshot->until,
      .kinds = 1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_REPLAY};
  found.status = add_scope(&found, "main");
  ck_status status = ck_replay_range_visit_positions(snapshot->state, take_open_scope, &found, err);
  if (status == CK_OK && found.status == CK_OK)
    status = ck_store_read_events(snapshot->inspection->store, &query, take_scope, &found, err);
  if (status == CK_OK) status = found.status;
  if (status == CK_OK) status = put_all(document, object, snapshot, &found, err);
  clear_scopes(&found);
  return status;
}
