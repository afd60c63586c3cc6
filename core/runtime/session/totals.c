/* totals.c - adds up what a session and its agents spend, and keeps from where it counts. */
#include "core/runtime/session/totals.h"

#include <stdlib.h>

#include "core/runtime/budget/active.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/session/session_private.h"

const ck_totals *ck_session_totals(const ck_session *self) { return &self->spent.totals; }

const ck_totals *ck_session_earlier(const ck_session *self) { return &self->spent.earlier; }

static int64_t now_us(const ck_session *self) {
  return self->runtime->clock.mono_us(self->runtime->clock.self);
}

int64_t ck_session_active_us(const ck_session *self) {
  return self->spent.active_base_us + now_us(self) - self->spent.began_us;
}

void ck_session_update_active(ck_session *self) {
  self->spent.totals.active_us = ck_session_active_us(self);
}

void ck_session_restart_active(ck_session *self) { self->spent.began_us = now_us(self); }

void ck_session_continue_active(ck_session *self) {
  self->spent.active_base_us = self->spent.totals.active_us;
}

void ck_session_begin_totals(ck_session *self, const ck_totals *totals) {
  self->spent.totals = self->spent.base = *totals;
  ck_session_continue_active(self);
}

void ck_session_carry_totals(ck_session *self, const ck_totals *totals, int64_t rounds) {
  self->spent.totals = *totals;
  self->spent.agents.rounds = rounds;
  self->spent.agents.changed = true;
  ck_session_continue_active(self);
}

ck_status ck_session_carry_agents(ck_session *self, ck_bytes agents, ck_error *err) {
  self->spent.agents.changed = true;
  return ck_spending_take_agents(&self->spent.agents, agents, err);
}

ck_status ck_session_add_outcome(ck_session *self, const ck_value *body, ck_error *err) {
  ck_totals_add_outcome(&self->spent.totals, body);
  return ck_spending_add_outcome(&self->spent.agents, body, err);
}

void ck_session_add_earlier(ck_session *self, const ck_value *body) {
  ck_totals_add_outcome(&self->spent.earlier, body);
}

void ck_session_add_round(ck_session *self) {
  self->spent.agents.rounds++;
  self->spent.agents.changed = true;
}

ck_status ck_session_add_ms(ck_session *self, const char *agent, int64_t ms, ck_error *err) {
  return ck_spending_add_ms(&self->spent.agents, agent, ms, err);
}

ck_status ck_session_put_spending(ck_session *self, ck_error *err) {
  ck_value *value = NULL;
  if (!self->spent.agents.changed) return CK_OK;
  ck_status status = ck_spending_write(&value, &self->spent.agents, err);
  if (status == CK_OK) status = ck_session_put(self, "spending", value, err);
  ck_value_free(value);
  self->spent.agents.changed = false;
  return status;
}

/* ---- after a resume ---- */

typedef struct adding {
  ck_spending *spending;
  ck_status status;
  ck_error *err;
} adding;

static bool add_outcome(void *to, const ck_event *event) {
  adding *self = to;
  self->status = ck_spending_add_outcome(self->spending, event->body, self->err);
  return self->status == CK_OK;
}

/* All outcomes of `session` up to seq `until`, whatever their timeline. */
static ck_status add_up_spending(ck_session *self, int64_t session, int64_t until, ck_error *err) {
  adding all = {.spending = &self->spent.agents, .err = err};
  ck_event_query query = {.session = session, .until = until, .kinds = 1ull << CK_EVENT_OUTCOME};
  ck_spending_clear(&self->spent.agents);
  ck_status status = ck_store_read_events(self->runtime->store, &query, add_outcome, &all, err);
  return status == CK_OK ? all.status : status;
}

/* The state of the latest checkpoint cannot be had any more once it is pruned: then all outcomes up
 * to it are added up. Rounds of a branch that was left do not count, unlike its money. */
static ck_status load_spending(ck_session *self, const ck_head *head,
                               const ck_checkpoint_info *from, ck_error *err) {
  ck_spending *agents = &self->spent.agents;
  ck_state *state = NULL;
  if (head->latest.seq == from->seq) return ck_spending_read(agents, self->state, err);
  ck_status status = from->seq ? ck_spending_read(agents, self->state, err) : CK_OK;
  if (status != CK_OK) return status;
  int64_t rounds = agents->rounds;
  ck_error unreadable = CK_ERROR_INIT;
  if (ck_store_get_state(&state, self->runtime->store, head->session.no, head->latest.seq,
                         &unreadable) == CK_OK)
    status = ck_spending_read(agents, state, err);
  else
    status = add_up_spending(self, head->session.no, head->latest.seq, err);
  agents->rounds = rounds;
  agents->changed = true;
  ck_state_free(state);
  return status;
}

static bool take_active(void *to, const ck_event *event) {
  ck_active_take(to, event);
  return true;
}

/* A run that was killed was at work up to its last event at least. */
static ck_status add_active(ck_session *self, const ck_head *head, ck_error *err) {
  const ck_checkpoint_info *latest = head->has_latest ? &head->latest : NULL;
  ck_active active;
  ck_event_query query = {.session = head->session.no, .after = latest ? latest->seq : 0};
  ck_active_begin(&active, latest);
  ck_status status = ck_store_read_events(self->runtime->store, &query, take_active, &active, err);
  self->spent.totals.active_us += active.us;
  return status;
}

