/* profile.c - makes a profile without limits, collects its policies. */
#include "core/model/profile.h"

#include <stdlib.h>
#include <string.h>

enum { NO_LIMIT = -1, REPLAY_DEPTH = 50 };

ck_status ck_profile_new(ck_profile **out, const char *name, ck_error *err) {
  *out = NULL;
  ck_profile *self = calloc(1, sizeof *self);
  char *copy = self ? strdup(name) : NULL;
  if (!copy) {
    free(self);
    return ck_error_no_memory(err);
  }
  *self = (ck_profile){
      .name = copy,
      .budget_micros = NO_LIMIT,
      .time_ms = NO_LIMIT,
      .rounds = NO_LIMIT,
      .tokens = NO_LIMIT,
      .tool_calls = NO_LIMIT,
      .model_calls = NO_LIMIT,
      .replay_depth = REPLAY_DEPTH,
  };
  *out = self;
  return CK_OK;
}

ck_status ck_profile_append_policy(ck_profile *self, const char *name, const ck_value *options, ck_error *err) {
  ck_profile_policy *policies = reallocarray(self->policies, self->policy_count + 1, sizeof *policies);
  if (policies) self->policies = policies;
  char *copy = policies ? strdup(name) : NULL;
  if (!copy) return ck_error_no_memory(err);
  self->policies[self->policy_count++] = (ck_profile_policy){copy, ck_value_share(options)};
  return CK_OK;
}

void ck_profile_free(ck_profile *self) {
  if (!self) return;
  for (size_t i = 0; i < self->policy_count; i++) {
    free(self->policies[i].name);
    ck_value_free(self->policies[i].options);
  }
  free(self->policies);
  free(self->name);
  free(self->path);
  free(self);
}
