/* spending.c - adds up what agents spend, by name, and writes it as a key of the state. */
#include "core/runtime/budget/spending.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/ledger_body.h"

void ck_spending_clear(ck_spending *self) {
  for (size_t i = 0; i < self->count; i++) free(self->agents[i].agent);
  free(self->agents);
  *self = (ck_spending){0};
}

static ck_agent_spending *find(const ck_spending *self, const char *agent) {
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(self->agents[i].agent, agent) == 0) return &self->agents[i];
  return NULL;
}

const ck_agent_spending *ck_spending_get(const ck_spending *self, const char *agent) {
  return find(self, agent);
}

/* The agent's sums, made when it has none. Takes `agent`. */
static ck_status make(ck_agent_spending **out, ck_spending *self, char *agent, ck_error *err) {
  *out = agent ? find(self, agent) : NULL;
  if (*out) {
    free(agent);
    return CK_OK;
  }
  ck_agent_spending *agents =
      agent ? reallocarray(self->agents, self->count + 1, sizeof *agents) : NULL;
  if (!agents) {
    free(agent);
    return ck_error_no_memory(err);
  }
  self->agents = agents;
  *out = &agents[self->count++];
  **out = (ck_agent_spending){.agent = agent};
  return CK_OK;
}

static void add(ck_agent_spending *to, const ck_totals *cost) {
  to->cost_micros = ck_micros_add(to->cost_micros, cost->cost_micros);
  to->tokens += cost->input_tokens + cost->output_tokens;
  to->tool_calls += cost->tool_calls;
  to->model_calls += cost->model_calls;
}

/* Of a model: one turn of who asked it. */
static bool is_answer(ck_bytes body) {
  return ck_json_is_text(ck_json_get(body, "kind"), "model") && !ck_json_get(body, "aside").len &&
         ck_json_is_text(ck_json_get(body, "status"), ck_outcome_status_name(CK_OUTCOME_OK));
}

ck_status ck_spending_add_outcome(ck_spending *self, const ck_value *body, ck_error *err) {
  ck_totals cost = {0};
  ck_status status = CK_OK;
  int turns = is_answer(ck_value_bytes(body));
  ck_json_iterator it = ck_json_iterate(ck_json_get(ck_value_bytes(body), "for"));
  ck_totals_add_outcome(&cost, body);
  while (status == CK_OK && ck_json_next(&it)) {
    ck_agent_spending *to;
    status = make(&to, self, ck_json_dup_string(it.value), err);
    if (status == CK_OK) add(to, &cost);
    if (status == CK_OK) to->rounds += turns;
    turns = 0; /* those above it have turns of their own */
    self->changed = true;
  }
  return status;
}

ck_status ck_spending_add_ms(ck_spending *self, const char *agent, int64_t ms, ck_error *err) {
  ck_agent_spending *to;
  if (ms <= 0) return CK_OK;
  ck_status status = make(&to, self, strdup(agent), err);
  if (status == CK_OK) to->ms += ms;
  self->changed = true;
  return status;
}

static void read_count(int64_t *out, ck_bytes from, const char *name) {
  if (!ck_json_read_int(out, ck_json_get(from, name)) || *out < 0) *out = 0;
}

static void read_agent(ck_agent_spending *to, ck_bytes from) {
  read_count(&to->cost_micros, from, "cost");
  read_count(&to->tokens, from, "tokens");
  read_count(&to->tool_calls, from, "tool_calls");
  read_count(&to->model_calls, from, "model_calls");
  read_count(&to->ms, from, "ms");
  read_count(&to->rounds, from, "rounds");
}

ck_status ck_spending_take_agents(ck_spending *self, ck_bytes agents, ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(agents);
  while (status == CK_OK && ck_json_next(&it)) {
    ck_agent_spending *to;
    status = make(&to, self, ck_json_dup_string(it.name), err);
    if (status == CK_OK) read_agent(to, it.value);
  }
  return status;
}

ck_status ck_spending_read(ck_spending *self, const ck_state *state, ck_error *err) {
  ck_spending_clear(self);
  const ck_value *kept = ck_state_get(state, "spending");
  if (!kept) return CK_OK;
  ck_bytes from = ck_value_bytes(kept);
  ck_json_read_int(&self->rounds, ck_json_get(from, "rounds"));
  return ck_spending_take_agents(self, ck_json_get(from, "agents"), err);
}

void ck_spending_write_agents(ck_json_writer *w, const ck_spending *self) {
  ck_json_begin(w, '{');
  for (size_t i = 0; i < self->count; i++) {
    const ck_agent_spending *agent = &self->agents[i];
    ck_json_name(w, agent->agent);
    ck_json_begin(w, '{');
    ck_json_member_int(w, "cost", agent->cost_micros);
    ck_json_member_int(w, "tokens", agent->tokens);
    ck_json_member_int(w, "tool_calls", agent->tool_calls);
    ck_json_member_int(w, "model_calls", agent->model_calls);
    ck_json_member_int(w, "ms", agent->ms);
    ck_json_member_int(w, "rounds", agent->rounds);
    ck_json_end(w, '}');
  }
  ck_json_end(w, '}');
}

ck_status ck_spending_write(ck_value **out, const ck_spending *self, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "rounds", self->rounds);
  ck_json_name(&w, "agents");
  ck_spending_write_agents(&w, self);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}
