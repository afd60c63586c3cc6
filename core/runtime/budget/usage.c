/* usage.c - reads a session's usage of its constraints, and says it for people. */
#include "core/runtime/budget/usage.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/model/effect.h"
#include "core/runtime/budget/spending.h"

static const struct {
  const char *name, *key;
  int64_t scale;
} dimensions[] = {
#define X(name, text, key, scale) [name] = {text, key, scale},
    CK_DIMENSION_TABLE(X)
#undef X
};

const char *ck_dimension_name(ck_dimension dimension) { return dimensions[dimension].name; }

static ck_amounts no_limit(void) { return (ck_amounts){{-1, -1, -1, -1, -1, -1}}; }

void ck_limits_key(char out[CK_STATE_KEY_MAX], ck_dimension dimension, const char *agent) {
  const char *key = dimensions[dimension].key;
  if (agent)
    snprintf(out, CK_STATE_KEY_MAX, "limits.%.400s.%s", agent, strchr(key, '.') + 1);
  else
    snprintf(out, CK_STATE_KEY_MAX, "%s", key);
}

ck_amounts ck_limits_amounts(const ck_agent_spending *of) {
  return (ck_amounts){
      {of->cost_micros, of->ms, of->rounds, of->tokens, of->tool_calls, of->model_calls}};
}

bool ck_limits_is_key(const char *key) {
  const char *last = strrchr(key, '.');
  bool known = false;
  for (int d = 0; last && d < CK_DIMENSION_COUNT; d++)
    known |= strcmp(last, strrchr(dimensions[d].key, '.')) == 0;
  return known && strncmp(key, "limits.", 7) == 0 && last != key + 7;
}

bool ck_limits_read_amount(int64_t *out, ck_dimension dimension, const ck_value *set) {
  double number;
  if (!set || !ck_json_read_double(&number, ck_value_bytes(set)) || number < 0 || number >= 1e12)
    return false;
  *out = (int64_t)(number * (double)dimensions[dimension].scale + 0.5);
  return true;
}

bool ck_limits_read_set(int64_t *out, ck_dimension dimension, const ck_state *state,
                        const char *agent) {
  char key[CK_STATE_KEY_MAX];
  ck_limits_key(key, dimension, agent);
  return ck_limits_read_amount(out, dimension, ck_state_get(state, key));
}

static void override(ck_amounts *limits, const ck_state *state, const char *agent) {
  for (int d = 0; d < CK_DIMENSION_COUNT; d++)
    ck_limits_read_set(&limits->of[d], (ck_dimension)d, state, agent);
}

void ck_limits_usage_read_limits(ck_limits_usage *out, const ck_profile *profile,
                                 const ck_state *state, const char *agent) {
  const ck_profile_agent *a = profile && agent ? ck_profile_get_agent(profile, agent) : NULL;
  const ck_profile *p = agent ? NULL : profile;
  out->limit = out->minimum = no_limit();
  if (a)
    out->limit = (ck_amounts){
        {a->budget_micros, a->time_ms, a->rounds, a->tokens, a->tool_calls, a->model_calls}};
  if (p) {
    const ck_profile_minimum *m = &p->minimum;
    out->limit = (ck_amounts){
        {p->budget_micros, p->time_ms, p->rounds, p->tokens, p->tool_calls, p->model_calls}};
    out->minimum = (ck_amounts){
        {m->budget_micros, m->time_ms, m->rounds, m->tokens, m->tool_calls, m->model_calls}};
  }
  override(&out->limit, state, agent);
}

static int64_t base_of(const ck_state *state, const char *name) {
  const ck_value *base = ck_state_get(state, "base");
  int64_t from = 0;
  if (base) ck_json_read_int(&from, ck_json_get(ck_value_bytes(base), name));
  return from;
}

ck_status ck_limits_usage_read(ck_limits_usage *out, const ck_profile *profile,
                               const ck_state *state, const ck_totals *totals, ck_error *err) {
  ck_spending spending = {0};
  *out = (ck_limits_usage){0};
  ck_status status = ck_spending_read(&spending, state, err);
  int64_t tokens = totals->input_tokens + totals->output_tokens;
  out->spent = (ck_amounts){{
      [CK_DIMENSION_BUDGET] = totals->cost_micros - base_of(state, "cost"),
      [CK_DIMENSION_TIME] = (totals->active_us - base_of(state, "active_us")) / 1000,
      [CK_DIMENSION_ROUNDS] = spending.rounds - base_of(state, "rounds"),
      [CK_DIMENSION_TOKENS] =
          tokens - base_of(state, "input_tokens") - base_of(state, "output_tokens"),
      [CK_DIMENSION_TOOL_CALLS] = totals->tool_calls - base_of(state, "tool_calls"),
      [CK_DIMENSION_MODEL_CALLS] = totals->model_calls - base_of(state, "model_calls"),
  }};
  ck_limits_usage_read_limits(out, profile, state, NULL);
  ck_spending_clear(&spending);
  return status;
}

