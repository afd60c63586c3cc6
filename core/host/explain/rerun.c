/* rerun.c - another policy, or those of a profile, are asked about the recorded boundaries of a
 * session. */
#include "core/host/explain/rerun.h"

#include "core/host/inspect/asked_hooks.h"
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"

void ck_rerun_clear(ck_rerun *self) {
  ck_simulation_clear(&self->simulation);
  ck_recording_free(self->recording);
  *self = (ck_rerun){0};
}

/* What is no policy can be a profile; what is neither is told as a policy that it is not. */
static ck_status open_policies(ck_policy_engine *out, ck_shown_as *as, const char *name,
                               ck_error *err) {
  ck_profile_policy one = {.name = (char *)name};
  ck_profile alone = {.policies = &one, .policy_count = 1}, *profile;
  ck_error ignored = CK_ERROR_INIT;
  *as = ck_shown_as_recorded();
  ck_status status = ck_policy_engine_open(out, &alone, err);
  if (status == CK_OK || status == CK_E_NO_MEMORY) return status;
  if (ck_profile_load(&profile, name, &ignored) != CK_OK) return status;
  status = ck_policy_engine_open(out, profile, err);
  *as = ck_shown_as_profile(profile);
  ck_profile_free(profile);
  return status;
}

/* Of migrate no session tells. */
static ck_status check_hooks(const ck_policy_engine *engine, const char *name, ck_error *err) {
  ck_buffer hooks = {0};
  if (engine->checkpoint || engine->prune || engine->redact || engine->resume || engine->tail ||
      engine->on_failure || engine->in_doubt || engine->permit)
    return CK_OK;
  ck_asked_hooks_append(&hooks, engine);
  ck_status status =
      ck_error_set(err, CK_E_USAGE, "--rerun %s: it has no hook that a session asks; %s", name,
                   hooks.data ? hooks.data : "");
  ck_buffer_clear(&hooks);
  return status;
}

static ck_status simulate(ck_rerun *out, const ck_inspection *of, const ck_policy_engine *engine,
                          const ck_shown_as *as, ck_error *err) {
  ck_status status = ck_recording_read(&out->recording, of->store, of->head.session.id, err);
  if (status == CK_OK) status = ck_recording_read_texts(out->recording, of->store, as, err);
  return status == CK_OK ? ck_simulate(&out->simulation, out->recording, engine, as, NULL, err)
                         : status;
}

ck_status ck_rerun_ask(ck_rerun *out, const ck_inspection *of, const char *policy, ck_error *err) {
  ck_policy_engine engine;
  ck_shown_as as;
  *out = (ck_rerun){.policy = policy};
  ck_status status = open_policies(&engine, &as, policy, err);
  if (status != CK_OK) return status;
  status = check_hooks(&engine, policy, err);
  if (status == CK_OK && engine.checkpoint) status = simulate(out, of, &engine, &as, err);
  engine.free(engine.self);
  if (status != CK_OK) ck_rerun_clear(out);
  return status;
}

static int64_t seq_of(const ck_rerun *self, size_t at) {
  return self->recording->boundaries[self->simulation.decisions[at].boundary].at.seq;
}

const ck_simulated_decision *ck_rerun_at(const ck_rerun *self, int64_t seq) {
  size_t low = 0, high = self->recording ? self->simulation.decision_count : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (seq_of(self, middle) < seq)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = self->recording && low < self->simulation.decision_count && seq_of(self, low) == seq;
  return found ? &self->simulation.decisions[low] : NULL;
}

bool ck_rerun_differs(const ck_rerun *self, const ck_simulated_decision *decision) {
  return decision && decision->taken != self->recording->boundaries[decision->boundary].taken;
}
