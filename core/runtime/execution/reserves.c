/* reserves.c - keeps the sums of what calls may still take. */
#include "core/runtime/execution/reserves.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_private.h"

/* So many micro-dollars more than 16 million times still make a sum. */
#define HUGE_MICROS (INT64_MAX >> 24)

void ck_reserves_clear(ck_reserves *self) {
  for (size_t i = 0; i < self->by_agent.cap; i++) {
    ck_reserve_sum *sum = self->by_agent.slots[i].key ? self->by_agent.slots[i].value : NULL;
    if (sum) free(sum->agent);
    free(sum);
  }
  ck_map_clear(&self->by_agent);
  ck_map_clear(&self->unsettled);
}

static ck_status add_sum(ck_reserve_sum **out, ck_reserves *self, const char *agent,
                         ck_error *err) {
  ck_reserve_sum *made = calloc(1, sizeof *made);
  if (made) made->agent = strdup(agent);
  ck_status status = made && made->agent ? ck_map_add(&self->by_agent, made->agent, made, err)
                                         : ck_error_no_memory(err);
  *out = made;
  if (status == CK_OK) return CK_OK;
  if (made) free(made->agent);
  free(made);
  *out = NULL;
  return status;
}

static ck_status find_sum(ck_reserve_sum **out, ck_reserves *self, const char *agent,
                          ck_error *err) {
  *out = ck_map_get(&self->by_agent, agent);
  return *out ? CK_OK : add_sum(out, self, agent, err);
}

/* `sign` 1 or -1. Huge amounts are in no sum. */
static void shift(ck_reserve_sum *sum, const ck_reserve_sum *by, int sign) {
  if (by->micros <= HUGE_MICROS) sum->micros += sign * by->micros;
  if (by->micros <= HUGE_MICROS) sum->passing_micros += sign * by->passing_micros;
  sum->tokens += sign * by->tokens;
  sum->passing_tokens += sign * by->passing_tokens;
  sum->tools += sign * by->tools;
  sum->models += sign * by->models;
}

/* A name can be there twice: each agent pays once. */
static bool is_earlier(const char *const *payers, const char *const *at) {
  for (; payers < at; payers++)
    if (strcmp(*payers, *at) == 0) return true;
  return false;
}

/* With sign 1 the sums of `payers` are there. */
static void shift_all(ck_reserves *self, const char *const *payers, const ck_reserve_sum *by,
                      int sign) {
  shift(&self->all, by, sign);
  if (by->micros > HUGE_MICROS) self->huge = sign > 0 ? self->huge + 1 : self->huge - 1;
  for (const char *const *payer = payers; payer && *payer; payer++) {
    ck_reserve_sum *sum = ck_map_get(&self->by_agent, *payer);
    if (sum && !is_earlier(payers, payer)) shift(sum, by, sign);
  }
}

static ck_status make_sums(ck_reserves *self, const char *const *payers, ck_error *err) {
  ck_status status = CK_OK;
  ck_reserve_sum *sum;
  for (; payers && *payers && status == CK_OK; payers++)
    status = find_sum(&sum, self, *payers, err);
  return status;
}

/* ---- calls ---- */

static bool is_under_way(const ck_call *call) {
  return !call->settled && (call->phase == CK_CALL_INTENT || call->phase == CK_CALL_DRIVER);
}

static int64_t or_none(int64_t amount) { return amount > 0 ? amount : 0; }

void ck_reserves_withdraw(ck_call *call) {
  if (!call->counted) return;
  shift_all(&call->runner->execution->reserves, call->effect.payers, &call->counts, -1);
  call->counted = false;
}

ck_status ck_reserves_follow(ck_call *call, ck_error *err) {
  ck_reserves *self = &call->runner->execution->reserves;
  const ck_effect *effect = &call->effect;
  ck_reserves_withdraw(call);
  if (!is_under_way(call) && !call->left_open) return CK_OK;
  ck_status status = make_sums(self, effect->payers, err);
  if (status != CK_OK) return status;
  call->counts = (ck_reserve_sum){.micros = or_none(effect->reserve_micros),
                                  .tokens = or_none(effect->reserve_tokens),
                                  .tools = ck_effect_is_tool_call(effect),
                                  .models = effect->kind == CK_EFFECT_MODEL};
  if (is_under_way(call)) {
    call->counts.passing_micros = call->counts.micros;
    call->counts.passing_tokens = call->counts.tokens;
  }
  call->counted = true;
  shift_all(self, effect->payers, &call->counts, 1);
  return CK_OK;
}

/* ---- unsettled ones ---- */

/* The agent that asked, and those that its intent names. */
typedef struct payers {
  char **names;
} payers;

static void clear_payers(payers *self) {
  for (size_t i = 0; self->names && self->names[i]; i++) free(self->names[i]);
  free(self->names);
}

