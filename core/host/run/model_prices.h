/* model_prices.h - what the models of a profile cost, and who says so. */
#ifndef CK_HOST_RUN_MODEL_PRICES_H
#define CK_HOST_RUN_MODEL_PRICES_H

#include "core/model/profile.h"

/* Adds to the settings of ck_profile_describe the prices that ship: a row for each that the profile
 * does not say, from "default", with date and source as its origin. Replaces `*rows`. */
CK_CHECKED ck_status ck_model_prices_describe(ck_value **rows, const ck_profile *profile,
                                              ck_error *err);

/* A note for each model, each with a NUL behind it: where its price comes from, or that it has
 * none. */
void ck_model_prices_note(ck_buffer *to, const ck_profile *profile);

#endif
