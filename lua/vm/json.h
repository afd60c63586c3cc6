/* json.h - JSON to Lua values and back: what would change is refused, and equal values give
 * equal bytes.
 *
 *   JSON          Lua
 *   null          ck.null
 *   object        table with text keys; written with keys in byte order
 *   array         table 1..n, marked as array (so that [] stays [])
 *   number        integer when it is written as one and fits int64, else float (the nearest)
 *   string        string
 *
 * A table is written as an array when it is marked or its keys are exactly 1..n, n > 0; an empty
 * one without mark is {}. A float is written with the fewest digits that read back as the same, and
 * never without a point or exponent. */
#ifndef CK_LUA_VM_JSON_H
#define CK_LUA_VM_JSON_H

#include "core/model/value.h"
#include "lua/vm/sandbox.h"

enum { CK_JSON_LUA_DEPTH_MAX = 64 }; /* of a Lua value that is written */

/* Inside a body only: these raise. */

/* Pushes a value of checked JSON as fresh tables. */
void ck_json_push(lua_State *L, ck_bytes json);
/* The same as read-only faces, see ck_sandbox_freeze. */
void ck_json_push_frozen(lua_State *L, ck_bytes json);
/* Appends the value at `index` (nil writes null). Raises, naming the path in the value, for what
 * JSON cannot hold (functions, userdata, NaN, infinities, text that is not UTF-8 or has a NUL, keys
 * that are neither text nor 1..n), for more than `max` bytes, for depth beyond
 * CK_JSON_LUA_DEPTH_MAX (a table that contains itself). `out` belongs to the caller of
 * ck_vm_call. */
void ck_json_append_lua(ck_buffer *out, lua_State *L, int index, size_t max);
/* The same as an owned value in *out, which must be NULL on entry and belongs to the caller of
 * ck_vm_call. */
void ck_json_read_lua(ck_value **out, lua_State *L, int index, size_t max);

#endif
