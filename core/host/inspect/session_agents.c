/* session_agents.c - the agents of a paused session, with their tails and pads, and the delegations
 * in flight. */
#include "core/host/inspect/session_agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/host/inspect/imported_session.h"
#include "core/host/inspect/pads.h"
#include "core/host/session/fields.h"
#include "core/runtime/budget/spending.h"
#include "core/runtime/session/tail/abandoned.h"
#include "core/runtime/session/tail/tail.h"

enum { DEPTH_DEFAULT = 50 };

/* A scope's record in the state; texts owned, NULL where absent. */
typedef struct opened {
  const char *scope; /* borrowed from the key */
  char *parent, *agent;
  ck_bytes task; /* borrowed from the value */
  int64_t born;  /* seq behind which it was opened; another one can have had its name before */
  bool over;     /* ended, and not with an error: of that a resume runs it again */
} opened;

/* An agent, and the last scope in which it acted. */
typedef struct actor {
  char *name;
  const opened *scope; /* NULL: none that is known any more */
  size_t open;         /* scopes of its that have not ended */
} actor;

typedef struct cast {
  opened *scopes;
  size_t scope_count;
  actor *actors;
  size_t actor_count;
  ck_imported_session imported;
  bool failed;
} cast;

static void clear_cast(cast *self) {
  for (size_t i = 0; i < self->scope_count; i++) {
    free(self->scopes[i].parent);
    free(self->scopes[i].agent);
  }
  for (size_t i = 0; i < self->actor_count; i++) free(self->actors[i].name);
  free(self->scopes);
  free(self->actors);
  ck_imported_session_clear(&self->imported);
}

static char *take_text(cast *self, ck_bytes value) {
  char *text = ck_json_type_of(value) == CK_JSON_STRING ? ck_json_dup_string(value) : NULL;
  if (!text && ck_json_type_of(value) == CK_JSON_STRING) self->failed = true;
  return text;
}

static void read_scopes(cast *self, const ck_snapshot *snapshot) {
  static const char prefix[] = "position.";
  self->scopes = calloc(snapshot->entry_count + 1, sizeof *self->scopes);
  if (!self->scopes) self->failed = true;
  for (size_t i = 0; !self->failed && i < snapshot->entry_count; i++) {
    const ck_state_entry *entry = &snapshot->entries[i];
    if (strncmp(entry->key, prefix, sizeof prefix - 1) != 0) continue;
    ck_bytes record = ck_value_bytes(entry->value);
    opened *scope = &self->scopes[self->scope_count++];
    *scope = (opened){.scope = entry->key + sizeof prefix - 1,
                      .parent = take_text(self, ck_json_get(record, "parent")),
                      .agent = take_text(self, ck_json_get(record, "agent")),
                      .task = ck_json_get(record, "task")};
    ck_json_read_bool(&scope->over, ck_json_get(record, "done"));
    ck_json_read_int(&scope->born, ck_json_get(record, "born"));
    scope->over &= ck_json_get(record, "error").len == 0;
  }
}

static void add_actor(cast *self, const char *name, const opened *scope) {
  for (size_t i = 0; i < self->actor_count; i++) {
    if (strcmp(self->actors[i].name, name) != 0) continue;
    self->actors[i].open += scope && !scope->over;
    if (scope && (!self->actors[i].scope || !scope->over)) self->actors[i].scope = scope;
    return;
  }
  actor *grown = reallocarray(self->actors, self->actor_count + 1, sizeof *grown);
  char *copy = strdup(name);
  if (grown) self->actors = grown;
  if (!grown || !copy) {
    free(copy);
    self->failed = true;
    return;
  }
  grown[self->actor_count++] = (actor){.name = copy, .scope = scope, .open = scope && !scope->over};
}

static void add_imported(cast *self) {
  ck_json_iterator it = ck_json_iterate(ck_imported_session_agents(&self->imported));
  while (!self->failed && ck_json_next(&it)) {
    char *name = take_text(self, ck_json_get(it.value, "agentId"));
    if (name) add_actor(self, name, NULL);
    free(name);
  }
}

static ck_status read_cast(cast *self, const ck_snapshot *snapshot, ck_error *err) {
  static const char scratch[] = "scratch.";
  ck_spending spending = {0};
  read_scopes(self, snapshot);
  ck_status status = ck_imported_session_read(&self->imported, snapshot, err);
  add_imported(self);
  if (status == CK_OK) status = ck_spending_read(&spending, snapshot->state, err);
  for (size_t i = 0; i < self->scope_count; i++)
    if (self->scopes[i].agent) add_actor(self, self->scopes[i].agent, &self->scopes[i]);
  for (size_t i = 0; i < spending.count; i++) add_actor(self, spending.agents[i].agent, NULL);
  for (size_t i = 0; i < snapshot->entry_count; i++) {
    const char *key = snapshot->entries[i].key;
    const char *own = strncmp(key, "branch.", 7) == 0 ? strchr(key, '/') : NULL;
    if (own) key = own + 1;
    if (strncmp(key, scratch, sizeof scratch - 1) == 0)
      add_actor(self, key + sizeof scratch - 1, NULL);
  }
  ck_spending_clear(&spending);
  return status == CK_OK && self->failed ? ck_error_no_memory(err) : status;
}

