/* scopes.c - finds a session's scopes by name, folded from the transcript. */
#include "core/runtime/session/scopes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/scope_events.h"
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

void ck_scopes_clear(ck_scopes *self) {
  for (size_t i = 0; i < self->count; i++) ck_scope_free(self->list[i]);
  free(self->list);
  ck_map_clear(&self->by_name);
  *self = (ck_scopes){0};
}

static ck_status add_scope(ck_scope **out, ck_session *self, const char *name, ck_error *err) {
  ck_scopes *scopes = &self->scopes;
  *out = NULL;
  ck_scope **list = reallocarray(scopes->list, scopes->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  scopes->list = list;
  ck_scope *made;
  ck_status status = ck_scope_new(&made, name, err);
  if (status == CK_OK)
    status = ck_map_add(&scopes->by_name, (char *)ck_scope_name(made), made, err);
  if (status != CK_OK) {
    ck_scope_free(made);
    return status;
  }
  *out = scopes->list[scopes->count++] = made;
  return CK_OK;
}

/* ---- after a resume ---- */

/* A scope whose events are being read. */
typedef struct folding {
  ck_scope *scope;
  int64_t until; /* its cut */
  ck_scope_events events;
} folding;

typedef struct reading {
  ck_session *session;
  ck_map foldings; /* by the scopes' names */
  ck_status status;
  ck_error *err;
} reading;

static ck_status add_folding(folding **out, reading *self, const char *name) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(self->err);
  (*out)->until = scope_cut(self->session, name);
  ck_status status = add_scope(&(*out)->scope, self->session, name, self->err);
  if (status == CK_OK)
    status = ck_map_add(&self->foldings, (char *)ck_scope_name((*out)->scope), *out, self->err);
  if (status == CK_OK) return CK_OK;
  free(*out);
  *out = NULL;
  return status;
}

static ck_status cut_back(reading *self, const ck_event *event, ck_bytes cuts) {
  ck_json_iterator it = ck_json_iterate(cuts);
  while (ck_json_next(&it)) {
    int64_t cut;
    char *name = ck_json_dup_string(it.name);
    if (!name) return ck_error_no_memory(self->err);
    folding *of = ck_map_get(&self->foldings, name);
    if (of && event->seq <= of->until && ck_json_read_int(&cut, it.value))
      ck_scope_events_cut(&of->events, cut);
    free(name);
  }
  return CK_OK;
}

static bool collect(void *to, const ck_event *event) {
  reading *self = to;
  ck_bytes cuts;
  if (ck_scope_is_return(&cuts, event)) {
    self->status = cut_back(self, event, cuts);
    return self->status == CK_OK;
  }
  folding *of = ck_map_get(&self->foldings, event->scope);
  if (!of) self->status = add_folding(&of, self, event->scope);
  if (of && event->seq <= of->until && !ck_scope_events_keep(&of->events, event))
    self->status = ck_error_no_memory(self->err);
  return self->status == CK_OK;
}

/* All scopes in one reading: the transcript is read once, however many there are. */
static ck_status fold_all(ck_session *self, ck_error *err) {
  reading read = {.session = self, .err = err};
  ck_store *store = self->runtime->store;
  ck_event_query query = {.session = self->record.no,
                          .view = &self->view,
                          .until = self->cut,
                          .kinds = ck_scope_event_kinds};
  ck_status status = ck_store_read_events(store, &query, collect, &read, err);
  if (status == CK_OK) status = read.status;
  for (size_t i = 0; i < read.foldings.cap; i++) {
    folding *of = read.foldings.slots[i].value;
    if (!of) continue;
    if (status == CK_OK)
      status = ck_scope_events_fold(&of->events, of->scope, store, self->record.no, err);
    ck_scope_events_clear(&of->events);
    free(of);
  }
  ck_map_clear(&read.foldings);
  if (status != CK_OK) ck_scopes_clear(&self->scopes);
  return status;
}

ck_status ck_session_scope(ck_scope **out, ck_session *self, const char *name, ck_error *err) {
  ck_status status = CK_OK;
  if (self->cut > 0 && !self->scopes.folded) status = fold_all(self, err);
  self->scopes.folded = status == CK_OK;
  *out = status == CK_OK ? ck_map_get(&self->scopes.by_name, name) : NULL;
  return status == CK_OK && !*out ? add_scope(out, self, name, err) : status;
}

ck_status ck_session_conversation(ck_conversation **out, ck_session *self, const char *scope,
                                  ck_error *err) {
  ck_scope *found;
  ck_status status = ck_session_scope(&found, self, scope, err);
  *out = status == CK_OK ? ck_scope_conversation(found) : NULL;
  return status;
}
