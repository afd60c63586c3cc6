/* chain_memory.c - the last outcome of each chain that remembers, by the name of its first model.
 */
#include "core/runtime/execution/chain_memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_of(ck_bytes body, const char *first) {
  return ck_json_is_text(ck_json_get(ck_json_get(body, "first"), "model"), first) &&
         ck_json_is_text(ck_json_get(body, "status"), ck_outcome_status_name(CK_OUTCOME_OK));
}

/* What is asked of it, and no more: outcomes may be long. */
static ck_status keep(ck_execution *self, const char *first, ck_bytes body, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *value = NULL;
  ck_bytes model = ck_json_get(body, "model"), whole = ck_json_get(body, "first");
  ck_json_begin(&w, '{');
  if (model.len) ck_json_member_raw(&w, "model", model);
  if (whole.len) ck_json_member_raw(&w, "first", whole);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&value, &buffer, err);
  if (status == CK_OK) status = ck_state_put(self->answered, first, value, err);
  ck_value_free(value);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_chain_memory_take(ck_execution *self, ck_bytes body, ck_error *err) {
  ck_bytes name = ck_json_get(ck_json_get(body, "first"), "model");
  char *first = name.len ? ck_json_dup_string(name) : NULL;
  ck_status status = first && is_of(body, first) ? keep(self, first, body, err) : CK_OK;
  free(first);
  return status;
}

/* ---- earlier runs ---- */

typedef struct search {
  ck_execution *execution;
  const ck_profile_model *first;
  int64_t since_ms; /* what lies before it is over */
  ck_status status;
  ck_error *err;
} search;

static bool look(void *to, const ck_event *event) {
  search *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (event->at_ms < self->since_ms) return false;
  if (!is_of(body, self->first->name)) return true;
  self->status = keep(self->execution, self->first->name, body, self->err);
  return false;
}

/* Once in a run; what this run has replayed, or answered, lies behind it. */
static ck_status find(ck_execution *self, const ck_profile_model *first, ck_error *err) {
  ck_session *session = self->session;
  const ck_clock *clock = &self->options.clock;
  search of = {.execution = self, .first = first, .err = err};
  ck_event_query query = {.session = session->record.no,
                          .view = &session->view,
                          .until = session->cut,
                          .kinds = 1ull << CK_EVENT_OUTCOME,
                          .backward = true};
  ck_status status = keep(self, first->name, (ck_bytes){0}, err);
  if (status != CK_OK || session->cut <= 0) return status;
  if (first->fallback_for_ms != CK_MODEL_FOR_GOOD)
    of.since_ms = clock->wall_ms(clock->self) - first->fallback_for_ms;
  status = ck_store_read_events(session->runtime->store, &query, look, &of, err);
  return status == CK_OK ? of.status : status;
}

ck_status ck_chain_memory_get(const ck_value **out, ck_execution *self,
                              const ck_profile_model *first, ck_error *err) {
  *out = ck_state_get(self->answered, first->name);
  ck_status status = *out ? CK_OK : find(self, first, err);
  if (status == CK_OK) *out = ck_state_get(self->answered, first->name);
  return status;
}
