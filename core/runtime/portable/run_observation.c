/* run_observation.c - gathers from a run's events what it completed, and what was open or had
 * failed when it stopped. */
#include "core/runtime/portable/run_observation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/ledger/ledger_body.h"

/* What is known of one scope. */
typedef struct ck_run_scope {
  char *name;
  char *node;         /* that it is in; NULL: none */
  int64_t node_seq;   /* when it began */
  int64_t floor;      /* its effects up to this seq are over */
  int64_t last_begun; /* seq of its last intent */
  int64_t said;       /* seq of its last outcome; 0: none since the last unit */
} ck_run_scope;

static void clear_scopes(ck_map *scopes) {
  for (size_t i = 0; i < scopes->cap; i++) {
    ck_run_scope *scope = scopes->slots[i].key ? scopes->slots[i].value : NULL;
    if (!scope) continue;
    free(scope->node);
    free(scope->name);
    free(scope);
  }
  ck_map_clear(scopes);
}

void ck_run_observation_clear(ck_run_observation *self) {
  clear_scopes(&self->scopes);
  for (size_t i = 0; i < self->unit_count; i++) {
    free(self->units[i].name);
    free(self->units[i].error);
  }
  free(self->units);
  free(self->said);
  free(self->active);
  free(self->agent);
  free(self->stage);
  ck_ledger_free(self->ledger);
  *self = (ck_run_observation){0};
}

bool ck_run_meets_again(ck_status cause) {
  return cause == CK_E_CONTEXT || cause == CK_E_REQUEST || cause == CK_E_CREDENTIALS ||
         cause == CK_E_REFUSAL;
}

/* ---- small helpers; a lack of memory is kept in `status` ---- */

static void fail(ck_run_observation *self) {
  if (self->status == CK_OK) self->status = ck_error_no_memory(self->err);
}

static char *dup_text(ck_run_observation *self, ck_bytes json) {
  char *text = ck_json_type_of(json) == CK_JSON_STRING ? ck_json_dup_string(json) : NULL;
  if (!text && ck_json_type_of(json) == CK_JSON_STRING) fail(self);
  return text;
}

static void *grow(ck_run_observation *self, void *list, size_t count, size_t *cap, size_t size) {
  void *grown = ck_array_grow(list, count, cap, size);
  if (!grown) fail(self);
  return grown;
}

/* NULL: no memory. */
static ck_run_scope *scope_of(ck_run_observation *self, const char *name) {
  ck_run_scope *scope = ck_map_get(&self->scopes, name);
  if (scope) return scope;
  scope = calloc(1, sizeof *scope);
  if (scope) scope->name = strdup(name);
  if (!scope || !scope->name || ck_map_add(&self->scopes, scope->name, scope, self->err) != CK_OK) {
    if (scope) free(scope->name);
    free(scope);
    fail(self);
    return NULL;
  }
  return scope;
}

static bool is_kind(ck_bytes kind, const char *const *names) {
  for (; *names; names++)
    if (ck_json_is_text(kind, *names)) return true;
  return false;
}

/* ---- units ---- */

static void add_said(ck_run_observation *self, ck_run_unit *unit, ck_run_scope *scope) {
  if (!scope || !scope->said) return;
  ck_run_said *said = grow(self, self->said, self->said_count, &self->said_cap, sizeof *self->said);
  if (!said) return;
  self->said = said;
  said[self->said_count++] = (ck_run_said){scope->name, scope->said};
  unit->count++;
  scope->said = 0;
}

/* A step has a scope of its name; what others have said is theirs. */
static ck_run_scope *find_own(const ck_run_observation *self, const char *node) {
  char name[512];
  if (!node || (size_t)snprintf(name, sizeof name, "main.%s", node) >= sizeof name) return NULL;
  ck_run_scope *own = ck_map_get(&self->scopes, name);
  return own && own->said ? own : NULL;
}

static void add_unit(ck_run_observation *self, ck_bytes node, ck_bytes error) {
  ck_run_unit *units =
      grow(self, self->units, self->unit_count, &self->unit_cap, sizeof *self->units);
  if (!units) return;
  self->units = units;
  ck_run_unit *unit = &units[self->unit_count++];
  *unit = (ck_run_unit){.name = dup_text(self, node), .first = self->said_count};
  if (error.len) unit->error = dup_text(self, error);
  ck_run_scope *own = find_own(self, unit->name);
  if (own) {
    add_said(self, unit, own);
    return;
  }
  for (size_t i = 0; i < self->active_count; i++) add_said(self, unit, self->active[i]);
  self->active_count = 0;
}

/* `seq` is that of the outcome, also of one that is replayed. */
static void say(ck_run_observation *self, ck_run_scope *scope, int64_t seq) {
  if (self->converses) return;
  if (!scope->said) {
    ck_run_scope **active =
        grow(self, self->active, self->active_count, &self->active_cap, sizeof *self->active);
    if (!active) return;
    self->active = active;
    active[self->active_count++] = scope;
  }
  scope->said = seq;
}

/* ---- events ---- */

