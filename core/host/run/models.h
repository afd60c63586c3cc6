/* models.h - the models that a flow requests and its profile provides. */
#ifndef CK_HOST_RUN_MODELS_H
#define CK_HOST_RUN_MODELS_H

#include "core/model/driver.h"
#include "core/host/run/driver_context.h"
#include "core/runtime/session/opening/edit.h"

/* Calls `problem` for each model that the flow names and the profile lacks. */
void ck_models_check(const ck_flow_manifest *manifest, const ck_profile *profile,
                     void (*problem)(void *to, const ck_error *problem), void *to);

/* Under a budget, also one that `edits` (NULL: none) set: calls it for each model without a price
 * and each agent process that the profile does not call unmetered. `recorded`: a recording answers
 * in the place of the models. */
void ck_models_check_prices(const ck_flow_manifest *manifest, const ck_profile *profile,
                            const ck_state_edits *edits, bool recorded,
                            void (*problem)(void *to, const ck_error *problem), void *to);

/* The driver of model calls. */
CK_CHECKED ck_status ck_models_open_driver(ck_effect_driver **out, const ck_driver_context *context,
                                           ck_error *err);

#endif
