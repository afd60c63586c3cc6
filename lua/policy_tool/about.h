/* about.h - what a policy says of itself, as JSON. */
#ifndef CK_LUA_POLICY_TOOL_ABOUT_H
#define CK_LUA_POLICY_TOOL_ABOUT_H

#include "lua/policy/load.h"

/* Members of an object that has begun: name, version, digest, hooks: [{hook, line}], options. */
CK_CHECKED ck_status ck_policy_about_write(ck_json_writer *w, loaded_policy *policy, ck_error *err);
/* Loading failed because the text is no policy. */
bool ck_policy_is_mistake(ck_status status);

#endif
