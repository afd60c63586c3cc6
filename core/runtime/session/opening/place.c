/* place.c - finds the main scope's last boundary at a node, in the view of the run. */
#include "core/runtime/session/opening/place.h"

#include <stdlib.h>

#include "core/runtime/session/boundary.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/session_private.h"

typedef struct search {
  ck_value *found; /* owned; NULL: nothing yet */
  ck_status status;
  ck_error *err;
} search;

static bool is_own(ck_bytes body) {
  char *kind = ck_json_dup_string(ck_json_get(body, "kind"));
  bool own = kind && !ck_boundary_kind_always(ck_boundary_kind_of(kind));
  free(kind);
  return own && ck_json_type_of(ck_json_get(body, "node")) == CK_JSON_STRING;
}

static bool take_boundary(void *to, const ck_event *event) {
  search *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (!is_own(body)) return true;
  ck_bytes to_come = ck_json_get(ck_json_get(body, "next"), "node");
  char *node = ck_json_dup_string(ck_json_get(body, "node"));
  char *next = ck_json_type_of(to_come) == CK_JSON_STRING ? ck_json_dup_string(to_come) : NULL;
  const ck_boundary at = {.node = node, .next.node = next, .agent = event->agent};
  self->status = node ? ck_checkpoint_write_place(&self->found, &at, self->err)
                      : ck_error_no_memory(self->err);
  free(node);
  free(next);
  return false;
}

ck_status ck_session_find_place(ck_session *self, ck_error *err) {
  const ck_value *position = ck_state_get(self->state, "position.main");
  if (!position || !ck_json_get(ck_value_bytes(position), "node").len) return CK_OK;
  search s = {.err = err};
  ck_event_query query = {.session = self->record.no,
                          .view = &self->view,
                          .until = self->cut,
                          .kinds = 1ull << CK_EVENT_BOUNDARY,
                          .scope = "main",
                          .backward = true};
  ck_status status = ck_store_read_events(self->runtime->store, &query, take_boundary, &s, err);
  if (status == CK_OK) status = s.status;
  if (s.found) ck_session_set_reached(self, s.found);
  ck_value_free(s.found);
  return status;
}