static ck_status read_payers(payers *out, const ck_ledger_entry *entry, ck_error *err) {
  ck_bytes list = ck_json_get(ck_value_bytes(entry->intent), "for");
  size_t count = 0;
  bool complete = true;
  out->names = calloc(ck_json_count(list) + 2, sizeof *out->names);
  if (!out->names) return ck_error_no_memory(err);
  if (entry->agent) complete = (out->names[count++] = strdup(entry->agent)) != NULL;
  for (ck_json_iterator it = ck_json_iterate(list); complete && ck_json_next(&it);)
    complete = (out->names[count++] = ck_json_dup_string(it.value)) != NULL;
  return complete ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_reserves_keep(ck_reserves *self, const ck_ledger_entry *entry, int64_t micros,
                           ck_error *err) {
  payers who = {0};
  const ck_reserve_sum by = {.micros = micros};
  ck_status status = read_payers(&who, entry, err);
  if (status == CK_OK) status = make_sums(self, (const char *const *)who.names, err);
  if (status == CK_OK)
    status = ck_map_add(&self->unsettled, (char *)entry->key, (void *)entry, err);
  if (status == CK_OK) shift_all(self, (const char *const *)who.names, &by, 1);
  clear_payers(&who);
  return status;
}

/* Without memory for the names it counts on for agents: a limit is never passed for that. */
void ck_reserves_release(ck_reserves *self, const ck_ledger_entry *entry, int64_t micros) {
  payers who = {0};
  const ck_reserve_sum by = {.micros = micros};
  ck_error ignored = CK_ERROR_INIT;
  bool complete = read_payers(&who, entry, &ignored) == CK_OK;
  ck_map_remove(&self->unsettled, entry->key);
  shift_all(self, complete ? (const char *const *)who.names : NULL, &by, -1);
  clear_payers(&who);
}

static bool is_paid_by(const ck_ledger_entry *entry, const char *agent) {
  ck_json_iterator it = ck_json_iterate(ck_json_get(ck_value_bytes(entry->intent), "for"));
  if (!agent || (entry->agent && strcmp(entry->agent, agent) == 0)) return true;
  while (ck_json_next(&it))
    if (ck_json_is_text(it.value, agent)) return true;
  return false;
}

int64_t ck_reserves_recount_unsettled(const ck_reserves *self, const char *agent) {
  const ck_map *unsettled = &self->unsettled;
  int64_t sum = 0;
  for (size_t i = 0; i < unsettled->cap; i++) {
    const ck_ledger_entry *entry = unsettled->slots[i].key ? unsettled->slots[i].value : NULL;
    if (entry && is_paid_by(entry, agent))
      sum = ck_micros_add(sum, ck_ledger_read_reserve(ck_value_bytes(entry->intent)));
  }
  return sum;
}

/* ---- the sums ---- */

static const ck_reserve_sum *sum_of(const ck_reserves *self, const char *agent) {
  static const ck_reserve_sum none = {0};
  const ck_reserve_sum *sum = agent ? ck_map_get(&self->by_agent, agent) : &self->all;
  return sum ? sum : &none;
}

int64_t ck_reserves_get(const ck_execution *self, ck_dimension dimension, const char *agent) {
  const ck_reserve_sum *sum = sum_of(&self->reserves, agent);
  if (self->reserves.huge || dimension == CK_DIMENSION_ROUNDS)
    return ck_reserves_recount(self, dimension, agent);
  return dimension == CK_DIMENSION_BUDGET        ? sum->micros
         : dimension == CK_DIMENSION_TOKENS      ? sum->tokens
         : dimension == CK_DIMENSION_TOOL_CALLS  ? sum->tools
         : dimension == CK_DIMENSION_MODEL_CALLS ? sum->models
                                                 : 0;
}

/* A huge amount is in no sum: nobody waits for it. */
int64_t ck_reserves_get_passing(const ck_execution *self, ck_dimension dimension,
                                const char *agent) {
  const ck_reserve_sum *sum = sum_of(&self->reserves, agent);
  return dimension == CK_DIMENSION_BUDGET   ? sum->passing_micros
         : dimension == CK_DIMENSION_TOKENS ? sum->passing_tokens
                                            : 0;
}

static bool pays(const ck_call *call, const char *agent) {
  if (!agent) return true;
  for (const char *const *payer = call->effect.payers; payer && *payer; payer++)
    if (strcmp(*payer, agent) == 0) return true;
  return false;
}

int64_t ck_reserves_recount(const ck_execution *self, ck_dimension dimension, const char *agent) {
  int64_t sum =
      dimension == CK_DIMENSION_BUDGET ? ck_reserves_recount_unsettled(&self->reserves, agent) : 0;
  for (const ck_runner *runner = self->runners.first; runner; runner = runner->place.next)
    for (size_t i = 0; i < runner->call_count; i++) {
      const ck_call *call = runner->calls[i];
      if (!call->counted || !pays(call, agent)) continue;
      if (dimension == CK_DIMENSION_BUDGET) sum = ck_micros_add(sum, call->counts.micros);
      if (dimension == CK_DIMENSION_TOKENS) sum = ck_micros_add(sum, call->counts.tokens);
      sum += dimension == CK_DIMENSION_TOOL_CALLS && ck_effect_is_tool_call(&call->effect);
      sum += dimension == CK_DIMENSION_MODEL_CALLS && call->effect.kind == CK_EFFECT_MODEL;
      sum += dimension == CK_DIMENSION_ROUNDS && ck_effect_is_turn_of(&call->effect, agent);
    }
  return sum;
}