/* The scope that opened `of`; NULL: none that has a record. */
static const opened *parent_of(const cast *self, const opened *of) {
  for (size_t i = 0; of && of->parent && i < self->scope_count; i++)
    if (strcmp(self->scopes[i].scope, of->parent) == 0) return &self->scopes[i];
  return NULL;
}

/* The nearest agent above a scope, and the number of agents above it. The scope of a step and that
 * of its agent are one agent's. */
static const char *find_above(int *depth, const cast *self, const opened *of) {
  const char *nearest = NULL, *below = of ? of->agent : NULL;
  size_t steps = 0;
  *depth = 0;
  for (const opened *at = parent_of(self, of); at && steps++ < self->scope_count;
       at = parent_of(self, at)) {
    if (!at->agent || (below && strcmp(at->agent, below) == 0)) continue;
    if (!nearest) nearest = at->agent;
    below = at->agent;
    ++*depth;
  }
  return nearest;
}

/* ---- agents whose scopes have ended: one can have acted in another since ---- */

/* The agents that paid for an outcome, each once: the one that acted, then those above it. */
typedef struct lineage {
  const char *agent;
  char *parent; /* owned; NULL: none */
  int depth;
  bool found, failed;
} lineage;

static bool take_payers(void *to, const ck_event *event) {
  lineage *self = to;
  ck_bytes payers = ck_json_get(ck_value_bytes(event->body), "for");
  /* a loss is told by the resume that finds it, whatever branch the call was made on */
  bool is_lost = ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "via"), "lost");
  if (is_lost || ck_json_type_of(payers) != CK_JSON_ARRAY) return true;
  int count = 0;
  for (ck_json_iterator it = ck_json_iterate(payers); ck_json_next(&it); count++) {
    if (count == 0 && !ck_json_is_text(it.value, self->agent)) return true;
    if (count == 1) self->failed = !(self->parent = ck_json_dup_string(it.value));
  }
  self->depth = count > 0 ? count - 1 : 0;
  self->found = count > 0;
  int64_t depth; /* outcomes of earlier versions do not tell it */
  if (ck_json_read_int(&depth, ck_json_get(ck_value_bytes(event->body), "depth")))
    self->depth = (int)depth;
  return !self->found;
}

/* What it did last names those above it, whatever has become of its scope. What it did on a branch
 * that was left tells of one that has done nothing else. */
static ck_status read_lineage(lineage *out, const ck_snapshot *snapshot, const char *agent,
                              ck_error *err) {
  const ck_view *const views[] = {&snapshot->view, NULL};
  ck_status status = CK_OK;
  *out = (lineage){.agent = agent};
  for (size_t i = 0; i < 2 && status == CK_OK && !out->found; i++) {
    ck_event_query query = {.session = snapshot->inspection->head.session.no,
                            .view = views[i],
                            .until = snapshot->until,
                            .kinds = 1ull << CK_EVENT_OUTCOME,
                            .agent = agent,
                            .backward = true};
    status = ck_store_read_events(snapshot->inspection->store, &query, take_payers, out, err);
  }
  return status == CK_OK && out->failed ? ck_error_no_memory(err) : status;
}

typedef struct last_act {
  const cast *all;
  const ck_abandoned *abandoned;
  const opened *scope; /* NULL: in none that has a record */
} last_act;

/* Stops at the last act in a scope that has not ended. */
static bool take_act(void *to, const ck_event *event) {
  last_act *self = to;
  if (ck_abandoned_has_record(self->abandoned, event)) return true;
  for (size_t i = 0; !self->scope && i < self->all->scope_count; i++) {
    const opened *scope = &self->all->scopes[i];
    if (!scope->over && scope->born <= event->seq && strcmp(scope->scope, event->scope) == 0)
      self->scope = scope;
  }
  return !self->scope;
}

/* An agent that works in several scopes at once is told of as where it acted last. */
static ck_status settle_scope(actor *of, const cast *self, const ck_snapshot *snapshot,
                              ck_error *err) {
  if (of->open < 2) return CK_OK;
  ck_abandoned abandoned;
  last_act last = {.all = self, .abandoned = &abandoned};
  int64_t session = snapshot->inspection->head.session.no;
  ck_store *store = snapshot->inspection->store;
  ck_event_query query = {.session = session,
                          .view = &snapshot->view,
                          .until = snapshot->until,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
                                   1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_MESSAGE,
                          .agent = of->name,
                          .backward = true};
  ck_status status =
      ck_abandoned_read(&abandoned, store, session, &snapshot->view, snapshot->until, err);
  if (status == CK_OK) status = ck_store_read_events(store, &query, take_act, &last, err);
  ck_abandoned_clear(&abandoned);
  if (last.scope) of->scope = last.scope;
  return status;
}

/* One that has done nothing since its session was imported stands where it stood. */
static void take_imported(lineage *out, cast *self, const char *name) {
  int64_t depth = 0;
  ck_bytes agent = ck_imported_session_agent(&self->imported, name);
  ck_json_read_int(&depth, ck_json_get(agent, "depth"));
  out->depth = (int)depth;
  out->parent = take_text(self, ck_json_get(agent, "parentAgentId"));
}