ck_status ck_session_load_totals(ck_session *self, const ck_head *head,
                                 const ck_checkpoint_info *from, ck_error *err) {
  if (!head->has_latest) return add_active(self, head, err);
  ck_status status = load_spending(self, head, from, err);
  self->spent.totals = head->latest.totals;
  return status == CK_OK ? add_active(self, head, err) : status;
}

/* ---- the base ---- */

static void read_base(ck_session *self, const ck_state *state) {
  const ck_value *kept = ck_state_get(state, "base");
  ck_bytes base = kept ? ck_value_bytes(kept) : (ck_bytes){0};
  ck_json_read_int(&self->spent.base.cost_micros, ck_json_get(base, "cost"));
  ck_json_read_int(&self->spent.base.input_tokens, ck_json_get(base, "input_tokens"));
  ck_json_read_int(&self->spent.base.output_tokens, ck_json_get(base, "output_tokens"));
  ck_json_read_int(&self->spent.base.tool_calls, ck_json_get(base, "tool_calls"));
  ck_json_read_int(&self->spent.base.model_calls, ck_json_get(base, "model_calls"));
  ck_json_read_int(&self->spent.base.active_us, ck_json_get(base, "active_us"));
  ck_json_read_int(&self->spent.rounds_base, ck_json_get(base, "rounds"));
}

/* What was spent for an agent has no base: it is counted anew. */
static void reset_agents(ck_spending *spending, const ck_resume_rules *rules) {
  for (size_t i = 0; i < spending->count; i++) {
    ck_agent_spending *agent = &spending->agents[i];
    if (rules->budget == CK_RULE_RESET) agent->cost_micros = 0;
    if (rules->time == CK_RULE_RESET) agent->ms = 0;
    if (rules->rounds == CK_RULE_RESET) agent->rounds = 0;
    if (rules->tokens == CK_RULE_RESET) agent->tokens = 0;
    if (rules->tool_calls == CK_RULE_RESET) agent->tool_calls = 0;
    if (rules->model_calls == CK_RULE_RESET) agent->model_calls = 0;
  }
  spending->changed |= spending->count > 0;
}

typedef struct fork_point {
  int64_t cut, seq; /* seq 0: its checkpoint is gone */
} fork_point;

static bool find_fork_point(void *to, const ck_checkpoint_info *checkpoint) {
  fork_point *self = to;
  if (checkpoint->seq > self->cut && (!self->seq || checkpoint->seq < self->seq))
    self->seq = checkpoint->seq;
  return true;
}

/* A checkpoint before the fork has the base of the origin. The fork's own is in its first
 * checkpoint. Rounds are those of the checkpoint, which the base may not exceed. */
static ck_status load_base(ck_session *self, const ck_head *head, const ck_checkpoint_info *from,
                           ck_error *err) {
  fork_point point = {.cut = head->session.origin.cut};
  ck_state *state = NULL;
  read_base(self, self->state);
  if (!head->session.origin.session || from->seq > point.cut) return CK_OK;
  ck_status status = ck_store_list_checkpoints(self->runtime->store, head->session.no,
                                               find_fork_point, &point, err);
  if (status == CK_OK && point.seq)
    status = ck_store_get_state(&state, self->runtime->store, head->session.no, point.seq, err);
  if (status != CK_OK || !state) return status;
  read_base(self, state);
  ck_state_free(state);
  self->spent.inherits_base = true;
  if (self->spent.rounds_base > self->spent.agents.rounds)
    self->spent.rounds_base = self->spent.agents.rounds;
  return CK_OK;
}

static void reset(ck_spent *spent, const ck_resume_rules *rules) {
  reset_agents(&spent->agents, rules);
  if (rules->budget == CK_RULE_RESET) spent->base.cost_micros = spent->totals.cost_micros;
  if (rules->time == CK_RULE_RESET) spent->base.active_us = spent->totals.active_us;
  if (rules->rounds == CK_RULE_RESET) spent->rounds_base = spent->agents.rounds;
  if (rules->tool_calls == CK_RULE_RESET) spent->base.tool_calls = spent->totals.tool_calls;
  if (rules->model_calls == CK_RULE_RESET) spent->base.model_calls = spent->totals.model_calls;
  if (rules->tokens != CK_RULE_RESET) return;
  spent->base.input_tokens = spent->totals.input_tokens;
  spent->base.output_tokens = spent->totals.output_tokens;
}

ck_status ck_session_reset_base(ck_session *self, const ck_head *head,
                                const ck_checkpoint_info *from, const ck_resume_rules *rules,
                                ck_error *err) {
  ck_status status = load_base(self, head, from, err);
  if (status == CK_OK) reset(&self->spent, rules);
  return status;
}

ck_status ck_session_put_base(ck_session *self, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "cost", self->spent.base.cost_micros);
  ck_json_member_int(&w, "input_tokens", self->spent.base.input_tokens);
  ck_json_member_int(&w, "output_tokens", self->spent.base.output_tokens);
  ck_json_member_int(&w, "tool_calls", self->spent.base.tool_calls);
  ck_json_member_int(&w, "model_calls", self->spent.base.model_calls);
  ck_json_member_int(&w, "active_us", self->spent.base.active_us);
  ck_json_member_int(&w, "rounds", self->spent.rounds_base);
  ck_json_end(&w, '}');
  ck_value *value = NULL;
  ck_status status = ck_value_from(&value, &buffer, err);
  if (status == CK_OK) status = ck_session_put(self, "base", value, err);
  ck_value_free(value);
  ck_buffer_clear(&buffer);
  return status;
}
