/* overrides.h - the settings of one run: policies behind those of its profile, and options over all
 * others. */
#ifndef CK_LUA_PROFILE_OVERRIDES_H
#define CK_LUA_PROFILE_OVERRIDES_H

#include "core/model/profile.h"

/* Adds a policy behind the profile's, for one run; `name` is that of a shipped policy or a path.
 * CK_E_USAGE: the profile has one that calls itself the same; the answers of ck_policy_inspect. */
CK_CHECKED ck_status ck_profile_add_policy(ck_profile *self, const char *name, ck_error *err);

/* Sets option `key` for one run, in every policy that calls itself `policy`: in the profile's list,
 * those of its agents, and those added above. `text` is JSON or, where the policy declares a text,
 * or where it is no JSON, that text itself. CK_E_USAGE: no policy calls itself so, it has no such
 * option (both with the nearest known name), the option is declared with another type, or it is set
 * already. No error repeats `text`. */
CK_CHECKED ck_status ck_profile_set_option(ck_profile *self, const char *policy, const char *key,
                                           const char *text, ck_error *err);

/* For the record: {"policies"?: [name, …], "options"?: {policy: {key: value}}}; NULL in *out: the
 * run sets nothing of its own. */
CK_CHECKED ck_status ck_profile_describe_run(ck_value **out, const ck_profile *self, ck_error *err);

#endif
