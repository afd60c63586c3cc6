/* limits.c - checks effects and boundaries against the constraints, and reports limits that come
 * near. */
#include "core/runtime/execution/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/unsettled.h"

/* ---- usage ---- */

void ck_limits_get(ck_limits_usage *out, const ck_session *session) {
  const ck_totals *now = &session->spent.totals, *base = &session->spent.base;
  out->spent = (ck_amounts){{
      [CK_DIMENSION_BUDGET] = now->cost_micros - base->cost_micros,
      [CK_DIMENSION_TIME] = (ck_session_active_us(session) - base->active_us) / 1000,
      [CK_DIMENSION_ROUNDS] = session->spent.agents.rounds - session->spent.rounds_base,
      [CK_DIMENSION_TOKENS] =
          now->input_tokens + now->output_tokens - base->input_tokens - base->output_tokens,
      [CK_DIMENSION_TOOL_CALLS] = now->tool_calls - base->tool_calls,
      [CK_DIMENSION_MODEL_CALLS] = now->model_calls - base->model_calls,
  }};
  ck_limits_usage_read_limits(out, session->profile, session->state, NULL);
}

void ck_limits_get_agent(ck_limits_usage *out, const ck_session *session, const char *agent) {
  const ck_agent_spending *s = ck_spending_get(&session->spent.agents, agent);
  *out = (ck_limits_usage){0};
  if (s) out->spent = ck_limits_amounts(s);
  ck_limits_usage_read_limits(out, session->profile, session->state, agent);
}

static void get_subject(ck_limits_usage *out, const ck_session *session, const char *agent) {
  if (agent)
    ck_limits_get_agent(out, session, agent);
  else
    ck_limits_get(out, session);
}

typedef struct used_up {
  const ck_session *session;
  int64_t unsettled;
  const ck_limit_hit *last;
  void (*visit)(void *to, const ck_limit_hit *hit);
  void *to;
} used_up;

/* How much the next effect takes of it; -1: not known. */
static int64_t asked_of(const used_up *self, ck_dimension dimension, const char *agent) {
  const ck_limit_hit *last = self->last;
  bool same = last && last->dimension == dimension && !last->agent == !agent &&
              (!agent || strcmp(last->agent, agent) == 0);
  if (same) return last->asked;
  bool counted = dimension != CK_DIMENSION_BUDGET && dimension != CK_DIMENSION_TOKENS &&
                 dimension != CK_DIMENSION_TIME;
  return counted ? 1 : -1;
}

static void visit_subject(const used_up *self, const char *agent) {
  ck_limits_usage state;
  get_subject(&state, self->session, agent);
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    int64_t waits = d == CK_DIMENSION_BUDGET && !agent ? self->unsettled : 0;
    ck_limit_hit hit = {.dimension = (ck_dimension)d,
                        .agent = agent,
                        .spent = state.spent.of[d],
                        .limit = state.limit.of[d],
                        .reserved = waits,
                        .asked = asked_of(self, (ck_dimension)d, agent)};
    int64_t least = hit.asked > 0 ? hit.asked : 1;
    if (hit.limit >= 0 && ck_micros_add(ck_micros_add(hit.spent, waits), least) > hit.limit)
      self->visit(self->to, &hit);
  }
}

void ck_limits_visit_used_up(const ck_session *session, int64_t unsettled, const ck_limit_hit *last,
                             void (*visit)(void *to, const ck_limit_hit *hit), void *to) {
  const used_up self = {
      .session = session, .unsettled = unsettled, .last = last, .visit = visit, .to = to};
  const ck_spending *spending = &session->spent.agents;
  const ck_profile *profile = session->profile;
  visit_subject(&self, NULL);
  for (size_t i = 0; i < spending->count; i++) visit_subject(&self, spending->agents[i].agent);
  for (size_t i = 0; profile && i < profile->agent_count; i++)
    if (!ck_spending_get(spending, profile->agents[i].name))
      visit_subject(&self, profile->agents[i].name);
}

/* ---- events ---- */

static ck_status record(ck_session *session, const char *what, const ck_limit_hit *hit,
                        ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "dimension", ck_dimension_name(hit->dimension));
  ck_json_member_text(&w, "what", what);
  ck_json_member_text(&w, "agent", hit->agent);
  ck_json_member_int(&w, "spent", hit->spent);
  ck_json_member_int(&w, "limit", hit->limit);
  if (hit->asked > 0) ck_json_member_int(&w, "asked", hit->asked);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&body, &buffer, err);
  if (status == CK_OK)
    status = ck_session_append(session, CK_EVENT_CONSTRAINT, NULL, hit->agent, body, err);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

