/* policy.h - the policy engine: a profile's list of Lua policies behind the hooks of
 * core/runtime/session/policy.h.
 *
 * Each policy has a Lua state of its own, so that none can disturb another. hooks.h lists the
 * hooks, how the answers of a list become one, and the answer of a hook that fails. Which
 * checkpoints must stay whatever `prune` answers is the caller's to know.
 *
 * An agent's own policies replace those of the same name in the profile's list, and add to it, for
 * what the agent does: checkpoint, tail, on_failure, in_doubt. Those that redact are asked of all
 * that is written, whoever acts. A hook that fails or overruns gives the fail-closed answer, and
 * its error (`policy "name", hook: file:line: message`) is the status of the call. */
#ifndef CK_LUA_POLICY_POLICY_H
#define CK_LUA_POLICY_POLICY_H

#include "core/model/profile.h"

typedef struct ck_policy_engine ck_policy_engine;

/* ck_policy_engine_open, for programs that hold it by its address; ck_policy_engine_free frees it,
 * behind the last session that it judges. */
CK_CHECKED ck_status ck_policy_engine_new(ck_policy_engine **out, const ck_profile *profile,
                                          ck_error *err);
void ck_policy_engine_free(ck_policy_engine *self);

/* ---- within ckrun ---- */

#include "core/model/script.h"
#include "core/runtime/session/policy.h"

/* Loads every policy of the profile, which is needed only during the call. Hooks that no policy
 * defines are NULL in *out; end with out->free(out->self). CK_E_NOT_FOUND, CK_E_PARSE (file:line:
 * message; unknown keys and options with the nearest known name), and the answers of
 * ck_vm_read_file. */
CK_CHECKED ck_status ck_policy_engine_open(ck_policy_engine *out, const ck_profile *profile,
                                           ck_error *err);
/* What is recorded of an engine made above: a JSON array of {name, version, digest (of the text,
 * hex), options_digest (of the options that the profile sets; null: none), options, set?, file? (of
 * one that is not shipped), agent?, run?, guards?, redacts?}, in order. `options` are those in
 * force, `set` those of them that the profile sets. `run` is true of a policy that belongs to one
 * run, `guards` of one that masks, refuses or permits, and `redacts` of it says whether it masks;
 * `of_run` false leaves out the former, and of the options all but what the profile sets. Not
 * redacted. */
CK_CHECKED ck_status ck_policy_describe(ck_value **out, const ck_policy_engine *engine, bool of_run,
                                        ck_error *err);
/* Whether a policy that is not shipped redacts: nobody else knows what. The shipped ones mask keys
 * of the state. */
bool ck_policy_masks_content(const ck_policy_engine *engine);
/* A policy's file, as a JSON object {name, version, file, digest, hooks:
 * [{name, line}], options, ranges?}; `options` (a JSON object; NULL: none) override its defaults as
 * a profile would. `name` is that of a shipped policy or a path; `scripts` as in
 * ck_source_read_for. */
CK_CHECKED ck_status ck_policy_inspect(ck_value **out, const char *name, const ck_value *options,
                                       ck_scripts *scripts, ck_error *err);

#endif