/* A step is over, and so are its effects, by the main scope's boundary behind its join. */
static void end_step(ck_run_observation *self, ck_bytes node, int64_t seq) {
  char *name = dup_text(self, node), scope[512];
  if (name && (size_t)snprintf(scope, sizeof scope, "main.%s", name) < sizeof scope) {
    ck_run_scope *step = ck_map_get(&self->scopes, scope);
    if (step) {
      step->floor = seq;
      free(step->node);
      step->node = NULL;
    }
  }
  free(name);
}

static void take_node(ck_run_observation *self, ck_run_scope *scope, ck_bytes body, int64_t seq) {
  static const char *const completes[] = {"node_complete", "edge_transition", NULL};
  ck_bytes kind = ck_json_get(body, "kind");
  bool begins = ck_json_is_text(kind, "node_start");
  if (!begins && !is_kind(kind, completes)) return;
  free(scope->node);
  scope->node = begins ? dup_text(self, ck_json_get(body, "node")) : NULL;
  scope->node_seq = seq;
}

/* A graph goes round: its nodes count, not its laps. An agent's last answer counts. */
static bool is_lap(const ck_run_observation *self, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  return self->walks && !event->agent && ck_json_get(body, "node").len &&
         ck_json_is_text(ck_json_get(body, "kind"), "loop_iteration");
}

/* A checkpoint has what was complete by then. */
static void take_checkpoint(ck_run_observation *self, const ck_event *event) {
  if (!ck_json_get(ck_value_bytes(event->body), "checkpoint").len) return;
  while (self->kept_units < self->unit_count) self->units[self->kept_units++].state = event->seq;
}

/* Iterations are those of the main scope, which the conversation is cut at: a before_call is in the
 * middle of one. */
static void take_iteration(ck_run_observation *self, const ck_event *event) {
  static const char *const iterations[] = {"tool_round",    "loop_iteration", "round_complete",
                                           "step_complete", "node_complete",  NULL};
  ck_bytes body = ck_value_bytes(event->body), kind = ck_json_get(body, "kind");
  if (!is_kind(kind, iterations)) return;
  self->iterations++;
  self->boundary = event->seq;
  self->boundary_ms = event->at_ms;
  bool step = ck_json_is_text(kind, "step_complete");
  ck_bytes error = step ? ck_json_get(body, "last_error") : (ck_bytes){0};
  if (step) end_step(self, ck_json_get(body, "node"), event->seq);
  if (!self->converses) add_unit(self, ck_json_get(body, "node"), error);
  if (!event->agent || (self->agent && strcmp(self->agent, event->agent) == 0)) return;
  free(self->agent);
  self->agent = strdup(event->agent);
  if (!self->agent) fail(self);
}

static void see_boundary(ck_run_observation *self, const ck_event *event) {
  static const char *const stops[] = {"pause", "failure", "edit", NULL};
  ck_bytes body = ck_value_bytes(event->body);
  bool is_main = strcmp(event->scope, "main") == 0;
  ck_run_scope *scope = scope_of(self, event->scope);
  if (!scope) return;
  if (is_main && self->inherited && !self->boundary) self->boundary = event->seq;
  if (is_kind(ck_json_get(body, "kind"), stops)) return;
  scope->floor = event->seq;
  take_node(self, scope, body, event->seq);
  if (!is_main) return;
  self->walks |= ck_json_is_text(ck_json_get(body, "kind"), "node_start");
  if (!is_lap(self, event)) take_iteration(self, event);
  take_checkpoint(self, event);
}

/* A run that was imported: what it had completed counts. */
static void see_note(ck_run_observation *self, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  int64_t completed;
  if (!ck_json_is_text(ck_json_get(body, "type"), "run_checkpoint") ||
      !ck_json_read_int(&completed, ck_json_get(body, "lastCompletedIteration")))
    return;
  self->iterations += completed;
  self->inherited = self->iterations;
  self->boundary = 0;
  if (!ck_json_read_int(&self->boundary_ms, ck_json_get(body, "checkpointedAt")))
    self->boundary_ms = event->at_ms;
}

static bool is_join(ck_bytes body) { return ck_json_is_text(ck_json_get(body, "via"), "join"); }

static void see_effect(ck_run_observation *self, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  int64_t seq = event->seq;
  if (is_join(body)) return;
  ck_run_scope *scope = scope_of(self, event->scope);
  if (!scope) return;
  if (event->kind == CK_EVENT_INTENT) {
    scope->last_begun = seq;
    return;
  }
  if (event->kind == CK_EVENT_REPLAY && !ck_json_read_int(&seq, ck_json_get(body, "of"))) return;
  say(self, scope, seq);
  if (ck_json_is_text(ck_json_get(body, "kind"), "model") && strcmp(event->scope, "main") == 0)
    self->converses = true;
}

/* From there on a run goes on: what an earlier one had left is begun again, or given up. */
static const uint64_t begins = 1ull << CK_EVENT_SESSION_RESUMED | 1ull << CK_EVENT_SESSION_REWOUND |
                               1ull << CK_EVENT_SESSION_UNDONE | 1ull << CK_EVENT_SESSION_FORKED;

