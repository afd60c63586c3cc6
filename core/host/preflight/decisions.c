/* decisions.c - how many checkpoint decisions of the session so far would be others under the
 * policies as they are now. */
#include "core/host/preflight/preflight.h"

#include "core/host/session/next_command.h"
#include "core/runtime/simulation/simulate.h"
#include "lua/policy/policy.h"

static ck_status count(ck_preflight *self, const ck_recording *recording,
                       const ck_policy_engine *policies, ck_error *err) {
  ck_simulation simulation;
  ck_status status = ck_simulate(&simulation, recording, policies, CK_SIMULATE_AS_RECORDED, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < simulation.decision_count; i++) {
    const ck_simulated_decision *decision = &simulation.decisions[i];
    self->decisions.other += decision->taken != recording->boundaries[decision->boundary].taken;
  }
  self->decisions.all = (int64_t)simulation.decision_count;
  ck_simulation_clear(&simulation);
  return CK_OK;
}

/* Those of the resume itself are not asked: a policy can remember what it was asked. */
ck_status ck_preflight_compare_decisions(ck_preflight *self, const ck_engine *engine,
                                         ck_error *err) {
  ck_policy_engine fresh;
  ck_recording *recording = NULL;
  if (!self->decisions.changed || !self->options.dry_run || !engine->profile ||
      !self->launch.profile)
    return CK_OK;
  ck_status status = ck_policy_engine_open(&fresh, engine->profile, err);
  if (status != CK_OK) return status;
  status = ck_recording_read(&recording, engine->runtime->store, self->head.session.id, err);
  if (status == CK_OK) status = count(self, recording, &fresh, err);
  self->decisions.known = status == CK_OK;
  ck_recording_free(recording);
  fresh.free(fresh.self);
  return status;
}

void ck_preflight_append_decisions(ck_buffer *out, const ck_preflight *self) {
  ck_buffer_append_format(out, "ckrun policy explain %s", self->head.session.id);
  ck_next_command_append_option(out, "--rerun", self->launch.profile);
}
