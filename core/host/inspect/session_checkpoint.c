/* session_checkpoint.c - a paused session of several agents as one document. */
#include "core/host/inspect/session_checkpoint.h"
#include "core/host/session/fields.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/budget/spending.h"
#include "core/runtime/budget/usage.h"
#include "core/runtime/session/tail/tail.h"

enum { DEPTH_DEFAULT = 50 };

/* ---- constraints ---- */

static void put_dimension(ck_document *document, struct cJSON *at, const ck_limits_usage *usage,
                          ck_dimension d) {
  struct cJSON *object = ck_document_put_object(document, at, ck_dimension_name(d));
  ck_document_put_int(document, object, "spent", usage->spent.of[d]);
  if (usage->limit.of[d] >= 0) ck_document_put_int(document, object, "limit", usage->limit.of[d]);
  if (usage->minimum.of[d] >= 0)
    ck_document_put_int(document, object, "minimum", usage->minimum.of[d]);
}

/* A limit can be hit before it is reached, when the next call may cost more than is left: the
 * transcript records it. */
typedef struct reached_limit {
  char text[CK_ERROR_TEXT_MAX]; /* "": no limit was hit since the session was last resumed or forked
                                 */
} reached_limit;

static bool is_dimension(ck_dimension d, ck_bytes name) {
  return ck_json_is_text(name, ck_dimension_name(d));
}

static bool take_event(void *to, const ck_event *event) {
  reached_limit *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  ck_limit_hit hit = {.asked = -1};
  if (event->kind == CK_EVENT_SESSION_RESUMED || event->kind == CK_EVENT_SESSION_FORKED)
    self->text[0] = '\0';
  if (event->kind != CK_EVENT_CONSTRAINT || !ck_json_is_text(ck_json_get(body, "what"), "hit"))
    return true;
  char *agent = ck_json_dup_string(ck_json_get(body, "agent"));
  hit.agent = agent;
  ck_json_read_int(&hit.spent, ck_json_get(body, "spent"));
  ck_json_read_int(&hit.limit, ck_json_get(body, "limit"));
  while (hit.dimension < CK_DIMENSION_COUNT &&
         !is_dimension(hit.dimension, ck_json_get(body, "dimension")))
    hit.dimension++;
  if (hit.dimension < CK_DIMENSION_COUNT) ck_limits_describe(self->text, sizeof self->text, &hit);
  free(agent);
  return true;
}

static ck_status put_hit(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                         const ck_limits_usage *usage, ck_error *err) {
  reached_limit reached = {""};
  char *text = reached.text;
  ck_event_query query = {.session = snapshot->inspection->head.session.no,
                          .view = &snapshot->view,
                          .until = snapshot->until,
                          .kinds = 1ull << CK_EVENT_CONSTRAINT | 1ull << CK_EVENT_SESSION_RESUMED |
                                   1ull << CK_EVENT_SESSION_FORKED};
  ck_status status =
      ck_store_read_events(snapshot->inspection->store, &query, take_event, &reached, err);
  for (int d = CK_DIMENSION_COUNT; d-- > 0;) {
    ck_limit_hit hit = {
        .dimension = (ck_dimension)d, .spent = usage->spent.of[d], .limit = usage->limit.of[d]};
    if (ck_limits_usage_hits(usage, (ck_dimension)d))
      ck_limits_describe(text, sizeof reached.text, &hit);
  }
  ck_document_put_bool(document, at, "hit", text[0] != '\0');
  if (text[0]) ck_document_put_text(document, at, "hit_reason", text);
  ck_document_put_bool(document, at, "constraint_conflict", ck_limits_usage_conflicts(usage));
  return status;
}

static ck_status put_constraints(ck_document *document, struct cJSON *at,
                                 const ck_snapshot *snapshot, ck_error *err) {
  ck_limits_usage usage;
  ck_status status = ck_limits_usage_read(&usage, snapshot->profile, snapshot->state,
                                          &snapshot->checkpoint.totals, err);
  if (status != CK_OK) return status;
  struct cJSON *object = ck_document_put_object(document, at, "constraintState");
  for (int d = 0; d < CK_DIMENSION_COUNT; d++)
    put_dimension(document, object, &usage, (ck_dimension)d);
  struct cJSON *near = ck_document_put_array(document, object, "approaching");
  for (int d = 0; d < CK_DIMENSION_COUNT; d++)
    if (ck_limits_usage_approaches(&usage, (ck_dimension)d))
      ck_document_put_text(document, near, NULL, ck_dimension_name((ck_dimension)d));
  return put_hit(document, object, snapshot, &usage, err);
}

/* ---- scopes and agents ---- */

/* A scope's record in the state; texts owned, NULL where absent. */
typedef struct opened {
  const char *scope; /* borrowed from the key */
  char *parent, *agent;
  ck_bytes task; /* borrowed from the value */
  bool done;     /* also when it has failed */
  bool failed;   /* a resume takes it up again */
} opened;

