/* allowed.h - what a policy says of the values of its options: words, numbers, a check of its own.
 *
 *   allowed = {
 *     mode = { "fast", "env:*" },  -- one of these words; "env:*": any that begins with env:
 *     n = { 1, 1000 },             -- a number from 1 to 1000; { 1 }: from 1
 *   }
 *   check = function(opt) … end    -- a text says what is wrong
 *
 * Of a list or a table with names it holds of each value. */
#ifndef CK_LUA_POLICY_ALLOWED_H
#define CK_LUA_POLICY_ALLOWED_H

#include <lua.h>

/* Inside a body: raises CK_E_PARSE, naming option, value, what is allowed and the nearest word,
 * unless the options at `options` (plain) are what the policy at `table` allows. */
void ck_allowed_check(lua_State *L, int table, int options);
/* Calls the policy's own check, if it has one, with the frozen options on top of the stack. */
void ck_allowed_call(lua_State *L, int table);

#endif