static ck_status find_lineage(lineage *out, cast *self, const ck_snapshot *snapshot,
                              const actor *of, ck_error *err) {
  bool open = of->scope && !of->scope->over;
  ck_status status = open ? CK_OK : read_lineage(out, snapshot, of->name, err);
  if (status != CK_OK || out->found) return status;
  *out = (lineage){.agent = of->name};
  if (!of->scope) take_imported(out, self, of->name);
  if (!of->scope) return self->failed ? ck_error_no_memory(err) : CK_OK;
  return ck_text_copy(&out->parent, find_above(&out->depth, self, of->scope), err);
}

/* ---- as documents ---- */

static ck_status put_tail(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                          const ck_imported_session *imported, const char *agent, ck_error *err) {
  const ck_profile *profile = snapshot->profile;
  const ck_profile_agent *own = profile ? ck_profile_get_agent(profile, agent) : NULL;
  bool has_own = own && own->replay_depth >= 0;
  int64_t depth = has_own ? own->replay_depth : profile ? profile->replay_depth : DEPTH_DEFAULT;
  ck_tail tail;
  ck_tail_query query = {.session = snapshot->inspection->head.session.no,
                         .view = &snapshot->view,
                         .until = snapshot->until,
                         .agent = agent,
                         .n = depth > 0 ? (size_t)depth : 0,
                         .policies = profile ? &snapshot->policies : NULL};
  ck_status status = ck_tail_read(&tail, snapshot->inspection->store, &query, err);
  struct cJSON *list = ck_document_put_array(document, at, "conversationTail");
  if (status == CK_OK)
    status = ck_imported_session_put_tail(document, list, imported, agent, &tail, query.n, err);
  ck_tail_clear(&tail);
  return status;
}

static ck_status put_actor(ck_document *document, struct cJSON *list, const ck_snapshot *snapshot,
                           cast *all, actor *of, ck_error *err) {
  lineage above = {0};
  ck_status status = settle_scope(of, all, snapshot, err);
  if (status == CK_OK) status = find_lineage(&above, all, snapshot, of, err);
  struct cJSON *at = ck_document_put_object(document, list, NULL);
  ck_document_put_text(document, at, "agentId", of->name);
  ck_document_put_text(document, at, "parentAgentId", above.parent);
  ck_document_put_int(document, at, "depth", above.depth);
  free(above.parent);
  if (status == CK_OK) status = put_tail(document, at, snapshot, &all->imported, of->name, err);
  ck_value *pad = NULL;
  if (status == CK_OK)
    status = ck_pad_read(&pad, snapshot, of->name, of->scope ? of->scope->scope : NULL, err);
  ck_document_put_value(document, at, "expertiseSnapshot", pad);
  ck_value_free(pad);
  return status;
}

static void put_imported_pending(ck_document *document, struct cJSON *list, const cast *all) {
  ck_json_iterator it = ck_json_iterate(ck_imported_session_pending(&all->imported));
  while (ck_json_next(&it)) {
    ck_value *one = NULL;
    ck_error ignored = CK_ERROR_INIT;
    if (ck_value_copy(&one, it.value, &ignored) != CK_OK) document->failed = true;
    ck_document_put_value(document, list, NULL, one);
    ck_value_free(one);
  }
}

static void put_pending(ck_document *document, struct cJSON *at, const cast *all) {
  struct cJSON *list = ck_document_put_array(document, at, "pendingDelegations");
  put_imported_pending(document, list, all);
  for (size_t i = 0; i < all->scope_count; i++) {
    const opened *scope = &all->scopes[i];
    ck_value *task = NULL;
    ck_error ignored = CK_ERROR_INIT;
    int depth;
    if (scope->over || !scope->parent || !scope->agent) continue;
    struct cJSON *one = ck_document_put_object(document, list, NULL);
    char *id = ck_json_dup_string(ck_json_get(scope->task, "delegation"));
    ck_document_put_text(document, one, "id", id ? id : scope->scope);
    ck_document_put_text(document, one, "scope", scope->scope);
    free(id);
    ck_document_put_text(document, one, "target", scope->agent);
    ck_document_put_text(document, one, "parentAgentId", find_above(&depth, all, scope));
    if (scope->task.len && ck_value_copy(&task, scope->task, &ignored) != CK_OK)
      document->failed = true;
    ck_document_put_value(document, one, "task", task);
    ck_value_free(task);
  }
}

ck_status ck_session_agents_put(ck_document *document, struct cJSON *at,
                                const ck_snapshot *snapshot, ck_error *err) {
  cast all = {0};
  ck_status status = read_cast(&all, snapshot, err);
  struct cJSON *list = status == CK_OK ? ck_document_put_array(document, at, "activeAgents") : NULL;
  for (size_t i = 0; status == CK_OK && i < all.actor_count; i++)
    status = put_actor(document, list, snapshot, &all, &all.actors[i], err);
  if (status == CK_OK) put_pending(document, at, &all);
  clear_cast(&all);
  return status;
}
