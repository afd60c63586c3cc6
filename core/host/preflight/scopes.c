/* scopes.c - the agents at work in the scopes that a resume would open again: the flow must still
 * have each. */
#include <stdio.h>
#include <string.h>

#include "core/host/preflight/preflight.h"
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/tail/targets.h"

static bool has_agent(const ck_flow_manifest *manifest, ck_bytes name) {
  for (const char *const *agent = manifest->agents; agent && *agent; agent++)
    if (ck_json_is_text(name, *agent)) return true;
  return false;
}

static bool has_node(const ck_flow_manifest *manifest, ck_bytes name) {
  for (size_t i = 0; i < manifest->node_count; i++)
    if (ck_json_is_text(name, manifest->nodes[i].name)) return true;
  return manifest->node_count == 0;
}

/* Once, though both the scope and the event of a delegation may name it. */
static void report_agent(ck_preflight *self, ck_bytes agent, ck_bytes delegation) {
  char text[CK_ERROR_TEXT_MAX];
  int len = snprintf(text, sizeof text,
                     "agent %.*s, whose delegation %.*s is in flight, is not in the flow any more: "
                     "give it its name back, or go on from before the delegation with --checkpoint",
                     (int)agent.len, agent.data, (int)delegation.len, delegation.data);
  bool told = len > 0 && self->problems.len > 0 &&
              memmem(self->problems.data, self->problems.len, text, strlen(text));
  if (!told) ck_preflight_add(self, CK_E_REFUSED, "%s", text);
}

static void report_node(ck_preflight *self, ck_bytes node, const char *scope) {
  ck_preflight_add(self, CK_E_REFUSED,
                   "node %.*s, whose agent is at work in scope %s, is not in the flow any more: "
                   "give it its name back, or go on from before it with --checkpoint",
                   (int)node.len, node.data, scope);
}

typedef struct checking {
  ck_preflight *preflight;
  const ck_flow_manifest *manifest;
  const ck_state *state;
  ck_bytes id; /* of a delegation behind the checkpoint */
} checking;

/* One that has ended needs its agent no more: its result is there. */
static void check_position(void *to, const char *scope, ck_bytes position) {
  checking *self = to;
  bool done = false;
  ck_bytes task = ck_json_get(position, "task"), agent = ck_json_get(task, "agent"),
           delegation = ck_json_get(task, "delegation"), actor = ck_json_get(task, "actor");
  ck_json_read_bool(&done, ck_json_get(position, "done"));
  if (done || ck_json_type_of(task) != CK_JSON_OBJECT) return;
  if (agent.len && delegation.len && !has_agent(self->manifest, agent))
    report_agent(self->preflight, agent, delegation);
  if (actor.len && !has_node(self->manifest, actor)) report_node(self->preflight, actor, scope);
}

/* ---- delegations behind the checkpoint, which a resume repeats ---- */

static bool check_target(void *to, ck_bytes name) {
  checking *self = to;
  if (!has_agent(self->manifest, name)) report_agent(self->preflight, name, self->id);
  return true;
}

/* Whether the scope's position lies before the event. */
static bool is_behind(const checking *self, const ck_event *event) {
  char key[CK_STATE_KEY_MAX];
  int64_t cut = self->preflight->checkpoint.seq;
  snprintf(key, sizeof key, "position.%s", event->scope);
  const ck_value *position = self->state ? ck_state_get(self->state, key) : NULL;
  if (position) ck_json_read_int(&cut, ck_json_get(ck_value_bytes(position), "cut"));
  return event->seq > cut;
}

static bool check_delegation(void *to, const ck_event *event) {
  checking *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  self->id = ck_json_get(body, "id");
  if (self->id.len && is_behind(self, event)) ck_targets_visit(body, check_target, self);
  return true;
}

/* A resume from another checkpoint than the latest asks its models anew. */
static ck_status check_repeated(checking *self, ck_store *store, ck_error *err) {
  const ck_head *head = &self->preflight->head;
  const ck_preflight_options *options = &self->preflight->options;
  ck_view view;
  if (options->checkpoint || options->clean || self->preflight->fell_back) return CK_OK;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  ck_event_query query = {
      .session = head->session.no, .view = &view, .kinds = 1ull << CK_EVENT_DELEGATION};
  if (status == CK_OK) status = ck_store_read_events(store, &query, check_delegation, self, err);
  ck_view_clear(&view);
  return status;
}

/* Tasks and events of flows written by hand (flow.custom) are their own affair. */
ck_status ck_preflight_check_scopes(ck_preflight *self, const ck_flow_manifest *manifest,
                                    const ck_state *state, ck_store *store, ck_error *err) {
  if (strcmp(manifest->kind, "custom") == 0) return CK_OK;
  checking of = {.preflight = self, .manifest = manifest, .state = state};
  ck_status status = CK_OK;
  if (state) status = ck_replay_range_visit_positions(state, check_position, &of, err);
  return status == CK_OK ? check_repeated(&of, store, err) : status;
}
