/* unsettled.c - finds the paid calls that an earlier process left open, counts them, or keeps their
 * reserve. */
#include "core/runtime/execution/unsettled.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_private.h"
#include "core/runtime/ledger/replay_range.h"

static int64_t reserve_of(const ck_ledger_entry *entry) {
  return entry->intent ? ck_ledger_read_reserve(ck_value_bytes(entry->intent)) : 0;
}

/* Calls that a fork's origin began, the origin pays for. */
static bool is_unsettled(const ck_session *session, const ck_ledger_entry *entry) {
  return entry->open && reserve_of(entry) > 0 && entry->intent_seq > session->record.origin.cut;
}

typedef struct closing {
  ck_session *session;
  ck_status status;
  ck_error *err;
} closing;

static bool close_open(void *to, const ck_event *event) {
  closing *self = to;
  char *key = ck_json_dup_string(ck_json_get(ck_value_bytes(event->body), "key"));
  const ck_ledger_entry *entry = key ? ck_ledger_get(self->session->ledger, key) : NULL;
  if (!key) self->status = ck_error_no_memory(self->err);
  if (entry && is_unsettled(self->session, entry) && event->seq > entry->intent_seq)
    self->status = ck_ledger_apply(self->session->ledger, event, self->err);
  free(key);
  return self->status == CK_OK;
}

/* Whether a probe, a policy or a person can still give its outcome, or a person has. */
static bool can_be_settled(const ck_execution *self, const ck_ledger_entry *entry) {
  ck_effect effect = {.scope = entry->scope,
                      .key = entry->key,
                      .attempt = entry->intent_attempt,
                      .kind = entry->kind,
                      .class = entry->class,
                      .agent = entry->agent,
                      .request = ck_json_get(ck_value_bytes(entry->intent), "request")};
  ck_ledger_case found = ck_ledger_find_entry(entry, &effect, entry->intent_digest);
  found.probes = ck_driver_probes(ck_execution_find_driver(self, &effect), &effect);
  return ck_ledger_plan(&found).action != CK_PLAN_RUN;
}

static ck_status close_entry(ck_execution *self, const ck_ledger_entry *entry, ck_error *err) {
  ck_session *session = self->session;
  ck_value *body;
  ck_status status = ck_ledger_write_unsettled(&body, entry, err);
  if (status != CK_OK) return status;
  ck_event event = {
      .kind = CK_EVENT_OUTCOME, .scope = entry->scope, .agent = entry->agent, .body = body};
  status = ck_session_record_cost(session, &event, err);
  if (status == CK_OK) ck_session_add_earlier(session, body);
  if (status == CK_OK) status = ck_ledger_apply(session->ledger, &event, err);
  ck_value_free(body);
  return status;
}

/* Calls that an abandoned branch had begun, and this one has finished since or counted as lost: the
 * ledger, which lacks what its view shows up to the cut, takes them for open. */
static ck_status close_known_outcomes(ck_session *session, ck_error *err) {
  const ck_ledger_entry *entry;
  int64_t cut, earliest = INT64_MAX;
  for (size_t i = 0; (entry = ck_ledger_at(session->ledger, i)) != NULL; i++)
    if (is_unsettled(session, entry) && entry->intent_seq < earliest) earliest = entry->intent_seq;
  ck_status status = ck_replay_range_earliest(&cut, session->state, session->cut, err);
  if (status != CK_OK || earliest >= cut) return status;
  closing c = {.session = session, .err = err};
  ck_event_query query = {.session = session->record.no,
                          .view = &session->view,
                          .after = earliest,
                          .until = cut,
                          .kinds = 1ull << CK_EVENT_OUTCOME};
  status = ck_store_read_events(session->runtime->store, &query, close_open, &c, err);
  return status == CK_OK ? c.status : status;
}

ck_status ck_unsettled_open(ck_execution *self, ck_error *err) {
  const ck_ledger_entry *entry;
  ck_status status = close_known_outcomes(self->session, err);
  uint64_t ticket;
  bool any = false;
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(self->session->ledger, i)) != NULL;
       i++) {
    if (!is_unsettled(self->session, entry)) continue;
    bool settles = can_be_settled(self, entry);
    any |= !settles;
    status = settles ? ck_reserves_keep(&self->reserves, entry, reserve_of(entry), err)
                     : close_entry(self, entry, err);
  }
  return status == CK_OK && any ? ck_session_push(&ticket, self->session, CK_DURABLE_POWER, err)
                                : status;
}

ck_status ck_unsettled_expect(int64_t *out, ck_session *session, ck_error *err) {
  const ck_ledger_entry *entry;
  *out = 0;
  ck_status status = close_known_outcomes(session, err);
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(session->ledger, i)) != NULL; i++)
    if (is_unsettled(session, entry)) *out = ck_micros_add(*out, reserve_of(entry));
  return status;
}

/* ---- while the session runs ---- */

/* NULL: it is none of them. */
static const ck_ledger_entry *find(const ck_call *call) {
  return ck_map_get(&call->runner->execution->reserves.unsettled, call->key);
}

int64_t ck_unsettled_reserve(const ck_call *call) {
  const ck_ledger_entry *entry = find(call);
  return entry ? reserve_of(entry) : 0;
}

void ck_unsettled_release(const ck_call *call) {
  const ck_ledger_entry *entry = find(call);
  if (entry) ck_reserves_release(&call->runner->execution->reserves, entry, reserve_of(entry));
}

ck_status ck_unsettled_count(ck_call *call, ck_error *err) {
  const ck_ledger_entry *entry = find(call);
  if (!entry) return CK_OK;
  ck_unsettled_release(call);
  return close_entry(call->runner->execution, entry, err);
}
