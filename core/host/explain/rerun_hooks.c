/* rerun_hooks.c - counts the answers of each hook that would be others. */
#include "core/host/explain/rerun_hooks.h"

#include "core/host/session/next_command.h"
#include "core/host/simulate/rerun_sum.h"
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"

/* A profile of its own with that policy; what is no policy is a profile. */
static ck_status load(ck_profile **out, bool *alone, const char *name, ck_error *err) {
  ck_policy_engine engine;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_profile_new(out, name, err);
  if (status == CK_OK) status = ck_profile_append_policy(*out, name, NULL, err);
  *alone = status == CK_OK && ck_policy_engine_open(&engine, *out, &ignored) == CK_OK;
  if (*alone) {
    engine.free(engine.self);
    (*out)->budget_micros = CK_SIMULATE_AS_RECORDED;
  }
  if (*alone || status == CK_E_NO_MEMORY) return status;
  ck_profile_free(*out);
  *out = NULL;
  return ck_profile_load(out, name, err);
}

static ck_status has_hook(bool *out, const ck_profile *profile, ck_rerun_hook hook, ck_error *err) {
  ck_policy_engine engine;
  ck_status status = ck_policy_engine_open(&engine, profile, err);
  if (status != CK_OK) return status;
  const bool has[CK_RERUN_HOOK_COUNT] = {[CK_RERUN_RESUME] = engine.resume,
                                         [CK_RERUN_TAIL] = engine.tail,
                                         [CK_RERUN_IN_DOUBT] = engine.in_doubt,
                                         [CK_RERUN_PERMIT] = engine.permit,
                                         [CK_RERUN_ON_FAILURE] = engine.on_failure};
  *out = has[hook];
  engine.free(engine.self);
  return CK_OK;
}

static void tell(ck_output *output, const char *session, ck_rerun_hook hook, const char *option,
                 const char *policy, const ck_rerun_sum *sum) {
  ck_buffer command = {0};
  ck_buffer_append_format(&command, "ckrun policy simulate %s --hook %s --list", session,
                          ck_rerun_hook_name(hook));
  ck_next_command_append_option(&command, option, policy);
  ck_output_notice(output, "%s: %lld of %lld answers would be others: %s", ck_rerun_hook_name(hook),
                   (long long)sum->otherwise, (long long)sum->asked,
                   command.data ? command.data : "");
  ck_buffer_clear(&command);
}

static ck_status tell_hook(ck_output *output, const ck_inspection *of, const char *policy,
                           const ck_profile *profile, bool alone, ck_rerun_hook hook,
                           ck_error *err) {
  bool has = true;
  ck_hook_rerun made;
  ck_rerun_sum sum = {0};
  const char *session = of->head.session.id;
  ck_status status = alone ? has_hook(&has, profile, hook, err) : CK_OK;
  if (status != CK_OK || !has) return status;
  status = ck_rerun_profile(&made, of->store, session, hook, profile, err);
  if (status != CK_OK) return status;
  status = ck_rerun_sum_add(&sum, &made, err);
  if (status == CK_OK && sum.otherwise)
    tell(output, session, hook, alone ? "--policy" : "--profile", policy, &sum);
  ck_rerun_sum_clear(&sum);
  ck_hook_rerun_clear(&made);
  return status;
}

ck_status ck_rerun_hooks_tell(ck_output *output, const ck_inspection *of, const char *policy,
                              size_t asked, size_t differing, ck_error *err) {
  ck_profile *profile = NULL;
  bool alone;
  ck_output_notice(output, "%zu of %zu boundaries would be decided otherwise by %s", differing,
                   asked, policy);
  ck_status status = load(&profile, &alone, policy, err);
  for (int i = 0; status == CK_OK && i < CK_RERUN_HOOK_COUNT; i++)
    status = tell_hook(output, of, policy, profile, alone, (ck_rerun_hook)i, err);
  ck_profile_free(profile);
  return status;
}
