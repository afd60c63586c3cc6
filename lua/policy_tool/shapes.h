/* shapes.h - what the parameters of hooks are, for the reader of a policy's text, and for what its
 * tests give. */
#ifndef CK_LUA_POLICY_TOOL_SHAPES_H
#define CK_LUA_POLICY_TOOL_SHAPES_H

#include <lua.h>

#include "core/base/buffer.h"

/* Pushes { hook = { shape of each parameter } }, from the annotations of the views. A shape is
 * false, where nothing is known, or
 *   { name = "at.tools", type = "text" | "number" | "boolean" | "list" | "names" | "table",
 *     optional =, integer =,
 *     fields = { name = shape },      of a view, and of a table within one
 *     excludes = { field = { field = true } }, of its fields: what is nil where the first is not
 *     element = shape,                of a list, and of a table with names
 *     keys = { "memory.", … },        of a table with names: what its keys begin with
 *     words = { "once", … },          of a text; where = "permit": in this hook alone, others are
 *                                     in elsewhere = { … }
 *     forms = { "memory.", … },       of a text: what it begins with
 *     least = 1,                      of a number
 *     absent_when = "no limit",       of a number that can be nil
 *     notes = { field = { needs =, text = } }, of fields that are there under some profiles alone
 *     absent = { field = where } }    of fields that are nil in this hook
 * The last one is `opt`, by the types of `options`, a JSON object (no bytes: not known). Raises. */
void ck_policy_push_shapes(lua_State *L, ck_bytes options);

#endif
