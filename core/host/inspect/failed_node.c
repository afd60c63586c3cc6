/* failed_node.c - reads where a session has failed: its closing event says it; of earlier versions
 * the boundaries before it do. */
#include "core/host/inspect/failed_node.h"

#include <stdlib.h>

#include "core/base/json.h"

typedef struct search {
  char *node;
  bool short_of_memory;
} search;

static void take_text(search *self, ck_bytes text) {
  if (ck_json_type_of(text) != CK_JSON_STRING) return;
  self->node = ck_json_dup_string(text);
  self->short_of_memory = !self->node;
}

static bool take_closing(void *to, const ck_event *event) {
  take_text(to, ck_json_get(ck_value_bytes(event->body), "node"));
  return false;
}

/* The node that began last, or the one after the last completed. */
static bool take_boundary(void *to, const ck_event *event) {
  search *self = to;
  ck_bytes body = ck_value_bytes(event->body),
           next = ck_json_get(ck_json_get(body, "next"), "node");
  bool begun = ck_json_is_text(ck_json_get(body, "kind"), "node_start");
  take_text(self, !begun && next.len ? next : ck_json_get(body, "node"));
  return !self->node && !self->short_of_memory;
}

static ck_status find(search *out, ck_store *store, const ck_head *head, uint64_t kinds,
                      ck_event_visit visit, ck_error *err) {
  ck_view view = {0};
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  ck_event_query query = {
      .session = head->session.no, .view = &view, .kinds = kinds, .backward = true};
  if (status == CK_OK) status = ck_store_read_events(store, &query, visit, out, err);
  ck_view_clear(&view);
  return status == CK_OK && out->short_of_memory ? ck_error_no_memory(err) : status;
}

ck_status ck_failed_node_read(char **out, ck_store *store, const ck_head *head, ck_error *err) {
  ck_session_status how = head->session.status;
  bool failed = how == CK_SESSION_FAILED || how == CK_SESSION_FAILING,
       stopped = failed || how == CK_SESSION_PAUSED || how == CK_SESSION_IN_DOUBT;
  search found = {0};
  *out = NULL;
  ck_status status = CK_OK;
  if (stopped)
    status =
        find(&found, store, head, 1ull << CK_EVENT_SESSION_FAILED | 1ull << CK_EVENT_SESSION_PAUSED,
             take_closing, err);
  if (status == CK_OK && failed && !found.node)
    status = find(&found, store, head, 1ull << CK_EVENT_BOUNDARY, take_boundary, err);
  *out = found.node;
  return status;
}

static bool is_orphan(ck_store *store, const ck_session_record *session) {
  ck_error owned = CK_ERROR_INIT;
  return session->status == CK_SESSION_RUNNING &&
         ck_store_check_owner(store, session->id, &owned) == CK_OK;
}

ck_status ck_stop_read(ck_stop *out, ck_store *store, const ck_head *head, ck_error *err) {
  bool orphan = is_orphan(store, &head->session);
  *out = (ck_stop){.error = orphan ? "its process is gone: resume it" : head->session.reason,
                   .last_checkpoint = head->has_checkpoint ? head->checkpoint.id : NULL};
  return ck_failed_node_read(&out->node, store, head, err);
}

void ck_stop_clear(ck_stop *self) { free(self->node); }

static void put_text(ck_document *document, struct cJSON *at, const char *name, const char *text) {
  if (text)
    ck_document_put_text(document, at, name, text);
  else
    ck_document_put_null(document, at, name);
}

void ck_stop_put(ck_document *document, struct cJSON *at, const ck_stop *self) {
  put_text(document, at, "error", self->error);
  put_text(document, at, "failed_at_node", self->node);
  put_text(document, at, "last_checkpoint", self->last_checkpoint);
}
