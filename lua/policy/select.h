/* select.h - which policy at a place of the list is asked a hook. */
#ifndef CK_LUA_POLICY_SELECT_H
#define CK_LUA_POLICY_SELECT_H

#include "lua/policy/compose.h"

/* The policy at position `i`, or the one of `agent` (NULL: nobody) that replaces it; NULL: it is
 * not asked, or has no such hook. `key`: of the item that redact is asked about; NULL: it has none.
 */
loaded_policy *ck_policy_select(const policy_list *self, size_t i, policy_hook hook,
                                const char *agent, const char *key);

#endif
