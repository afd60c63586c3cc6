/* models.c - checks a flow's models against its profile, and opens their driver. */
#include "core/host/run/models.h"

#include <string.h>

#include "core/effect/model/model.h"
#include "core/effect/model/price.h"
#include "core/runtime/budget/usage.h"
#include "core/runtime/session/secret.h"

void ck_models_check(const ck_flow_manifest *manifest, const ck_profile *profile,
                     void (*problem)(void *to, const ck_error *problem), void *to) {
  for (const char *const *name = manifest->models; name && *name; name++) {
    if (ck_profile_get_model(profile, *name)) continue;
    ck_error missing = CK_ERROR_INIT;
    ck_error_set(&missing, CK_E_USAGE,
                 "flow %s asks model \"%s\", which profile %s does not have: add models = { "
                 "[\"%s\"] = { api = …, model = …, key = … } } to a profile, or give a recording "
                 "with --cassette FILE",
                 manifest->name, *name, profile->name, *name);
    problem(to, &missing);
  }
}

/* ---- under a budget ---- */

static bool sets_budget(const ck_state_edit *edit) {
  const char *last = strrchr(edit->key, '.');
  return ck_limits_is_key(edit->key) && strcmp(last, ".budget_usd") == 0;
}

static bool has_budget(const ck_profile *profile, const ck_state_edits *edits) {
  bool found = profile->budget_micros >= 0;
  for (size_t i = 0; i < profile->agent_count; i++) found |= profile->agents[i].budget_micros >= 0;
  for (size_t i = 0; edits && i < edits->count; i++) found |= sets_budget(&edits->items[i]);
  return found;
}

static bool has_price(const ck_profile_model *model) {
  int64_t ignored;
  ck_model_price price = ck_price_find(&ignored, model->model, &model->price);
  return model->unmetered == 1 || ck_price_is_known(&price);
}

static void check_price(const ck_profile *profile, const ck_profile_model *model,
                        void (*problem)(void *to, const ck_error *problem), void *to) {
  ck_error missing = CK_ERROR_INIT;
  if (!model || has_price(model)) return;
  ck_error_set(&missing, CK_E_REFUSED,
               "model \"%s\" (%s) has no price, and budget_usd limits what it may cost: add to "
               "models[\"%s\"] of profile %s price = { input = …, output = … } in dollars for a "
               "million tokens, or unmetered = true",
               model->name, model->model, model->name, profile->name);
  problem(to, &missing);
}

void ck_models_check_prices(const ck_flow_manifest *manifest, const ck_profile *profile,
                            const ck_state_edits *edits, bool recorded,
                            void (*problem)(void *to, const ck_error *problem), void *to) {
  if (!has_budget(profile, edits)) return;
  for (const char *const *name = manifest->models; name && *name && !recorded; name++) {
    const ck_profile_model *model = ck_profile_get_model(profile, *name);
    check_price(profile, model, problem, to);
    for (size_t i = 0; model && i < model->fallback_count; i++)
      check_price(profile, ck_profile_get_model(profile, model->fallbacks[i].model), problem, to);
  }
  for (size_t i = 0; i < manifest->process_count; i++) {
    const ck_flow_process *process = &manifest->processes[i];
    const ck_profile_agent *agent = ck_profile_get_agent(profile, process->name);
    ck_error missing = CK_ERROR_INIT;
    if (process->protocol != CK_FLOW_ACP || (agent && agent->unmetered)) continue;
    ck_error_set(&missing, CK_E_REFUSED,
                 "what agent \"%s\" will cost is not known, and budget_usd limits it: add agents = "
                 "{ [\"%s\"] = { unmetered = true } } to profile %s",
                 process->name, process->name, profile->name);
    problem(to, &missing);
  }
}

ck_status ck_models_open_driver(ck_effect_driver **out, const ck_driver_context *context,
                                ck_error *err) {
  ck_model_options options = {.loop = context->loop,
                              .profile = context->profile,
                              .read_secret = ck_secret_read,
                              .media = context->media,
                              .salt = ck_session_id(context->session)};
  return ck_model_driver_new(out, &options, err);
}