static bool see(void *to, const ck_event *event) {
  ck_run_observation *self = to;
  if (event->kind == CK_EVENT_NOTE)
    see_note(self, event);
  else if (event->kind == CK_EVENT_BOUNDARY)
    see_boundary(self, event);
  else if (1ull << event->kind & begins)
    self->floor = event->seq;
  else
    see_effect(self, event);
  if (self->status == CK_OK) self->status = ck_ledger_apply(self->ledger, event, self->err);
  return self->status == CK_OK;
}

/* ---- what it stopped in ---- */

typedef enum { OVER, ENDED_BADLY, OPEN, FAILED } state;

static ck_status cause_of(const ck_ledger_entry *entry) {
  ck_bytes body = ck_value_bytes(entry->outcome);
  return ck_ledger_read_status(ck_json_get(body, "cause"), CK_OK);
}

/* An effect that the flow went on from is over, however it ended. */
static state judge(const ck_run_observation *self, const ck_ledger_entry *entry) {
  ck_run_scope *scope = entry->scope ? ck_map_get(&self->scopes, entry->scope) : NULL;
  if (!entry->intent || !scope || entry->intent_seq <= scope->floor ||
      entry->intent_seq <= self->floor)
    return OVER;
  if (entry->open) return OPEN;
  ck_bytes status = ck_json_get(ck_value_bytes(entry->outcome), "status");
  if (ck_json_is_text(status, "ok") || ck_json_is_text(status, "ended")) return OVER;
  if (scope->last_begun > entry->outcome_seq) return OVER;
  return ck_json_is_text(status, "failed") ? FAILED : ENDED_BADLY;
}

static int64_t seq_of(const ck_ledger_entry *entry) {
  return entry->open ? entry->intent_seq : entry->outcome_seq;
}

/* One that another run would meet again comes before all others. */
static const ck_ledger_entry *find_effect(const ck_run_observation *self) {
  const ck_ledger_entry *found = NULL, *entry;
  int best = OVER;
  for (size_t i = 0; (entry = ck_ledger_at(self->ledger, i)); i++) {
    int now = judge(self, entry);
    if (now == FAILED && ck_run_meets_again(cause_of(entry))) now = FAILED + 1;
    if (now == OVER || now < best || (now == best && seq_of(entry) < seq_of(found))) continue;
    best = now;
    found = entry;
  }
  return found;
}

/* The node that a scope, or the nearest one above it, is in. */
static const char *find_node(const ck_run_observation *self, const char *scope) {
  char name[512];
  if ((size_t)snprintf(name, sizeof name, "%s", scope) >= sizeof name) return NULL;
  for (char *dot = name; dot;) {
    const ck_run_scope *at = ck_map_get(&self->scopes, name);
    if (at && at->node) return at->node;
    dot = strrchr(name, '.');
    if (dot) *dot = '\0';
  }
  return NULL;
}

/* Nothing was open: the node that was begun last and did not complete. */
static const char *find_begun(const ck_run_observation *self) {
  const ck_run_scope *found = NULL;
  for (size_t i = 0; i < self->scopes.cap; i++) {
    const ck_run_scope *at = self->scopes.slots[i].key ? self->scopes.slots[i].value : NULL;
    if (at && at->node && (!found || at->node_seq > found->node_seq)) found = at;
  }
  return found ? found->node : NULL;
}

/* Names of tools and nodes are letters, digits and a few signs; any other text is not given away:
 * it could hold anything. */
static bool is_name(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  size_t len = text ? strspn(text, letters) : 0;
  return len > 0 && len <= 64 && !text[len];
}

static void take_stop(ck_run_observation *self) {
  const ck_ledger_entry *effect = find_effect(self);
  const char *node = effect ? find_node(self, effect->scope) : find_begun(self);
  char *tool = NULL;
  self->stopped_in = effect || node;
  self->has_effect = effect != NULL;
  if (effect) {
    ck_bytes request = ck_json_get(ck_value_bytes(effect->intent), "request");
    self->kind = effect->kind;
    if (judge(self, effect) == FAILED) self->cause = cause_of(effect);
    if (effect->kind == CK_EFFECT_TOOL) tool = dup_text(self, ck_json_get(request, "name"));
  }
  const char *stage = tool ? tool : node;
  if (is_name(stage) && !(self->stage = strdup(stage))) fail(self);
  free(tool);
}

ck_status ck_run_observe(ck_run_observation *out, ck_store *store, int64_t session,
                         const ck_view *view, ck_error *err) {
  ck_event_query query = {.session = session,
                          .view = view,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
                                   1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_BOUNDARY |
                                   1ull << CK_EVENT_NOTE | begins};
  *out = (ck_run_observation){.err = err};
  ck_status status = ck_ledger_new(&out->ledger, err);
  if (status == CK_OK) status = ck_store_read_events(store, &query, see, out, err);
  if (status == CK_OK) take_stop(out);
  return status == CK_OK ? out->status : status;
}
