/* session_checkpoint.c - a paused session of several agents as one document. */
#include "core/host/inspect/session_checkpoint.h"
#include "core/host/inspect/runs.h"
#include "core/host/inspect/session_agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/budget/spending.h"
#include "core/runtime/budget/usage.h"
#include "core/runtime/portable/extension.h"
#include "core/runtime/portable/session_document.h"

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
typedef struct reached_limits {
  const ck_limits_usage *usage;
  const ck_spending *spending;
  bool hits[CK_DIMENSION_COUNT]; /* the session's */
  bool conflicts;
  char text[CK_ERROR_TEXT_MAX]; /* "": none since the session was last resumed or forked */
} reached_limits;

static void forget(reached_limits *self) {
  memset(self->hits, 0, sizeof self->hits);
  self->conflicts = false;
  self->text[0] = '\0';
}

static ck_dimension read_dimension(ck_bytes name) {
  ck_dimension d = 0;
  while (d < CK_DIMENSION_COUNT && !ck_json_is_text(name, ck_dimension_name(d))) d++;
  return d;
}

/* As much as is spent by now: calls that were under way when the limit was hit have ended since. */
static int64_t spent_by_now(const reached_limits *self, const ck_limit_hit *hit) {
  const ck_agent_spending *own = hit->agent ? ck_spending_get(self->spending, hit->agent) : NULL;
  int64_t now = own           ? ck_limits_amounts(own).of[hit->dimension]
                : !hit->agent ? self->usage->spent.of[hit->dimension]
                              : 0;
  return now > hit->spent ? now : hit->spent;
}

static void take_hit(reached_limits *self, ck_bytes body, ck_dimension dimension) {
  char *agent = ck_json_dup_string(ck_json_get(body, "agent"));
  ck_limit_hit hit = {.dimension = dimension, .agent = agent, .asked = -1};
  ck_json_read_int(&hit.spent, ck_json_get(body, "spent"));
  ck_json_read_int(&hit.limit, ck_json_get(body, "limit"));
  hit.spent = spent_by_now(self, &hit);
  ck_limits_describe(self->text, sizeof self->text, &hit);
  if (!agent) self->hits[dimension] = true;
  free(agent);
}

/* Of the session that an imported one goes on from. */
static void take_imported(reached_limits *self, ck_bytes constraints) {
  char *reason = ck_json_dup_string(ck_json_get(constraints, "hit_reason"));
  ck_json_read_bool(&self->conflicts, ck_json_get(constraints, "constraint_conflict"));
  if (reason) snprintf(self->text, sizeof self->text, "%s", reason);
  free(reason);
}

static bool take_event(void *to, const ck_event *event) {
  reached_limits *self = to;
  ck_bytes body = ck_value_bytes(event->body), what = ck_json_get(body, "what");
  if (event->kind == CK_EVENT_NOTE &&
      ck_json_is_text(ck_json_get(body, "type"), CK_SESSION_DOCUMENT_NOTE))
    take_imported(self, ck_json_get(body, "constraintState"));
  if (event->kind == CK_EVENT_SESSION_RESUMED || event->kind == CK_EVENT_SESSION_FORKED)
    forget(self);
  if (event->kind != CK_EVENT_CONSTRAINT) return true;
  ck_dimension dimension = read_dimension(ck_json_get(body, "dimension"));
  if (ck_json_is_text(what, "conflict")) self->conflicts = true;
  if (ck_json_is_text(what, "hit") && dimension < CK_DIMENSION_COUNT)
    take_hit(self, body, dimension);
  return true;
}

static ck_status read_reached(reached_limits *self, const ck_snapshot *snapshot, ck_error *err) {
  ck_event_query query = {.session = snapshot->inspection->head.session.no,
                          .view = &snapshot->view,
                          .until = snapshot->until,
                          .kinds = 1ull << CK_EVENT_CONSTRAINT | 1ull << CK_EVENT_NOTE |
                                   1ull << CK_EVENT_SESSION_RESUMED |
                                   1ull << CK_EVENT_SESSION_FORKED};
  ck_status status =
      ck_store_read_events(snapshot->inspection->store, &query, take_event, self, err);
  for (int d = CK_DIMENSION_COUNT; d-- > 0;) {
    ck_limit_hit hit = {.dimension = (ck_dimension)d,
                        .spent = self->usage->spent.of[d],
                        .limit = self->usage->limit.of[d],
                        .asked = -1};
    if (!ck_limits_usage_hits(self->usage, (ck_dimension)d)) continue;
    self->hits[d] = true;
    ck_limits_describe(self->text, sizeof self->text, &hit);
  }
  return status;
}

