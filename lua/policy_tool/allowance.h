/* allowance.h - the processor time that policy check and policy bench give to one hook. */
#ifndef CK_LUA_POLICY_TOOL_ALLOWANCE_H
#define CK_LUA_POLICY_TOOL_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Of this thread, from its beginning on: a loaded machine takes nothing of it. */
typedef struct policy_allowance {
  int64_t end_us;
} policy_allowance;

void ck_policy_allowance_begin(policy_allowance *self); /* a second */
bool ck_policy_allowance_spent(const policy_allowance *self);

#endif
