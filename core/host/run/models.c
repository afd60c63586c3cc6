/* models.c - checks a flow's models against its profile, and opens their driver. */
#include "core/host/run/models.h"

#include "core/effect/model/model.h"
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

ck_status ck_models_open_driver(ck_effect_driver **out, const ck_driver_context *context,
                                ck_error *err) {
  ck_model_options options = {.loop = context->loop,
                              .profile = context->profile,
                              .read_secret = ck_secret_read,
                              .salt = ck_session_id(context->session)};
  return ck_model_driver_new(out, &options, err);
}
