/* problems.c - the mistakes of a profile, each with its file and line; those in its policies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/load.h"
#include "lua/profile/lines.h"
#include "lua/profile/reading.h"

bool ck_profile_is_mistake(ck_status status) {
  int code = ck_status_exit(status);
  return status != CK_OK && (code == ck_status_exit(CK_E_USAGE) ||
                             code == ck_status_exit(CK_E_NOT_FOUND) || status == CK_E_POLICY);
}

ck_status ck_profile_take(profile_sink *sink, const ck_source *source, const char *path,
                          ck_status status, const ck_error *failure, ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  if (status == CK_OK) return CK_OK;
  if (!ck_profile_is_mistake(status)) return ck_error_set(err, status, "%s", failure->text);
  int line = source ? ck_profile_line(source->text, path) : 0;
  if (line > 0)
    ck_error_set(&problem, status, "%s:%d: %s", source->name, line, failure->text);
  else
    ck_error_set(&problem, status, "%s%s%s", source ? source->name : "", source ? ": " : "",
                 failure->text);
  sink->count++;
  if (sink->problem) sink->problem(sink->to, &problem);
  return CK_OK;
}

/* ---- policies ---- */

/* One list of policies: of the profile, or of an agent. */
typedef struct list {
  const ck_profile_policy *policies;
  size_t count;
  bool of_agent;
  char path[256];   /* "policies", "agents.ann.policies" */
  ck_source source; /* that has it; zeros: none was read */
  ck_bytes written; /* the list as it stands there */
} list;

/* The place, from 1, of a policy in the list as it is written: entries that are none are left out
 * of the policies. */
static size_t place_of(const list *self, size_t index) {
  ck_json_iterator it = ck_json_iterate(self->written);
  size_t place = 0;
  while (self->written.len > 0 && ck_json_next(&it)) {
    place++;
    if (ck_json_get(it.value, "problem").len == 0 && index-- == 0) return place;
  }
  return place + index + 1;
}

static ck_status try_policy(const ck_profile_policy *policy, ck_scripts *scripts,
                            ck_error *failure) {
  loaded_policy loaded;
  ck_status status = ck_policy_load(&loaded, policy, scripts, failure);
  if (status == CK_OK) ck_policy_clear(&loaded);
  return status;
}

/* What policies say is recorded under their names. */
static ck_status check_twice(const list *self, const loaded_policy *loaded, size_t index,
                             ck_scripts *scripts, ck_error *failure) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < index; i++) {
    loaded_policy other;
    ck_error ignored = CK_ERROR_INIT;
    const ck_profile_policy from = {.name = self->policies[i].name};
    if (ck_policy_load(&other, &from, scripts, &ignored) != CK_OK) continue;
    if (strcmp(other.name, loaded->name) == 0)
      status = ck_error_set(failure, CK_E_PARSE, CK_POLICY_TWICE, loaded->name, place_of(self, i));
    ck_policy_clear(&other);
  }
  return status;
}

/* The same in its list: an agent's has no hooks that are the session's. */
static ck_status try_listed(const list *self, size_t index, ck_scripts *scripts,
                            ck_error *failure) {
  loaded_policy loaded;
  ck_status status = ck_policy_load(&loaded, &self->policies[index], scripts, failure);
  if (status != CK_OK) return status;
  if (self->of_agent) status = ck_policy_check_agent(&loaded, failure);
  if (status == CK_OK) status = check_twice(self, &loaded, index, scripts, failure);
  if (status != CK_OK) ck_error_prefix(failure, "%s", self->path);
  ck_policy_clear(&loaded);
  return status;
}

/* One option alone; `raw_name` as in the JSON of the options. */
static ck_status try_option(const ck_profile_policy *policy, ck_scripts *scripts, ck_bytes raw_name,
                            ck_bytes value, ck_error *failure) {
  ck_buffer text = {0};
  ck_profile_policy alone = {.name = policy->name};
  ck_buffer_append_char(&text, '{');
  ck_buffer_append_bytes(&text, raw_name);
  ck_buffer_append_char(&text, ':');
  ck_buffer_append_bytes(&text, value);
  ck_buffer_append_char(&text, '}');
  ck_status status = ck_value_from(&alone.options, &text, failure);
  ck_buffer_clear(&text);
  if (status == CK_OK) status = try_policy(&alone, scripts, failure);
  ck_value_free(alone.options);
  return status;
}

/* Each option that is wrong by itself. */
static ck_status check_options(const list *self, size_t index, profile_sink *sink, ck_error *err) {
  const ck_profile_policy *policy = &self->policies[index];
  const ck_source *source = self->source.name ? &self->source : NULL;
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(policy->options));
  ck_status status = CK_OK;
  while (status == CK_OK && ck_json_next(&it)) {
    char path[512];
    ck_error failure = CK_ERROR_INIT;
    char *name = ck_json_dup_string(it.name);
    snprintf(path, sizeof path, "%s.[%zu].%s", self->path, place_of(self, index), name ? name : "");
    status = name ? try_option(policy, sink->scripts, it.name, it.value, &failure)
                  : ck_error_no_memory(&failure);
    status = ck_profile_take(sink, source, path, status, &failure, err);
    free(name);
  }
  return status;
}

static ck_status check_list(const list *self, profile_sink *sink, ck_error *err) {
  const ck_source *source = self->source.name ? &self->source : NULL;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->count; i++) {
    char path[512];
    ck_error failure = CK_ERROR_INIT, ignored = CK_ERROR_INIT;
    const ck_profile_policy *policy = &self->policies[i];
    status = try_listed(self, i, sink->scripts, &failure);
    bool of_options =
        ck_profile_is_mistake(status) && policy->options &&
        try_policy(&(ck_profile_policy){.name = policy->name}, sink->scripts, &ignored) == CK_OK;
    size_t before = sink->count;
    if (of_options) {
      ck_status options = check_options(self, i, sink, err);
      if (options != CK_OK) return options;
      if (sink->count > before) status = CK_OK;
    }
    snprintf(path, sizeof path, "%s.[%zu]", self->path, place_of(self, i));
    status = ck_profile_take(sink, source, path, status, &failure, err);
  }
  return status;
}

static ck_status check_named(const ck_profile *self, list *of, profile_sink *sink, ck_error *err) {
  const ck_profile_origin *origin = ck_profile_get_origin(self, of->path);
  ck_error ignored = CK_ERROR_INIT;
  if (origin &&
      ck_source_read_for(&of->source, "profile", origin->source, sink->scripts, &ignored) != CK_OK)
    of->source = (ck_source){0};
  if (origin) of->written = ck_value_bytes(origin->value);
  ck_status status = check_list(of, sink, err);
  ck_source_clear(&of->source);
  return status;
}

ck_status ck_profile_check_policies(const ck_profile *self, profile_sink *sink, ck_error *err) {
  list of = {.policies = self->policies, .count = self->policy_count, .path = "policies"};
  ck_status status = check_named(self, &of, sink, err);
  for (size_t i = 0; status == CK_OK && i < self->agent_count; i++) {
    const ck_profile_agent *agent = &self->agents[i];
    list own = {.policies = agent->policies, .count = agent->policy_count, .of_agent = true};
    snprintf(own.path, sizeof own.path, "agents.%s.policies", agent->name);
    status = check_named(self, &own, sink, err);
  }
  return status;
}
