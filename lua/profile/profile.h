/* profile.h - loads a profile: a Lua file that returns a table of settings, after inheritance a
 * plain ck_profile.
 *
 *   return {
 *     name = "mine", extends = "default",
 *     constraints = {                     -- false: no limit
 *       budget_usd = 5.00, time_s = 3600, rounds = 40, tokens = …, tool_calls = …, model_calls = …,
 *       transcript_replay_depth = 50, on_limit = "pause",
 *     },
 *     policies = { "tool_rounds", { "./mine.lua", option = 1 } },
 *     resume = {                          -- also rounds, tokens, tool_calls; "refuse"
 *       budget = "continue", time = "reset",
 *     },
 *     exclude_memory_keys = { "api_key" },  -- below memory.: never written
 *     secrets = {                         -- read at run and resume, never stored or shown
 *       openai = "env:OPENAI_API_KEY", bank = "file:bank.key",
 *     },
 *     models = {                          -- `key` and `headers` name secrets
 *       default = { api = "openai", model = "gpt-4o", key = "openai" },
 *     },
 *     prices = "./prices.lua",            -- or { ["gpt-4o"] = { input = 2.5, output = 10 } }
 *     agents = {
 *       analyst = {
 *         constraints = { budget_usd = 1.00 }, policies = { { "./mine.lua", option = 2 } },
 *       },
 *     },
 *   }
 *
 * Settings that a profile leaves out come from the one it extends; a list replaces the inherited
 * list, a secret the one of its name, a model's setting that of its model. A model has api
 * ("openai", "responses", "anthropic", "gemini"), base_url, model, key, headers = { NAME = "text"
 * or { secret = "NAME" }
 * }, stream (true), max_tokens, max_tokens_name, temperature, options = { members of every request
 * }, timeout_s (600), idle_timeout_s (120), connect_timeout_s (15), retries (4), price = { input,
 * output, cache_read, cache_write } in dollars for a million tokens; prices says the same by the
 * provider's names, with date and source. An agent's policy of a name that the profile lists takes
 * over the options it does not set itself. Paths in it are relative to its file. Unknown keys are
 * errors that name the nearest known one; the words of a key that this version does not carry out
 * are errors too. */
#ifndef CK_LUA_PROFILE_PROFILE_H
#define CK_LUA_PROFILE_PROFILE_H

#include "core/model/profile.h"
#include "lua/policy/policy.h"

/* The profile without its policies; several mistakes are the first one, and how many more there
 * are. CK_E_NOT_FOUND, CK_E_PARSE (file:line: message), CK_E_UNSUPPORTED (a key or a word that this
 * version does not carry), and the answers of ck_vm_read_file. */
CK_CHECKED ck_status ck_profile_load(ck_profile **out, const char *name, ck_error *err);

/* ---- within ckrun ---- */

#include "core/model/script.h"
#include "lua/vm/sources_list.h"

/* One mistake, behind its file and line. */
typedef void (*ck_profile_problem)(void *to, const ck_error *problem);

/* Loads a profile. Every mistake of the author, in it, those that it extends, and then the options
 * of its policies, goes to `problem`; with one *out is NULL, and CK_OK is answered. `name` is that
 * of a shipped profile or a path. All texts that are read are put among `scripts` (NULL: none;
 * borrowed for the profile's life; closed: read from them alone). */
CK_CHECKED ck_status ck_profile_read(ck_profile **out, const char *name, ck_scripts *scripts,
                                     ck_profile_problem problem, void *to, ck_error *err);
/* Opens its policies; *out is empty when there is a mistake in one. */
CK_CHECKED ck_status ck_profile_open_policies(ck_policy_engine *out, const ck_profile *profile,
                                              ck_profile_problem problem, void *to, ck_error *err);
/* The settings for `agent` (NULL: for the session) and where each came from: a JSON array of
 * {key, value, from, origin}, keys as in "constraints.rounds" and "policies.smart.slow_ms"; a
 * limit that is not set is null. `from` is "default", "extends" (a profile that this one extends),
 * "profile", "agent" (the agent's own section) or "run"; `origin` is a file, a name in the program,
 * "built in" or "the command line". Loads the policies. */
CK_CHECKED ck_status ck_profile_describe(ck_value **out, const ck_profile *profile,
                                         const char *agent, ck_error *err);

/* The shipped profiles and those found in `folder`, as ck_sources_list: name, and policies, those
 * of its list or the inherited one, files by their full paths. */
CK_CHECKED ck_status ck_profile_list(const char *folder, ck_sources_take take, void *to,
                                     ck_error *err);

#endif
