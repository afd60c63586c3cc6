/* shapes.h - what the parameters of hooks are, for the reader of a policy's text. */
#ifndef CK_LUA_POLICY_TOOL_SHAPES_H
#define CK_LUA_POLICY_TOOL_SHAPES_H

#include <lua.h>

#include "core/base/buffer.h"

/* Pushes { hook = { shape of each parameter } }: false for what is no view, else { name = "at",
 * fields = { name = shape } }, or of a field of words { name =, words = { "once", … } }. What is
 * there under some profiles alone has a note: notes = { name = { needs =, text = } }; what is nil
 * in this hook is named: absent = { name = where }. The last one is `opt`, whose fields are those
 * of `options`, a JSON object (no bytes: not known). Raises.
 */
void ck_policy_push_shapes(lua_State *L, ck_bytes options);

#endif
