/* asked_hooks.h - whether policies have the hooks that a command asks. */
#ifndef CK_HOST_INSPECT_ASKED_HOOKS_H
#define CK_HOST_INSPECT_ASKED_HOOKS_H

#include "core/base/buffer.h"
#include "core/model/profile.h"
#include "core/runtime/session/policy.h"

/* Appends "its hooks: permit, resume", or that there are none. */
void ck_asked_hooks_append(ck_buffer *out, const ck_policy_engine *engine);
/* CK_E_USAGE: the policy has not the hook that a simulation asks; `hook` NULL or "checkpoint":
 * neither checkpoint nor prune. `given` names the policy. */
CK_CHECKED ck_status ck_asked_hooks_check(const ck_profile *policy, const char *given,
                                          const char *hook, ck_error *err);

#endif
