/* scopes.c - finds a session's scope by its name, or folds it from the transcript. */
#include "core/runtime/session/scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/session_private.h"

/* A checkpoint holds one cut per open scope; a scope without a position of its own ends where the
 * checkpoint does. */
static int64_t scope_cut(const ck_session *self, const char *name) {
  char key[CK_STATE_KEY_MAX];
  int64_t cut = self->cut;
  snprintf(key, sizeof key, "position.%s", name);
  const ck_value *position = ck_state_get(self->state, key);
  if (position) cut = ck_replay_range_cut(ck_value_bytes(position), self->timeline.attempt);
  return cut >= 0 && cut < self->cut ? cut : self->cut;
}

ck_status ck_session_scope(ck_scope **out, ck_session *self, const char *name, ck_error *err) {
  for (size_t i = 0; i < self->scopes.count; i++)
    if (strcmp(ck_scope_name(self->scopes.list[i]), name) == 0) {
      *out = self->scopes.list[i];
      return CK_OK;
    }
  *out = NULL;
  ck_scope **scopes = realloc(self->scopes.list, (self->scopes.count + 1) * sizeof *scopes);
  if (!scopes) return ck_error_no_memory(err);
  self->scopes.list = scopes;
  ck_scope *made;
  ck_status status = ck_scope_new(&made, name, err);
  if (status == CK_OK && self->cut > 0)
    status = ck_scope_fold(made, self->runtime->store, self->record.no, &self->view,
                           scope_cut(self, name), err);
  if (status != CK_OK) {
    ck_scope_free(made);
    return status;
  }
  *out = self->scopes.list[self->scopes.count++] = made;
  return CK_OK;
}

ck_status ck_session_conversation(ck_conversation **out, ck_session *self, const char *scope,
                                  ck_error *err) {
  ck_scope *found;
  ck_status status = ck_session_scope(&found, self, scope, err);
  *out = status == CK_OK ? ck_scope_conversation(found) : NULL;
  return status;
}
