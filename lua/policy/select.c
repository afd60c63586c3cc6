/* select.c - whose policies a hook is asked of, by the reach of the hook. */
#include "lua/policy/select.h"

#include <string.h>

#include "lua/policy/ask.h"

static bool is_of(const loaded_policy *policy, const char *agent) {
  return agent && strcmp(policy->agent, agent) == 0;
}

static bool is_alone(const policy_list *self, const char *agent) {
  char **name = self->alone;
  while (agent && *name && strcmp(*name, agent) != 0) name++;
  return agent && *name;
}

/* The policy at position `i` of the list, or the one that replaces it for `agent` (NULL: none);
 * NULL when it is not asked. */
static loaded_policy *find_of_agent(const policy_list *self, size_t i, const char *agent,
                                    policy_hook hook) {
  loaded_policy *found = &self->policies[i];
  if (found->agent && (found->replaces != SIZE_MAX || !is_of(found, agent))) return NULL;
  for (size_t k = self->count; agent && !found->agent && k-- > 0 && self->policies[k].agent;) {
    if (self->policies[k].replaces == i && is_of(&self->policies[k], agent)) {
      found = &self->policies[k];
      break;
    }
  }
  if (!found->agent && !found->of_run && is_alone(self, agent)) return NULL;
  return ck_policy_has(found, hook) ? found : NULL;
}

/* Every list counts, whoever acts: what one agent's masks reaches the others. A pad is its agent's
 * own. */
static loaded_policy *find_of_all(const policy_list *self, size_t i, const char *key) {
  static const char pads[] = "scratch.";
  loaded_policy *found = &self->policies[i];
  const char *owner =
      key && strncmp(key, pads, sizeof pads - 1) == 0 ? key + sizeof pads - 1 : NULL;
  if (found->agent && owner && !is_of(found, owner)) return NULL;
  return ck_policy_has(found, POLICY_redact) ? found : NULL;
}

/* All of the profile count, and those of the agent's own list beside them. */
static loaded_policy *find_added(const policy_list *self, size_t i, const char *agent,
                                 policy_hook hook) {
  loaded_policy *found = &self->policies[i];
  if (found->agent && !is_of(found, agent)) return NULL;
  return ck_policy_has(found, hook) ? found : NULL;
}

loaded_policy *ck_policy_select(const policy_list *self, size_t i, policy_hook hook,
                                const char *agent, const char *key) {
  hook_reach reach = ck_policy_hooks[hook].reach;
  if (reach == HOOK_OF_ALL) return find_of_all(self, i, key);
  if (reach == HOOK_ADDED) return find_added(self, i, agent, hook);
  return find_of_agent(self, i, agent, hook);
}