/* A maximum is hit while less than half of another dimension's minimum is met. */
static ck_status record_hit(ck_session *session, const ck_limit_hit *hit, ck_error *err) {
  ck_limits_usage state;
  get_subject(&state, session, hit->agent);
  ck_status status = record(session, "hit", hit, err);
  for (int d = 0; d < CK_DIMENSION_COUNT && status == CK_OK; d++) {
    if (d == (int)hit->dimension || state.minimum.of[d] < 0 ||
        state.spent.of[d] * 2 >= state.minimum.of[d])
      continue;
    ck_limit_hit unmet = {.dimension = (ck_dimension)d,
                          .agent = hit->agent,
                          .spent = state.spent.of[d],
                          .limit = state.minimum.of[d]};
    status = record(session, "conflict", &unmet, err);
  }
  return status;
}

/* ---- an effect that is about to begin ---- */

/* How much of the dimension, of the session or of `agent`, the effect takes at least; -1: nothing,
 * or it cannot be known beforehand (`*unknown`). */
static int64_t demand(bool *unknown, const ck_effect *effect, ck_dimension dimension,
                      const char *agent) {
  *unknown = false;
  switch (dimension) {
    case CK_DIMENSION_BUDGET:
      *unknown = effect->reserve_micros < 0;
      return effect->reserve_micros > 0 ? effect->reserve_micros : -1;
    case CK_DIMENSION_TOKENS:
      *unknown = effect->kind == CK_EFFECT_MODEL && effect->reserve_tokens < 0;
      return effect->reserve_tokens > 0 ? effect->reserve_tokens : -1;
    case CK_DIMENSION_ROUNDS:
      if (agent) return ck_effect_is_turn_of(effect, agent) ? 1 : -1;
      *unknown = effect->kind != CK_EFFECT_ASK; /* it belongs to a round that begins */
      return -1;
    case CK_DIMENSION_TIME:
      *unknown = effect->kind != CK_EFFECT_ASK;
      return -1;
    case CK_DIMENSION_TOOL_CALLS:
      return ck_effect_is_tool_call(effect) ? 1 : -1;
    case CK_DIMENSION_MODEL_CALLS:
      return effect->kind == CK_EFFECT_MODEL ? 1 : -1;
    default:
      return -1;
  }
}

static bool find_hit_of(ck_limit_hit *out, const ck_call *self, const char *agent) {
  ck_limits_usage state;
  get_subject(&state, self->runner->execution->session, agent);
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    bool unknown;
    int64_t wanted = demand(&unknown, &self->effect, (ck_dimension)d, agent),
            limit = state.limit.of[d];
    if (limit < 0 || (wanted < 0 && !unknown)) continue;
    int64_t spent = state.spent.of[d];
    int64_t waits = ck_reserves_get(self->runner->execution, (ck_dimension)d, agent);
    int64_t taken = ck_micros_add(spent, waits);
    if (unknown ? taken < limit : ck_micros_add(taken, wanted) <= limit) continue;
    *out = (ck_limit_hit){
        .dimension = (ck_dimension)d,
        .agent = agent,
        .spent = spent,
        .limit = limit,
        .reserved = waits,
        .passing = ck_reserves_get_passing(self->runner->execution, (ck_dimension)d, agent),
        .asked = wanted};
    return true;
  }
  return false;
}

static bool find_hit(ck_limit_hit *out, const ck_call *self) {
  if (find_hit_of(out, self, NULL)) return true;
  for (const char *const *payer = self->effect.payers; payer && *payer; payer++)
    if (find_hit_of(out, self, *payer)) return true;
  return false;
}

static ck_limit_action action_of(const ck_session *session) {
  return session->profile ? session->profile->on_limit : CK_LIMIT_PAUSE;
}

static void write_reason(char text[CK_ERROR_TEXT_MAX], const ck_limit_hit *hit) {
  char remedy[CK_STATE_KEY_MAX];
  ck_limits_describe(text, CK_ERROR_TEXT_MAX, hit);
  ck_limits_write_remedy(remedy, sizeof remedy, hit);
  size_t len = strlen(text);
  snprintf(text + len, CK_ERROR_TEXT_MAX - len, "; %s lifts it", remedy);
}

/* Remembers the hit when it is the one that ends the session. */
static ck_status keep_hit(ck_execution *execution, const ck_limit_hit *hit, const char *text,
                          ck_error *err) {
  if (execution->limit_ends || strcmp(execution->ending.text, text) != 0) return CK_OK;
  execution->limit_hit = *hit;
  if (hit->agent && !(execution->limit_agent = strdup(hit->agent))) return ck_error_no_memory(err);
  execution->limit_hit.agent = execution->limit_agent;
  execution->limit_ends = true;
  return CK_OK;
}

