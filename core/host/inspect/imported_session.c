/* imported_session.c - reads the note that the import of a session checkpoint left. */
#include "core/host/inspect/imported_session.h"

#include "core/host/session/fields.h"
#include "core/runtime/portable/session_document.h"

static bool take_event(void *to, const ck_event *event) {
  ck_imported_session *self = to;
  ck_bytes type = ck_json_get(ck_value_bytes(event->body), "type");
  if (event->kind == CK_EVENT_SESSION_RESUMED) self->went_on = true;
  if (event->kind == CK_EVENT_NOTE && !self->document &&
      ck_json_is_text(type, CK_SESSION_DOCUMENT_NOTE))
    self->document = ck_value_share(event->body);
  return true;
}

ck_status ck_imported_session_read(ck_imported_session *out, const ck_snapshot *snapshot,
                                   ck_error *err) {
  ck_event_query query = {.session = snapshot->inspection->head.session.no,
                          .view = &snapshot->view,
                          .until = snapshot->until,
                          .kinds = 1ull << CK_EVENT_NOTE | 1ull << CK_EVENT_SESSION_RESUMED};
  return ck_store_read_events(snapshot->inspection->store, &query, take_event, out, err);
}

void ck_imported_session_clear(ck_imported_session *self) {
  ck_value_free(self->document);
  *self = (ck_imported_session){0};
}

static ck_bytes member(const ck_imported_session *self, const char *name) {
  return self->document ? ck_json_get(ck_value_bytes(self->document), name) : (ck_bytes){0};
}

ck_bytes ck_imported_session_agents(const ck_imported_session *self) {
  return member(self, "activeAgents");
}

ck_bytes ck_imported_session_agent(const ck_imported_session *self, const char *name) {
  ck_json_iterator it = ck_json_iterate(ck_imported_session_agents(self));
  while (ck_json_next(&it))
    if (ck_json_is_text(ck_json_get(it.value, "agentId"), name)) return it.value;
  return (ck_bytes){0};
}

ck_bytes ck_imported_session_pending(const ck_imported_session *self) {
  return self->went_on ? (ck_bytes){0} : member(self, "pendingDelegations");
}

/* ---- tails ---- */

static bool tells_tail(const ck_event *event) {
  bool is = false;
  if (event->kind != CK_EVENT_MESSAGE) return false;
  ck_json_read_bool(&is, ck_json_get(ck_value_bytes(event->body), CK_SESSION_DOCUMENT_TOLD));
  return is;
}

static ck_status put_earlier(ck_document *document, struct cJSON *list, ck_bytes tail, size_t n,
                             ck_error *err) {
  size_t count = ck_json_count(tail), at = 0;
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(tail);
  while (status == CK_OK && ck_json_next(&it)) {
    ck_value *event = NULL;
    if (at++ + n < count) continue;
    status = ck_value_copy(&event, it.value, err);
    ck_document_put_value(document, list, NULL, event);
    ck_value_free(event);
  }
  return status;
}

ck_status ck_imported_session_put_tail(ck_document *document, struct cJSON *list,
                                       const ck_imported_session *self, const char *agent,
                                       const ck_tail *own, size_t n, ck_error *err) {
  size_t count = 0;
  for (size_t i = 0; i < own->count; i++) count += !tells_tail(own->events[i]);
  ck_bytes tail = ck_json_get(ck_imported_session_agent(self, agent), "conversationTail");
  ck_status status = CK_OK;
  if (tail.len && n > count) status = put_earlier(document, list, tail, n - count, err);
  for (size_t i = 0; i < own->count; i++)
    if (!tells_tail(own->events[i]))
      ck_fields_put_event(document, ck_document_put_object(document, list, NULL), own->events[i]);
  return status;
}
