/* actors.c - finds the only agent of a scope in the effects that it asked for and what it said. */
#include "core/runtime/session/tail/actors.h"

#include <stdlib.h>
#include <string.h>

typedef struct ck_actor {
  char *scope, *agent; /* agent: the first that was met; NULL: none yet */
  bool several;
} ck_actor;

void ck_actors_clear(ck_actors *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].scope);
    free(self->list[i].agent);
  }
  free(self->list);
  *self = (ck_actors){0};
}

static ck_actor *find(const ck_actors *self, const char *scope) {
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(self->list[i].scope, scope) == 0) return &self->list[i];
  return NULL;
}

ck_status ck_actors_add(ck_actors *self, const char *scope, ck_error *err) {
  if (find(self, scope)) return CK_OK;
  ck_actor *list = reallocarray(self->list, self->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  list[self->count] = (ck_actor){.scope = strdup(scope)};
  if (!list[self->count].scope) return ck_error_no_memory(err);
  self->count++;
  return CK_OK;
}

typedef struct reading {
  const ck_actors *actors;
  bool failed;
} reading;

static bool take_event(void *to, const ck_event *event) {
  reading *self = to;
  ck_actor *actor = event->agent ? find(self->actors, event->scope) : NULL;
  if (!actor) return true;
  if (!actor->agent)
    self->failed = !(actor->agent = strdup(event->agent));
  else if (strcmp(actor->agent, event->agent) != 0)
    actor->several = true;
  return !self->failed;
}

ck_status ck_actors_read(ck_actors *self, ck_store *store, int64_t session, const ck_view *view,
                         int64_t until, ck_error *err) {
  reading at = {.actors = self};
  ck_event_query query = {
      .session = session,
      .view = view,
      .until = until,
      .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_MESSAGE};
  ck_status status = ck_store_read_events(store, &query, take_event, &at, err);
  return status == CK_OK && at.failed ? ck_error_no_memory(err) : status;
}

const char *ck_actors_get(const ck_actors *self, const char *scope) {
  const ck_actor *actor = find(self, scope);
  return actor && !actor->several ? actor->agent : NULL;
}