void ck_limits_update_ending(ck_execution *execution) {
  ck_limit_hit *hit = &execution->limit_hit;
  ck_limits_usage state;
  if (!execution->limit_ends || execution->ending.cause != CK_E_LIMIT) return;
  get_subject(&state, execution->session, hit->agent);
  hit->spent = state.spent.of[hit->dimension];
  hit->reserved = hit->dimension == CK_DIMENSION_BUDGET
                      ? ck_reserves_recount_unsettled(&execution->reserves, hit->agent)
                      : 0;
  write_reason(execution->ending.text, hit);
}

/* The hit limit ends the session, paused or failed. */
static ck_status end_at_limit(ck_execution *execution, const ck_limit_hit *hit, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  write_reason(text, hit);
  bool fails = action_of(execution->session) == CK_LIMIT_FAIL;
  ck_execution_end(execution, fails ? CK_SESSION_FAILED : CK_SESSION_PAUSED, CK_E_LIMIT, text);
  ck_status status = keep_hit(execution, hit, text, err);
  return status == CK_OK ? record_hit(execution->session, hit, err) : status;
}

/* What others have reserved is mostly more than they take: where that alone is in the way, the call
 * waits for them. */
static bool waits_for_room(const ck_call *call, const ck_limit_hit *hit) {
  bool estimated = hit->dimension == CK_DIMENSION_BUDGET || hit->dimension == CK_DIMENSION_TOKENS;
  int64_t stays = ck_micros_add(hit->spent, hit->reserved - hit->passing);
  return estimated && hit->passing > 0 && !call->runner->execution->ending.status &&
         ck_micros_add(stays, hit->asked > 0 ? hit->asked : 1) <= hit->limit;
}

/* A budget cannot hold for what has no price. */
static void refuse_unpriced(ck_call *call) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text,
           "effect %s has no price, and budget_usd limits what it may cost: the profile must say "
           "its price, or unmetered = true, of its model or agent",
           call->key);
  call->phase = CK_CALL_LEFT;
  ck_execution_end_at(call->runner->execution, ck_runner_node(call->runner), CK_SESSION_PAUSED,
                      CK_E_LIMIT, text);
}

/* With on_limit = "ask" a limit that a person has raised is passed, and the next one checked. */
ck_status ck_limits_admit(bool *within, ck_call *call, ck_error *err) {
  ck_execution *execution = call->runner->execution;
  bool asks = action_of(execution->session) == CK_LIMIT_ASK;
  ck_allowance left;
  *within = false;
  ck_reserves_withdraw(call);
  if (call->effect.reserve_micros == CK_RESERVE_UNPRICED && ck_limits_get_left(&left, call) &&
      left.micros >= 0) {
    refuse_unpriced(call);
    return CK_OK;
  }
  for (;;) {
    ck_limit_hit hit;
    bool raised;
    *within = !find_hit(&hit, call);
    if (*within) return ck_limits_withdraw(call, err);
    bool waits = waits_for_room(call, &hit);
    call->phase = waits ? CK_CALL_ROOM : CK_CALL_LEFT;
    execution->rooms |= waits;
    if (waits) return CK_OK;
    if (!asks) return end_at_limit(execution, &hit, err);
    ck_status status = ck_limits_ask(&raised, call, &hit, err);
    if (status != CK_OK || !raised) return status;
  }
}

/* ---- what is left ---- */

static int64_t tighter(int64_t of, int64_t limit, int64_t taken) {
  if (limit < 0) return of;
  int64_t left = limit > taken ? limit - taken : 0;
  return of < 0 || left < of ? left : of;
}

static void narrow(ck_allowance *out, const ck_execution *execution, const char *agent) {
  ck_limits_usage state;
  get_subject(&state, execution->session, agent);
  const ck_amounts *limit = &state.limit, *spent = &state.spent;
  int64_t money = ck_reserves_get(execution, CK_DIMENSION_BUDGET, agent),
          tokens = ck_reserves_get(execution, CK_DIMENSION_TOKENS, agent);
  out->micros = tighter(out->micros, limit->of[CK_DIMENSION_BUDGET],
                        ck_micros_add(spent->of[CK_DIMENSION_BUDGET], money));
  out->tokens = tighter(out->tokens, limit->of[CK_DIMENSION_TOKENS],
                        ck_micros_add(spent->of[CK_DIMENSION_TOKENS], tokens));
}

