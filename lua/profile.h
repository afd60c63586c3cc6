/* profile.h - loads a profile: a Lua file that returns a table of settings, after inheritance a plain ck_profile.
 *
 *   return {
 *     name = "mine", extends = "default",
 *     constraints = { budget_usd = 5.00, time_s = 3600, rounds = 40, tokens = …, tool_calls = …, model_calls = …,
 *                     transcript_replay_depth = 50, on_limit = "pause" },   -- false: no limit
 *     policies = { "tool_rounds", { "./mine.lua", option = 1 } },
 *   }
 *
 * What a profile leaves out comes from the one it extends; a list of policies replaces the inherited one. Paths in it are
 * relative to its file. Unknown keys are errors that name the nearest known one. */
#ifndef CK_LUA_PROFILE_H
#define CK_LUA_PROFILE_H

#include "core/model/profile.h"

/* `name` is that of a shipped profile or a path. CK_E_NOT_FOUND, CK_E_PARSE (file:line: message), CK_E_UNSUPPORTED (a key
 * that this version does not carry), and the answers of ck_vm_read_file. */
CK_CHECKED ck_status ck_profile_load(ck_profile **out, const char *name, ck_error *err);

#endif
