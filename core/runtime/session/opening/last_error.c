/* last_error.c - finds what failed before a scope's last boundary, in the view of the run. */
#include "core/runtime/session/opening/last_error.h"

#include <stdlib.h>

#include "core/runtime/session/scopes.h"
#include "core/runtime/session/session_private.h"

static bool take_error(void *to, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  char *name = ck_json_dup_string(ck_json_get(body, "kind"));
  bool kept =
      name && ck_turn_keep_error(to, ck_boundary_kind_of(name), ck_json_get(body, "last_error"));
  free(name);
  return !kept;
}

ck_status ck_session_find_error(ck_session *self, ck_scope *scope, ck_error *err) {
  ck_turn *turn = ck_scope_turn(scope);
  ck_event_query query = {.session = self->record.no,
                          .view = &self->view,
                          .until = self->cut,
                          .kinds = 1ull << CK_EVENT_BOUNDARY,
                          .scope = ck_scope_name(scope),
                          .backward = true};
  ck_status status = ck_store_read_events(self->runtime->store, &query, take_error, turn, err);
  turn->error_known |= status == CK_OK;
  return status;
}
