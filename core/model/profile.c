/* profile.c - makes a profile without limits, collects its policies, its agents and the origin of
 * each setting. */
#include "core/model/profile.h"

#include <stdlib.h>
#include <string.h>

enum {
  NO_LIMIT = -1,
  REPLAY_DEPTH = 50,
  UNSAVED_CHECKPOINTS = 10,
  UNSAVED_MS = 300000,
  COMPRESSION_THRESHOLD = 512
};

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
      .minimum = {NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT, NO_LIMIT},
      .replay_depth = REPLAY_DEPTH,
      .document_memory = true,
      .document_conversations = true,
      .compress = true,
      .compression_threshold = COMPRESSION_THRESHOLD,
      .unsaved_checkpoints = UNSAVED_CHECKPOINTS,
      .unsaved_ms = UNSAVED_MS,
  };
  *out = self;
  return CK_OK;
}

/* ---- policies ---- */

static ck_status append_policy(ck_profile_policy **list, size_t *count,
                               const ck_profile_policy *from, ck_error *err) {
  ck_profile_policy *policies = reallocarray(*list, *count + 1, sizeof *policies);
  if (policies) *list = policies;
  char *copy = policies ? strdup(from->name) : NULL;
  if (!copy) return ck_error_no_memory(err);
  policies[(*count)++] = (ck_profile_policy){
      .name = copy, .options = ck_value_share(from->options), .of_run = from->of_run};
  return CK_OK;
}

static void clear_policies(ck_profile_policy *list, size_t *count) {
  for (size_t i = 0; i < *count; i++) {
    free(list[i].name);
    ck_value_free(list[i].options);
    ck_value_free(list[i].own);
  }
  *count = 0;
}

ck_status ck_profile_append_policy(ck_profile *self, const char *name, const ck_value *options,
                                   ck_error *err) {
  return append_policy(&self->policies, &self->policy_count,
                       &(ck_profile_policy){.name = (char *)name, .options = (ck_value *)options},
                       err);
}

ck_status ck_profile_append_agent_policy(ck_profile_agent *self, const char *name,
                                         const ck_value *options, ck_error *err) {
  return append_policy(&self->policies, &self->policy_count,
                       &(ck_profile_policy){.name = (char *)name, .options = (ck_value *)options},
                       err);
}

ck_status ck_profile_append_run_policy(ck_profile *self, const char *name, ck_error *err) {
  return append_policy(&self->policies, &self->policy_count,
                       &(ck_profile_policy){.name = (char *)name, .of_run = true}, err);
}

static ck_profile_policy *find_run_options(const ck_profile *self, const char *policy) {
  for (size_t i = 0; i < self->run_option_count; i++)
    if (strcmp(self->run_options[i].name, policy) == 0) return &self->run_options[i];
  return NULL;
}

const ck_value *ck_profile_get_run_options(const ck_profile *self, const char *policy) {
  const ck_profile_policy *found = find_run_options(self, policy);
  return found ? found->options : NULL;
}

ck_status ck_profile_put_run_options(ck_profile *self, const char *policy, const ck_value *options,
                                     ck_error *err) {
  ck_profile_policy *found = find_run_options(self, policy);
  if (!found)
    return append_policy(
        &self->run_options, &self->run_option_count,
        &(ck_profile_policy){
            .name = (char *)policy, .options = (ck_value *)options, .of_run = true},
        err);
  ck_value *before = found->options;
  found->options = ck_value_share(options);
  ck_value_free(before);
  return CK_OK;
}

void ck_profile_clear_policies(ck_profile *self) {
  clear_policies(self->policies, &self->policy_count);
}
void ck_profile_clear_agent_policies(ck_profile_agent *self) {
  clear_policies(self->policies, &self->policy_count);
}

/* ---- agents ---- */

static ck_profile_agent *find_agent(const ck_profile *self, const char *name) {
  for (size_t i = 0; i < self->agent_count; i++) {
    if (strcmp(self->agents[i].name, name) == 0) return &self->agents[i];
  }
  return NULL;
}

const ck_profile_agent *ck_profile_get_agent(const ck_profile *self, const char *name) {
  return find_agent(self, name);
}

ck_status ck_profile_put_agent(ck_profile_agent **out, ck_profile *self, const char *name,
                               ck_error *err) {
  *out = find_agent(self, name);
  if (*out) return CK_OK;
  ck_profile_agent *agents = reallocarray(self->agents, self->agent_count + 1, sizeof *agents);
  if (agents) self->agents = agents;
  char *copy = agents ? strdup(name) : NULL;
  if (!copy) return ck_error_no_memory(err);
  *out = &agents[self->agent_count++];
  **out = (ck_profile_agent){
      .name = copy,
      .budget_micros = NO_LIMIT,
      .time_ms = NO_LIMIT,
      .rounds = NO_LIMIT,
      .tokens = NO_LIMIT,
      .tool_calls = NO_LIMIT,
      .model_calls = NO_LIMIT,
      .replay_depth = NO_LIMIT,
  };
  return CK_OK;
}

/* ---- names that are left out ---- */

