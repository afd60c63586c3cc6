/* view.h - what a policy sees of a boundary: `at`, read-only, made once, void after the call.
 *
 *   kind scope node agent depth seq now(ms) random[0,1) latency_ms is_clean checkpoint_cost_ms last_error
 *   since.{ms events cost_usd tokens changed_keys changed_bytes}   next.{node tool class}
 *   budget.{spent limit left approaching}   in dollars; limit and left are nil without a limit */
#ifndef CK_LUA_VIEW_H
#define CK_LUA_VIEW_H

#include <lua.h>

#include "core/runtime/policy.h"

/* Pushes a view of whatever *slot points to at the time of a read; NULL there raises "only valid during the call". The slot
 * must outlive the state. A read of an unknown field raises and names the nearest one. Raises. */
void ck_view_push_boundary(lua_State *L, const ck_boundary *const *slot);

#endif