bool ck_limits_usage_hits(const ck_limits_usage *self, ck_dimension dimension) {
  return self->limit.of[dimension] >= 0 && self->spent.of[dimension] >= self->limit.of[dimension];
}

bool ck_limits_usage_approaches(const ck_limits_usage *self, ck_dimension dimension) {
  int64_t limit = self->limit.of[dimension];
  int64_t near = limit / 100 * CK_LIMIT_APPROACHING_PERCENT +
                 (limit % 100 * CK_LIMIT_APPROACHING_PERCENT + 99) / 100; /* of 1 nothing is near */
  return limit > 0 && self->spent.of[dimension] >= near;
}

bool ck_limits_usage_conflicts(const ck_limits_usage *self, const bool hits[CK_DIMENSION_COUNT]) {
  bool hit = false, unmet = false;
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    hit |= hits[d];
    unmet |= !hits[d] && self->minimum.of[d] >= 0 && self->spent.of[d] * 2 < self->minimum.of[d];
  }
  return hit && unmet;
}

void ck_limits_write_amount(char out[CK_LIMITS_AMOUNT_SIZE], ck_dimension dimension,
                            int64_t amount) {
  if (dimension == CK_DIMENSION_BUDGET)
    ck_micros_write(out + 1, amount), out[0] = '$';
  else if (dimension == CK_DIMENSION_TIME)
    snprintf(out, CK_LIMITS_AMOUNT_SIZE, "%.1f s", (double)amount / 1e3);
  else
    snprintf(out, CK_LIMITS_AMOUNT_SIZE, "%lld", (long long)amount);
}

void ck_limits_describe(char *out, size_t size, const ck_limit_hit *hit) {
  char spent[CK_LIMITS_AMOUNT_SIZE], limit[CK_LIMITS_AMOUNT_SIZE], amount[CK_LIMITS_AMOUNT_SIZE],
      waits[96] = "", more[64] = "";
  bool money = hit->dimension == CK_DIMENSION_BUDGET;
  ck_limits_write_amount(spent, hit->dimension, hit->spent);
  ck_limits_write_amount(limit, hit->dimension, hit->limit);
  if (hit->reserved > 0 && (money || hit->dimension == CK_DIMENSION_TOKENS)) {
    ck_limits_write_amount(amount, hit->dimension, hit->reserved);
    snprintf(waits, sizeof waits, ", %s held for calls that are not settled", amount);
  }
  if (hit->asked > 0 && (money || hit->dimension == CK_DIMENSION_TOKENS)) {
    ck_limits_write_amount(amount, hit->dimension, hit->asked);
    snprintf(more, sizeof more, ", and the next call may %s %s", money ? "cost" : "take", amount);
  }
  snprintf(out, size, "%s%s%s: %s of %s spent%s%s", ck_dimension_name(hit->dimension),
           hit->agent ? " of agent " : "", hit->agent ? hit->agent : "", spent, limit, waits, more);
}

/* The least limit that lets the call begin; where it is not known what the call takes, twice the
 * old one. In our units. */
static int64_t lifting_limit(const ck_limit_hit *hit) {
  int64_t scale = dimensions[hit->dimension].scale,
          taken = ck_micros_add(hit->spent, hit->reserved);
  if (hit->asked > 0) return ck_micros_add(taken, hit->asked);
  if (hit->dimension == CK_DIMENSION_ROUNDS) return taken + 1;
  return ck_micros_add(taken, hit->limit > scale ? hit->limit : scale);
}

void ck_limits_write_remedy(char *out, size_t size, const ck_limit_hit *hit) {
  char key[CK_STATE_KEY_MAX], number[32];
  int64_t limit = lifting_limit(hit);
  ck_limits_key(key, hit->dimension, hit->agent);
  if (hit->dimension == CK_DIMENSION_BUDGET)
    ck_micros_write(number, limit);
  else
    snprintf(number, sizeof number, "%lld",
             (long long)((limit - 1) / dimensions[hit->dimension].scale + 1));
  snprintf(out, size, "--limit %s=%s", strchr(key, '.') + 1, number);
}

/* In the key of any other question its kind has that place. */
bool ck_limits_is_question(const char *key) {
  const char *end = strrchr(key, '/');
  static const char word[] = "/limit";
  return end && end - key >= (ptrdiff_t)sizeof word - 1 &&
         memcmp(end - (sizeof word - 1), word, sizeof word - 1) == 0;
}

ck_status ck_limits_check_answer(const char *text, ck_error *err) {
  double number;
  ck_error ignored = CK_ERROR_INIT;
  bool is_number = ck_json_check(ck_bytes_text(text), &ignored) == CK_OK &&
                   ck_json_read_double(&number, ck_bytes_text(text));
  if (strcmp(text, "stop") == 0 || (is_number && number >= 0)) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "the answer to a limit is a number (the new limit) or stop, not '%.64s'",
                      text);
}
