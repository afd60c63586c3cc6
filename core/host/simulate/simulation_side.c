/* simulation_side.c - loads the profiles and policies of a simulation, and tells their names
 * apart. */
#include "core/host/simulate/simulation_side.h"

#include <stdio.h>
#include <string.h>

#include "core/host/inspect/asked_hooks.h"
#include "lua/profile/profile.h"

static void name_side(ck_simulation_side *made, size_t before) {
  size_t same = 1;
  for (const ck_simulation_side *other = made - before; other < made; other++)
    same += strcmp(other->profile->name, made->profile->name) == 0;
  if (same == 1)
    snprintf(made->name, sizeof made->name, "%s", made->profile->name);
  else
    snprintf(made->name, sizeof made->name, "%s (%zu)", made->profile->name, same);
}

ck_status ck_simulation_side_load_profile(ck_simulation_side *side, size_t before,
                                          const char *given, ck_error *err) {
  side->given = given;
  ck_status status = ck_profile_load(&side->profile, given, err);
  if (status == CK_OK) name_side(side, before);
  return status;
}

ck_status ck_simulation_side_load_policy(ck_simulation_side *side, size_t before, const char *given,
                                         const char *hook, ck_error *err) {
  side->given = given;
  ck_status status = ck_profile_new(&side->profile, given, err);
  if (status == CK_OK) status = ck_profile_append_policy(side->profile, given, NULL, err);
  if (status != CK_OK) return status;
  side->profile->budget_micros = CK_SIMULATE_AS_RECORDED;
  name_side(side, before);
  return ck_asked_hooks_check(side->profile, given, hook, err);
}

int64_t ck_simulation_side_failures(const ck_simulation_side *side, const char **first) {
  *first = side->sum.failures     ? side->sum.failure.text
           : side->masks.failures ? side->masks.failure.text
                                  : side->rerun.failure.text;
  return side->sum.failures + side->masks.failures + side->rerun.failures;
}

void ck_simulation_side_clear(ck_simulation_side *self) {
  ck_profile_free(self->profile);
  ck_simulation_sum_clear(&self->sum);
  ck_simulated_masks_clear(&self->masks);
  ck_rerun_sum_clear(&self->rerun);
  *self = (ck_simulation_side){0};
}
