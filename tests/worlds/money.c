/* money.c - who pays for which call of a model, what each has paid, and how much of it a session
 * must know: at least what was answered and what was lost under way, at most what was begun. */
#include "tests/worlds/money.h"

#include <stdio.h>
#include <string.h>

#include "tests/worlds/cover.h"
#include "tests/worlds/world.h"

static const char *const names[WORLD_PAYERS] = {"the session", "a", "b", MONEY_HELPER};

/* By its key alone, so that a flow and those who count agree on it. */
bool money_helps(const char *key) {
  unsigned sum = 0;
  for (; *key; key++) sum += (unsigned char)*key;
  return sum % 3 == 0;
}

/* The session, the agent of the scope that a key begins with, and the one that helps there. */
static bool pays(int payer, const char *key) {
  if (payer == 0) return true;
  if (payer == WORLD_PAYERS - 1) return money_helps(key);
  return key[0] == names[payer][0] && key[1] == '@';
}

void money_add(world_model *self, const char *key, const world_purse *more) {
  for (int i = 0; i < WORLD_PAYERS; i++) {
    world_purse *purse = &self->purses[i];
    if (!pays(i, key)) continue;
    purse->paid += more->paid;
    purse->begun += more->begun;
    purse->told += more->told;
    purse->lost += more->lost;
  }
}

static int64_t least(const world_purse *purse) { return purse->paid + purse->lost * WORLD_RESERVE; }

static int64_t heard_of(const world_purse *purse) {
  return purse->paid + (purse->begun - purse->told) * WORLD_RESERVE;
}

/* A death may leave calls behind of which nobody outside has heard: one of each scope that pays. */
static int64_t most(const world_model *self, int payer) {
  const world_purse *purse = &self->purses[payer];
  int64_t scopes = payer == 0 || payer == WORLD_PAYERS - 1 ? 3 : 1;
  return heard_of(purse) + scopes * self->deaths * WORLD_RESERVE;
}

/* ---- limits ---- */

static int64_t *limit_of(world *self, int payer) {
  ck_error err = CK_ERROR_INIT;
  ck_profile_agent *agent = NULL;
  if (payer == 0) return &self->profile->budget_micros;
  tap_must(ck_profile_put_agent(&agent, self->profile, names[payer], &err) == CK_OK, "an agent");
  return &agent->budget_micros;
}

static bool is_limited(const world *self, int payer) {
  return payer ? self->agents_limited : self->limited;
}

void money_set_limits(world *self) {
  for (int i = 0; i < WORLD_PAYERS; i++) {
    self->budgets[i] = 2 * WORLD_RESERVE;
    if (is_limited(self, i)) *limit_of(self, i) = self->budgets[i];
  }
}

void money_raise_limits(world *self) {
  for (int i = 0; i < WORLD_PAYERS; i++) {
    int64_t enough = most(&self->model, i) + 2 * WORLD_RESERVE;
    if (!is_limited(self, i)) continue;
    if (enough > self->budgets[i]) self->budgets[i] = enough;
    *limit_of(self, i) = self->budgets[i];
  }
}

void money_check_limits(world *self, const world_process *process, const char *key) {
  for (int i = 0; i < WORLD_PAYERS; i++) {
    int64_t sum = least(&self->model.purses[i]) + WORLD_RESERVE;
    if (!is_limited(self, i) || !pays(i, key)) continue;
    for (size_t n = 0; n < process->running_count; n++) {
      const world_fact *fact = process->running[n].fact;
      sum += fact->kind == CK_EFFECT_MODEL && pays(i, fact->key) ? WORLD_RESERVE : 0;
    }
    if (i) cover("a call is within the limit of an agent");
    if (sum > self->budgets[i])
      model_fail(&self->model, "%s may come to %lld for %s, and %lld are the limit", key,
                 (long long)sum, names[i], (long long)self->budgets[i]);
  }
}

/* ---- what the session knows ---- */

static int64_t known_of(const ck_state *state, const char *agent) {
  const ck_value *spending = ck_state_get(state, "spending");
  int64_t cost = 0;
  if (!spending) return 0;
  ck_bytes agents = ck_json_get(ck_value_bytes(spending), "agents");
  ck_json_read_int(&cost, ck_json_get(ck_json_get(agents, agent), "cost"));
  return cost;
}

void money_check_end(world_model *self, const ck_head *head, const ck_state *state) {
  for (int i = 0; i < WORLD_PAYERS; i++) {
    const world_purse *purse = &self->purses[i];
    int64_t known = i                  ? known_of(state, names[i])
                    : head->has_latest ? head->latest.totals.cost_micros
                                       : 0;
    /* what was under way when it was cancelled nobody counts any more */
    int64_t at_least = self->cancelled ? 0 : least(purse);
    if (known < at_least || known > most(self, i))
      model_fail(self, "%lld are counted for %s; at least %lld were paid or lost, at most %lld",
                 (long long)known, names[i], (long long)at_least, (long long)most(self, i));
    if (purse->paid) cover("money of %s is counted", names[i]);
    if (purse->lost) cover("money of %s is counted, of lost calls", names[i]);
    if (i == 0 && known > heard_of(purse) + WORLD_RESERVE)
      cover("money of the session is counted, of calls that nobody has heard of");
  }
}
