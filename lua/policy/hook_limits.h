/* hook_limits.h - what a hook is never shown, though its view has it elsewhere: words of a field,
 * and whole fields. */
#ifndef CK_LUA_POLICY_HOOK_LIMITS_H
#define CK_LUA_POLICY_HOOK_LIMITS_H

#include "lua/policy/hooks.h"

typedef struct hook_limit {
  policy_hook hook;
  int parameter;                   /* from 1 */
  const char *field;               /* NULL: no more limits */
  bool (*meets)(const char *word); /* whether it is shown this word; NULL: the field is nil */
  const char *where;               /* "permit" */
} hook_limit;

/* Ends with a NULL field. */
extern const hook_limit ck_hook_limits[];

#endif
