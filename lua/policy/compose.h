/* compose.h - the hooks of ck_policy_engine over a list of loaded policies. */
#ifndef CK_LUA_POLICY_COMPOSE_H
#define CK_LUA_POLICY_COMPOSE_H

#include "lua/policy/load.h"

/* What `self` of a ck_policy_engine is. */
typedef struct policy_list {
  loaded_policy *policies; /* fixed once loaded: views point into it. Those of agents are last */
  size_t count;
  ck_buffer text;  /* of one call: reasons, a refusal, a reference */
  char **excluded; /* names below memory. that are never written; ends with NULL */
  char **alone;    /* agents with no policies but their own; ends with NULL */
  ck_profile_rules rules;
  ck_value *named; /* see ck_policy_engine */
  ck_view_counts counts;
  ck_view_watch watch;
} policy_list;

/* Sets the hooks of `out` that some policy or the profile has an answer for; their `self` is
 * `self`. */
void ck_policy_compose(ck_policy_engine *out, policy_list *self);

#endif
