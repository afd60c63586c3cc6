/* test_random_runs_limits.c - the random runs under a budget that a person raises whenever it is
 * met: it is never passed, whatever was lost, and the sessions end all the same. What calls may
 * still take is kept in sums: behind every turn they are what a recount finds. */
/* link: -Wl,--wrap=ck_execution_turn */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/unsettled.h"
#include "tests/runtime/random_runs/random_runs.h"
#include "tests/tap.h"

static int64_t compared, under_way, wrong;

static bool pays(const ck_call *call, const char *agent) {
  if (!agent) return true;
  for (const char *const *payer = call->effect.payers; payer && *payer; payer++)
    if (strcmp(*payer, agent) == 0) return true;
  return false;
}

/* From the calls' own fields, and the ledger's entries. */
static int64_t recount(const ck_execution *self, ck_dimension dimension, const char *agent) {
  int64_t sum =
      dimension == CK_DIMENSION_BUDGET ? ck_reserves_recount_unsettled(&self->reserves, agent) : 0;
  for (const ck_runner *runner = self->runners.first; runner; runner = runner->place.next)
    for (size_t i = 0; i < runner->call_count; i++) {
      const ck_call *call = runner->calls[i];
      if ((call->phase != CK_CALL_INTENT && call->phase != CK_CALL_DRIVER && !call->left_open) ||
          !pays(call, agent))
        continue;
      under_way++;
      if (dimension == CK_DIMENSION_TOOL_CALLS) sum += ck_effect_is_tool_call(&call->effect);
      if (dimension == CK_DIMENSION_MODEL_CALLS) sum += call->effect.kind == CK_EFFECT_MODEL;
      if (dimension == CK_DIMENSION_BUDGET && call->effect.reserve_micros > 0)
        sum += call->effect.reserve_micros;
    }
  return sum;
}

static void compare(const ck_execution *self, const char *agent) {
  static const ck_dimension dimensions[] = {CK_DIMENSION_BUDGET, CK_DIMENSION_TOOL_CALLS,
                                            CK_DIMENSION_MODEL_CALLS};
  for (int d = 0; d < 3; d++) {
    compared++;
    wrong += ck_reserves_get(self, dimensions[d], agent) != recount(self, dimensions[d], agent);
  }
}

ck_status __real_ck_execution_turn(ck_execution_result *result, ck_execution *self, ck_error *err);
ck_status __wrap_ck_execution_turn(ck_execution_result *result, ck_execution *self, ck_error *err);
ck_status __wrap_ck_execution_turn(ck_execution_result *result, ck_execution *self, ck_error *err) {
  ck_status status = __real_ck_execution_turn(result, self, err);
  const ck_map *agents = &self->reserves.by_agent;
  compare(self, NULL);
  for (size_t i = 0; i < agents->cap; i++)
    if (agents->slots[i].key) compare(self, agents->slots[i].key);
  return status;
}

int main(int argc, char **argv) {
  static const random_runs_mode modes[] = {
      {.name = "limits", .strict = true, .limited = true, .same = true},
      {.name = "limits and steps back",
       .strict = true,
       .rewinds = true,
       .limited = true,
       .same = true},
      {.name = "limits, failures, steps back",
       .fails = true,
       .rewinds = true,
       .limited = true,
       .diverges = true},
  };
  random_runs_test_modes(modes, sizeof modes / sizeof *modes, argc, argv);
  tap_is_int(wrong, 0, "%lld sums are what a recount finds", (long long)compared);
  tap_ok(under_way > 1000, "of %lld calls under way", (long long)under_way);
  return tap_done();
}
