/* ranges.h - what a policy says of the values that `policy tune` may give to its options. */
#ifndef CK_LUA_POLICY_RANGES_H
#define CK_LUA_POLICY_RANGES_H

#include <lua.h>

#include "core/model/value.h"

/* Reads `ranges` of the policy's table: { option = { low, high } } of numbers, and
 * { option = { value, … } } of texts and booleans. `*out` is a JSON object; NULL: it has none.
 * Raises for an option that is not in the table at `options`, and for a range that its default does
 * not lie in. */
void ck_policy_read_ranges(ck_value **out, lua_State *L, int table, int options);

#endif
