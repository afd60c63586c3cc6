/* option_shapes.h - the types of a policy's options, from their values. */
#ifndef CK_LUA_POLICY_TOOL_OPTION_SHAPES_H
#define CK_LUA_POLICY_TOOL_OPTION_SHAPES_H

#include <lua.h>

#include "core/base/buffer.h"

/* Pushes the shape of `opt`, see shapes.h; an empty table can be a list, or have names. Raises. */
void ck_policy_push_options(lua_State *L, ck_bytes options);

#endif