static void free_names(char **names) {
  for (char **name = names; name && *name; name++) free(*name);
  free(names);
}

ck_status ck_profile_put_excluded(ck_profile *self, const char *const *names, size_t count,
                                  ck_error *err) {
  char **copies = calloc(count + 1, sizeof *copies);
  if (!copies) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) {
    copies[i] = strdup(names[i]);
    if (!copies[i]) {
      free_names(copies);
      return ck_error_no_memory(err);
    }
  }
  free_names(self->exclude_memory_keys);
  self->exclude_memory_keys = copies;
  return CK_OK;
}

/* ---- secrets ---- */

static ck_profile_secret *find_secret(const ck_profile *self, const char *name) {
  for (size_t i = 0; i < self->secret_count; i++) {
    if (strcmp(self->secrets[i].name, name) == 0) return &self->secrets[i];
  }
  return NULL;
}

static void clear_secret(ck_profile_secret *self) {
  free(self->name);
  free(self->ref);
}

ck_status ck_profile_put_secret(ck_profile *self, const char *name, const char *ref,
                                ck_error *err) {
  ck_profile_secret made = {strdup(name), strdup(ref)};
  ck_profile_secret *place = find_secret(self, name);
  bool copied = made.name && made.ref;
  if (copied && !place) {
    ck_profile_secret *secrets =
        reallocarray(self->secrets, self->secret_count + 1, sizeof *secrets);
    if (secrets) {
      self->secrets = secrets;
      place = &secrets[self->secret_count++];
      *place = (ck_profile_secret){0};
    }
  }
  if (!copied || !place) {
    clear_secret(&made);
    return ck_error_no_memory(err);
  }
  clear_secret(place);
  *place = made;
  return CK_OK;
}

const ck_profile_secret *ck_profile_get_secret(const ck_profile *self, const char *name) {
  return find_secret(self, name);
}

/* ---- models ---- */

static ck_profile_model *find_model(const ck_profile *self, const char *name) {
  for (size_t i = 0; i < self->model_count; i++) {
    if (strcmp(self->models[i].name, name) == 0) return &self->models[i];
  }
  return NULL;
}

const ck_profile_model *ck_profile_get_model(const ck_profile *self, const char *name) {
  return find_model(self, name);
}

ck_status ck_profile_put_model(ck_profile_model **out, ck_profile *self, const char *name,
                               ck_error *err) {
  *out = find_model(self, name);
  if (*out) return CK_OK;
  ck_profile_model *models = reallocarray(self->models, self->model_count + 1, sizeof *models);
  if (!models) return ck_error_no_memory(err);
  self->models = models;
  ck_status status = ck_profile_model_init(&models[self->model_count], name, err);
  if (status) return status;
  *out = &models[self->model_count++];
  return CK_OK;
}

/* ---- origins ---- */

static ck_profile_origin *find_origin(const ck_profile *self, const char *path) {
  for (size_t i = 0; i < self->origin_count; i++) {
    if (strcmp(self->origins[i].path, path) == 0) return &self->origins[i];
  }
  return NULL;
}

const ck_profile_origin *ck_profile_get_origin(const ck_profile *self, const char *path) {
  return find_origin(self, path);
}

static void clear_origin(ck_profile_origin *self) {
  free(self->path);
  free(self->source);
  ck_value_free(self->value);
}

ck_status ck_profile_put_origin(ck_profile *self, const char *path, const char *source,
                                const ck_value *value, ck_error *err) {
  ck_profile_origin made = {strdup(path), strdup(source), ck_value_share(value)};
  ck_profile_origin *place = find_origin(self, path);
  bool copied = made.path && made.source;
  if (copied && !place) {
    ck_profile_origin *origins =
        reallocarray(self->origins, self->origin_count + 1, sizeof *origins);
    if (origins) {
      self->origins = origins;
      place = &origins[self->origin_count++];
      *place = (ck_profile_origin){0};
    }
  }
  if (!copied || !place) {
    clear_origin(&made);
    return ck_error_no_memory(err);
  }
  clear_origin(place);
  *place = made;
  return CK_OK;
}

void ck_profile_free(ck_profile *self) {
  if (!self) return;
  ck_profile_clear_policies(self);
  for (size_t i = 0; i < self->agent_count; i++) {
    ck_profile_clear_agent_policies(&self->agents[i]);
    free(self->agents[i].policies);
    free(self->agents[i].name);
  }
  for (size_t i = 0; i < self->origin_count; i++) clear_origin(&self->origins[i]);
  for (size_t i = 0; i < self->secret_count; i++) clear_secret(&self->secrets[i]);
  for (size_t i = 0; i < self->model_count; i++) ck_profile_model_clear(&self->models[i]);
  clear_policies(self->run_options, &self->run_option_count);
  free(self->key_ref);
  free_names(self->exclude_memory_keys);
  free(self->models);
  free(self->secrets);
  free(self->origins);
  free(self->agents);
  free(self->policies);
  free(self->name);
  free(self->path);
  free(self->source);
  free(self->run_options);
  free(self);
}
