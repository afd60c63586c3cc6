/* show_value.h - writes a Lua value for a person, or as JSON. */
#ifndef CK_LUA_POLICY_TOOL_SHOW_VALUE_H
#define CK_LUA_POLICY_TOOL_SHOW_VALUE_H

#include <lua.h>

#include "core/base/buffer.h"

/* Inside a body: appends the value at `index`. As Lua writes it: { a = 1 }, a text alone as it is,
 * a table that is long with a field on each line; of a view the fields that are not nil, in their
 * order. Or, `json`, as JSON; what JSON cannot hold is the name of its type. What is nested deeper
 * than 16 tables, or behind 256 KiB, is `…`; as JSON the latter raises. */
void ck_show_value(ck_buffer *out, lua_State *L, int index, bool json);

#endif
