/* chosen_policy.c - finds a policy in a profile, and sets options over those that it has there. */
#include "core/host/run/chosen_policy.h"

#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"
#include "lua/profile/overrides.h"
#include "lua/profile/profile.h"

/* ---- in the profile ---- */

/* A list of policies of a profile, and whose it is. */
typedef struct policy_choice {
  const ck_profile *profile;
  const char *name;  /* NULL: the only one */
  const char *given; /* --profile */
} policy_choice;

static bool is_named(const policy_choice *self, const ck_profile_policy *policy) {
  const char *name = self->name;
  ck_value *about = NULL;
  ck_error ignored = CK_ERROR_INIT;
  char *path = strchr(name, '/') || strstr(name, ".lua") ? realpath(name, NULL) : NULL;
  bool named = strcmp(policy->name, path ? path : name) == 0;
  free(path);
  if (named ||
      ck_policy_inspect(&about, policy->name, NULL, self->profile->scripts, &ignored) != CK_OK)
    return named;
  named = ck_json_is_text(ck_json_get(ck_value_bytes(about), "name"), name);
  ck_value_free(about);
  return named;
}

static const ck_profile_policy *find_in(const policy_choice *self, const ck_profile_policy *list,
                                        size_t count) {
  if (!self->name) return count == 1 ? list : NULL;
  for (size_t i = 0; i < count; i++)
    if (is_named(self, &list[i])) return &list[i];
  return NULL;
}

static void append_agents(ck_buffer *out, const policy_choice *self) {
  const ck_profile *profile = self->profile;
  for (size_t i = 0; i < profile->agent_count; i++) {
    const ck_profile_agent *agent = &profile->agents[i];
    if (find_in(self, agent->policies, agent->policy_count))
      ck_buffer_append_format(out, "%s%s", out->len ? ", " : "", agent->name);
  }
}

static ck_status refuse(const policy_choice *self, ck_error *err) {
  const ck_profile *profile = self->profile;
  ck_buffer list = {0}, agents = {0};
  ck_status status;
  for (size_t i = 0; i < profile->policy_count; i++)
    ck_buffer_append_format(&list, "%s%s", i ? ", " : "", profile->policies[i].name);
  if (self->name) append_agents(&agents, self);
  if (!self->name)
    status = ck_error_set(err, CK_E_USAGE,
                          "--profile %s: whose options? Name one of its policies with --policy: %s",
                          self->given, list.data ? list.data : "it has none");
  else if (agents.len)
    status = ck_error_set(err, CK_E_USAGE,
                          "%s: profile %s does not list it, agents %s have it: say which with "
                          "--agent",
                          self->name, profile->name, agents.data);
  else
    status = ck_error_set(err, CK_E_USAGE, "%s: profile %s has no such policy; it has %s",
                          self->name, profile->name, list.data ? list.data : "none");
  ck_buffer_clear(&list);
  ck_buffer_clear(&agents);
  return status;
}

static const ck_profile_policy *find(const policy_choice *self, const char *agent) {
  const ck_profile_agent *of = agent ? ck_profile_get_agent(self->profile, agent) : NULL;
  const ck_profile_policy *found = NULL;
  if (of && self->name) found = find_in(self, of->policies, of->policy_count);
  return found ? found : find_in(self, self->profile->policies, self->profile->policy_count);
}

/* ---- options over those ---- */

/* "KEY" of "POLICY.KEY", as runs have it, too. */
static const char *skip_policy(const char *word, const char *policy) {
  size_t len = strlen(policy);
  return strncmp(word, policy, len) == 0 && word[len] == '.' ? word + len + 1 : word;
}

static ck_status set_option(ck_profile *own, const char *policy, const char *word, ck_error *err) {
  const char *from = skip_policy(word, policy);
  size_t len = strcspn(from, "=");
  if (!from[len] || len == 0)
    return ck_error_set(err, CK_E_USAGE, "--option takes KEY=VALUE: the word given has no %s",
                        len == 0 ? "KEY" : "'='");
  char *key = strndup(from, len);
  if (!key) return ck_error_no_memory(err);
  ck_status status = ck_profile_set_option(own, policy, key, from + len + 1, err);
  if (status != CK_OK && status != CK_E_NO_MEMORY) ck_error_prefix(err, "--option %s", key);
  free(key);
  return status;
}

static ck_status set_options(ck_profile *own, const ck_words *words, ck_error *err) {
  ck_value *about = NULL;
  if (words->count == 0) return CK_OK;
  ck_status status = ck_policy_inspect(&about, own->policies[0].name, NULL, NULL, err);
  if (status != CK_OK) return status;
  char *name = ck_json_dup_string(ck_json_get(ck_value_bytes(about), "name"));
  ck_value_free(about);
  if (!name) return ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < words->count; i++)
    status = set_option(own, name, words->list[i], err);
  free(name);
  return status;
}

/* ---- the whole ---- */

ck_status ck_chosen_policy_open(ck_chosen_policy *out, const ck_policy_words *words,
                                ck_error *err) {
  *out = (ck_chosen_policy){0};
  if (words->agent && !words->profile)
    return ck_error_set(err, CK_E_USAGE, "--agent %s: of which profile? Name it with --profile",
                        words->agent);
  return words->profile ? ck_profile_load(&out->profile, words->profile, err) : CK_OK;
}

ck_status ck_chosen_policy_find(ck_chosen_policy *self, const ck_policy_words *words,
                                const char *name, const char *acting, ck_error *err) {
  const policy_choice of = {self->profile, name, words->profile};
  const ck_profile_policy alone = {.name = (char *)name}, *found = &alone;
  if (!self->profile && !name && words->options.count)
    return ck_error_set(err, CK_E_USAGE, "--option %s: of which policy? Name it with --policy",
                        words->options.list[0]);
  if (!self->profile && !name) return CK_OK;
  if (self->profile) found = find(&of, words->agent ? words->agent : acting);
  if (!found) return refuse(&of, err);
  ck_status status = ck_profile_new(&self->own, "one", err);
  if (status == CK_OK)
    status = ck_profile_append_policy(self->own, found->name, found->options, err);
  if (status == CK_OK) status = set_options(self->own, &words->options, err);
  if (status == CK_OK) self->policy = &self->own->policies[0];
  return status;
}

void ck_chosen_policy_clear(ck_chosen_policy *self) {
  ck_profile_free(self->own);
  ck_profile_free(self->profile);
  *self = (ck_chosen_policy){0};
}