bool ck_limits_get_left(ck_allowance *out, const ck_call *call) {
  *out = (ck_allowance){-1, -1};
  const ck_execution *execution = call->runner->execution;
  narrow(out, execution, NULL);
  for (const char *const *payer = call->effect.payers; payer && *payer; payer++)
    narrow(out, execution, *payer);
  return out->micros >= 0 || out->tokens >= 0;
}

static void take_tighter(ck_limit_hit *out, const ck_call *call, ck_dimension d,
                         const char *agent) {
  ck_limits_usage state;
  get_subject(&state, call->runner->execution->session, agent);
  int64_t limit = state.limit.of[d], spent = state.spent.of[d],
          waits = ck_reserves_get(call->runner->execution, d, agent);
  int64_t before = out->limit - ck_micros_add(out->spent, out->reserved);
  if (limit < 0 || (out->limit >= 0 && limit - ck_micros_add(spent, waits) >= before)) return;
  *out = (ck_limit_hit){.dimension = d,
                        .agent = agent,
                        .spent = spent,
                        .limit = limit,
                        .reserved = waits,
                        .asked = -1};
}

void ck_limits_get_tightest(ck_limit_hit *out, const ck_call *call, ck_dimension dimension) {
  *out = (ck_limit_hit){.dimension = dimension, .limit = -1, .asked = -1};
  take_tighter(out, call, dimension, NULL);
  for (const char *const *payer = call->effect.payers; payer && *payer; payer++)
    take_tighter(out, call, dimension, *payer);
}

/* ---- after an effect ---- */

static ck_status report_approaching(ck_execution *execution, const char *agent, ck_error *err) {
  ck_limits_usage state;
  ck_status status = CK_OK;
  get_subject(&state, execution->session, agent);
  for (int d = 0; d < CK_DIMENSION_COUNT && status == CK_OK; d++) {
    char name[CK_STATE_KEY_MAX];
    bool fresh = false;
    int64_t spent = state.spent.of[d], limit = state.limit.of[d];
    if (!ck_limits_usage_approaches(&state, (ck_dimension)d)) continue;
    snprintf(name, sizeof name, "%.400s/%s", agent ? agent : "",
             ck_dimension_name((ck_dimension)d));
    status = ck_runner_use(&fresh, execution->limits_reported, name, err);
    ck_limit_hit near = {
        .dimension = (ck_dimension)d, .agent = agent, .spent = spent, .limit = limit};
    if (status == CK_OK && fresh) status = record(execution->session, "approaching", &near, err);
  }
  return status;
}

ck_status ck_limits_count(ck_call *call, ck_error *err) {
  ck_execution *execution = call->runner->execution;
  int64_t ms = call->begun_us ? (ck_execution_now_us(execution) - call->begun_us) / 1000 : 0;
  ck_status status = report_approaching(execution, NULL, err);
  for (const char *const *payer = call->effect.payers; payer && *payer && status == CK_OK;
       payer++) {
    status = ck_session_add_ms(execution->session, *payer, ms, err);
    if (status == CK_OK) status = report_approaching(execution, *payer, err);
  }
  ck_execution_wake_rooms(execution);
  return status;
}

/* ---- boundaries ---- */

/* A person is asked for a new limit once another round is to begin: see demand. */
static ck_status end_rounds(ck_execution *execution, const char *agent, ck_error *err) {
  ck_limits_usage state;
  get_subject(&state, execution->session, agent);
  int64_t spent = state.spent.of[CK_DIMENSION_ROUNDS], limit = state.limit.of[CK_DIMENSION_ROUNDS];
  bool asks = action_of(execution->session) == CK_LIMIT_ASK;
  if (asks || limit < 0 || spent < limit) return report_approaching(execution, agent, err);
  ck_limit_hit hit = {
      .dimension = CK_DIMENSION_ROUNDS, .agent = agent, .spent = spent, .limit = limit};
  return end_at_limit(execution, &hit, err);
}

/* Who would take a turn next; NULL: nobody. A graph's loop is no turn of its node. */
static const char *find_next(const ck_boundary *at) {
  bool turn = at->kind == CK_BOUNDARY_TOOL_ROUND || at->kind == CK_BOUNDARY_LOOP_ITERATION;
  return at->kind == CK_BOUNDARY_ROUND_COMPLETE || (turn && !at->node) ? at->agent : NULL;
}

ck_status ck_limits_reach(ck_execution *execution, const ck_boundary *at, ck_error *err) {
  const char *agent = find_next(at);
  ck_status status = CK_OK;
  if (at->kind == CK_BOUNDARY_ROUND_COMPLETE) {
    ck_session_add_round(execution->session);
    status = end_rounds(execution, NULL, err);
  }
  if (status == CK_OK && agent) status = end_rounds(execution, agent, err);
  return status;
}