static ck_status put_hit(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                         const ck_limits_usage *usage, ck_error *err) {
  ck_spending spending = {0};
  reached_limits reached = {.usage = usage, .spending = &spending};
  ck_status status = ck_spending_read(&spending, snapshot->state, err);
  if (status == CK_OK) status = read_reached(&reached, snapshot, err);
  ck_document_put_bool(document, at, "hit", reached.text[0] != '\0');
  if (reached.text[0]) ck_document_put_text(document, at, "hit_reason", reached.text);
  ck_document_put_bool(document, at, "constraint_conflict",
                       reached.conflicts || ck_limits_usage_conflicts(usage, reached.hits));
  ck_spending_clear(&spending);
  return status;
}

/* A run goes on behind its latest checkpoint, if only for the moment in which it ends. */
static ck_status read_totals(ck_totals *out, const ck_snapshot *snapshot, ck_error *err) {
  const ck_inspection *inspection = snapshot->inspection;
  *out = snapshot->checkpoint.totals;
  if (snapshot->named) return CK_OK;
  return ck_runs_read_totals(out, inspection->store, &inspection->head, err);
}

static ck_status put_constraints(ck_document *document, struct cJSON *at,
                                 const ck_snapshot *snapshot, const ck_totals *totals,
                                 ck_error *err) {
  ck_limits_usage usage;
  ck_status status = ck_limits_usage_read(&usage, snapshot->profile, snapshot->state, totals, err);
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

/* What the document has no place for (core/runtime/portable/extension.h). */
static ck_status put_extension(ck_document *document, struct cJSON *at, const ck_snapshot *snapshot,
                               const ck_spending *spending, const ck_totals *totals,
                               ck_error *err) {
  ck_bytes input = ck_extension_input(&snapshot->inspection->head.session);
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_value *value = NULL, *agents = NULL;
  ck_spending_write_agents(&w, spending);
  ck_status status = input.len ? ck_value_copy(&value, input, err) : CK_OK;
  if (status == CK_OK) status = ck_value_from(&agents, &json, err);
  struct cJSON *own = ck_document_put_object(document, at, CK_EXTENSION);
  ck_document_put_value(document, own, "input", value);
  ck_document_put_int(document, own, "output_tokens", totals->output_tokens);
  ck_document_put_value(document, own, "agents", agents);
  ck_value_free(value);
  ck_value_free(agents);
  ck_buffer_clear(&json);
  return status;
}

ck_status ck_session_checkpoint_put(ck_document *document, struct cJSON *at,
                                    const ck_snapshot *snapshot, ck_error *err) {
  ck_spending spending = {0};
  ck_totals totals;
  ck_document_put_text(document, at, "sessionId", snapshot->inspection->head.session.id);
  ck_status status = read_totals(&totals, snapshot, err);
  if (status == CK_OK) status = put_constraints(document, at, snapshot, &totals, err);
  if (status == CK_OK) status = ck_session_agents_put(document, at, snapshot, err);
  if (status == CK_OK) status = ck_spending_read(&spending, snapshot->state, err);
  if (status == CK_OK) status = put_extension(document, at, snapshot, &spending, &totals, err);
  ck_document_put_int(document, at, "roundsCompleted", spending.rounds);
  ck_document_put_int(document, at, "transcriptReplayDepth",
                      snapshot->profile ? snapshot->profile->replay_depth : DEPTH_DEFAULT);
  ck_document_put_time(document, at, "createdAt",
                       snapshot->has_checkpoint ? snapshot->checkpoint.created_ms : 0);
  ck_spending_clear(&spending);
  return status;
}
