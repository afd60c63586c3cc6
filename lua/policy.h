/* policy.h - the policy engine: a profile's list of Lua policies behind the hooks of runtime/policy.h.
 *
 * Each policy has a state of its own, so that none can disturb another. Composition over the list is that of each hook:
 * checkpoint: any yes wins, all reasons are kept; resume: later rules override, any refusal wins; tail: all must agree;
 * on_failure, in_doubt: the first answer. A hook that fails or overruns gives the fail-closed answer, and its error
 * (`policy "name", hook: file:line: message`) is the status of the call; the other policies are asked all the same. */
#ifndef CK_LUA_POLICY_H
#define CK_LUA_POLICY_H

#include "core/model/profile.h"
#include "core/runtime/policy.h"

/* X(name, carried out by this version). A policy that defines one that is not is refused: silence would be a lie. */
#define CK_POLICY_HOOK_TABLE(X) \
  X(checkpoint, true)           \
  X(prune, false)               \
  X(redact, false)              \
  X(resume, true)               \
  X(tail, true)                 \
  X(on_failure, true)           \
  X(in_doubt, true)             \
  X(migrate, false)

/* Loads every policy of the profile, which is needed only during the call. Hooks that no policy defines are NULL in *out;
 * end with out->free(out->self). CK_E_NOT_FOUND, CK_E_PARSE (file:line: message; unknown keys and options with the
 * nearest known name), CK_E_UNSUPPORTED, and the answers of ck_vm_read_file. */
CK_CHECKED ck_status ck_policy_engine_open(ck_policy_engine *out, const ck_profile *profile, ck_error *err);
/* What is recorded of an engine made above: a JSON array of {name, version, digest (of the text, hex)}, in order. */
CK_CHECKED ck_status ck_policy_describe(ck_value **out, const ck_policy_engine *engine, ck_error *err);

#endif
