/* actors.c - finds the only agent of a scope in the effects that it asked for and what it said. */
#include "core/runtime/session/tail/actors.h"

#include <stdlib.h>
#include <string.h>

/* Names that are met: the first of them, NULL: none yet. */
typedef struct name {
  char *agent;
  bool several;
} name;

typedef struct ck_actor {
  char *scope;
  name own;  /* of its boundaries */
  name acts; /* of its effects and messages */
} ck_actor;

void ck_actors_clear(ck_actors *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].scope);
    free(self->list[i].own.agent);
    free(self->list[i].acts.agent);
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
  const ck_abandoned *abandoned;
  bool failed;
} reading;

static bool asks_model(const ck_event *event) {
  return event->kind == CK_EVENT_INTENT &&
         ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "kind"), "model");
}

/* An effect was begun, whatever came of it; a message that is said anew was not said. */
static bool is_unsaid(const reading *self, const ck_event *event) {
  return event->kind == CK_EVENT_MESSAGE && self->abandoned &&
         ck_abandoned_has(self->abandoned, event);
}

static bool take_event(void *to, const ck_event *event) {
  reading *self = to;
  ck_actor *actor = find(self->actors, event->scope);
  if (!actor || is_unsaid(self, event)) return true;
  name *met = event->kind == CK_EVENT_BOUNDARY ? &actor->own : &actor->acts;
  if (!event->agent)
    met->several |= asks_model(event);
  else if (!met->agent)
    self->failed = !(met->agent = strdup(event->agent));
  else if (strcmp(met->agent, event->agent) != 0)
    met->several = true;
  return !self->failed;
}

ck_status ck_actors_read(ck_actors *self, ck_store *store, int64_t session, const ck_view *view,
                         int64_t until, const ck_abandoned *abandoned, ck_error *err) {
  reading at = {.actors = self, .abandoned = abandoned};
  ck_event_query query = {.session = session,
                          .view = view,
                          .until = until,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
                                   1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_BOUNDARY};
  ck_status status = ck_store_read_events(store, &query, take_event, &at, err);
  return status == CK_OK && at.failed ? ck_error_no_memory(err) : status;
}

const char *ck_actors_get(const ck_actors *self, const char *scope) {
  const ck_actor *actor = find(self, scope);
  if (!actor) return NULL;
  const name *met = actor->own.agent ? &actor->own : &actor->acts;
  return met->several ? NULL : met->agent;
}