/* An agent, and the last scope in which it acted. */
typedef struct actor {
  char *name;
  const opened *scope; /* NULL: none */
} actor;

typedef struct cast {
  opened *scopes;
  size_t scope_count;
  actor *actors;
  size_t actor_count;
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
    ck_json_read_bool(&scope->done, ck_json_get(record, "done"));
    scope->failed = ck_json_get(record, "error").len > 0;
  }
}

static void add_actor(cast *self, const char *name, const opened *scope) {
  for (size_t i = 0; i < self->actor_count; i++) {
    if (strcmp(self->actors[i].name, name) != 0) continue;
    if (scope && (!self->actors[i].scope || !scope->done)) self->actors[i].scope = scope;
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
  grown[self->actor_count++] = (actor){.name = copy, .scope = scope};
}

static ck_status read_cast(cast *self, const ck_snapshot *snapshot, ck_error *err) {
  static const char scratch[] = "scratch.";
  ck_spending spending = {0};
  read_scopes(self, snapshot);
  ck_status status = ck_spending_read(&spending, snapshot->state, err);
  for (size_t i = 0; i < self->scope_count; i++)
    if (self->scopes[i].agent) add_actor(self, self->scopes[i].agent, &self->scopes[i]);
  for (size_t i = 0; i < spending.count; i++) add_actor(self, spending.agents[i].agent, NULL);
  for (size_t i = 0; i < snapshot->entry_count; i++) {
    const char *key = snapshot->entries[i].key;
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

/* The nearest agent above a scope, and the number of agents above it. */
static const char *find_above(int *depth, const cast *self, const opened *of) {
  const char *nearest = NULL;
  size_t steps = 0;
  *depth = 0;
  for (const opened *at = parent_of(self, of); at && steps++ < self->scope_count;
       at = parent_of(self, at)) {
    if (!at->agent) continue;
    if (!nearest) nearest = at->agent;
    ++*depth;
  }
  return nearest;
}

static ck_status put_tail(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                          const char *agent, ck_error *err) {
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
  for (size_t i = 0; i < tail.count; i++)
    ck_fields_put_event(document, ck_document_put_object(document, list, NULL), tail.events[i]);
  ck_tail_clear(&tail);
  return status;
}

static ck_status put_actor(ck_document *document, struct cJSON *list, const ck_snapshot *snapshot,
                           const cast *all, const actor *of, ck_error *err) {
  int depth;
  char key[CK_STATE_KEY_MAX + 16];
  const char *above = find_above(&depth, all, of->scope);
  struct cJSON *at = ck_document_put_object(document, list, NULL);
  ck_document_put_text(document, at, "agentId", of->name);
  ck_document_put_text(document, at, "parentAgentId", above);
  ck_document_put_int(document, at, "depth", depth);
  ck_status status = put_tail(document, at, snapshot, of->name, err);
  snprintf(key, sizeof key, "scratch.%.*s", CK_STATE_KEY_MAX, of->name);
  ck_document_put_value(document, at, "expertiseSnapshot", ck_state_get(snapshot->state, key));
  return status;
}

static void put_pending(ck_document *document, struct cJSON *at, const cast *all) {
  struct cJSON *list = ck_document_put_array(document, at, "pendingDelegations");
  for (size_t i = 0; i < all->scope_count; i++) {
    const opened *scope = &all->scopes[i];
    ck_value *task = NULL;
    ck_error ignored = CK_ERROR_INIT;
    int depth;
    if ((scope->done && !scope->failed) || !scope->parent || !scope->agent) continue;
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

static ck_status put_agents(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                            ck_error *err) {
  cast all = {0};
  ck_status status = read_cast(&all, snapshot, err);
  struct cJSON *list = status == CK_OK ? ck_document_put_array(document, at, "activeAgents") : NULL;
  for (size_t i = 0; status == CK_OK && i < all.actor_count; i++)
    status = put_actor(document, list, snapshot, &all, &all.actors[i], err);
  if (status == CK_OK) put_pending(document, at, &all);
  clear_cast(&all);
  return status;
}

ck_status ck_session_checkpoint_put(ck_document *document, struct cJSON *at,
                                    const ck_snapshot *snapshot, ck_error *err) {
  ck_spending spending = {0};
  ck_document_put_text(document, at, "sessionId", snapshot->inspection->head.session.id);
  ck_status status = put_constraints(document, at, snapshot, err);
  if (status == CK_OK) status = put_agents(document, at, snapshot, err);
  if (status == CK_OK) status = ck_spending_read(&spending, snapshot->state, err);
  ck_document_put_int(document, at, "roundsCompleted", spending.rounds);
  ck_document_put_int(document, at, "transcriptReplayDepth",
                      snapshot->profile ? snapshot->profile->replay_depth : DEPTH_DEFAULT);
  ck_document_put_time(document, at, "createdAt",
                       snapshot->has_checkpoint ? snapshot->checkpoint.created_ms : 0);
  ck_spending_clear(&spending);
  return status;
}
