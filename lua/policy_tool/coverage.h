/* coverage.h - which statements of policies the calls of their hooks reach, and which ways out of
 * conditions they take.
 *
 * The texts are written anew with calls of a probe (lua/ck/lint/probes.lua), once for each file,
 * and loaded in the place of the files. Shipped policies are loaded as they are. */
#ifndef CK_LUA_POLICY_TOOL_COVERAGE_H
#define CK_LUA_POLICY_TOOL_COVERAGE_H

#include "lua/policy/load.h"
#include "lua/policy_tool/policy_tool.h"

/* As ck_policy_load; what it reaches from now on is counted. `self` must stay until the policy is
 * cleared. */
CK_CHECKED ck_status ck_coverage_load(ck_coverage *self, loaded_policy *policy,
                                      const ck_profile_policy *from, ck_error *err);

#endif
