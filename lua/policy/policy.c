/* policy.c - opens the policy engine of a profile: loads its policies, and describes them. */
#include "lua/policy/policy.h"

#include <stdlib.h>
#include <string.h>

#include "lua/policy/ask.h"
#include "lua/policy/compose.h"
#include "lua/vm/json.h"

static void free_names(char **names) {
  for (char **name = names; name && *name; name++) free(*name);
  free(names);
}

static void engine_free(void *self) {
  policy_list *own = self;
  if (!own) return;
  for (size_t i = 0; i < own->count; i++) ck_policy_clear(&own->policies[i]);
  free_names(own->excluded);
  free_names(own->alone);
  free(own->policies);
  ck_value_free(own->named);
  ck_buffer_clear(&own->text);
  free(own);
}

/* What policies say is recorded under their names: of the last one, in the list from `first` on. */
static ck_status check_name(const policy_list *self, size_t first, ck_error *err) {
  const loaded_policy *last = &self->policies[self->count - 1];
  for (size_t i = first; i + 1 < self->count; i++) {
    if (strcmp(self->policies[i].name, last->name) == 0)
      return ck_error_set(err, CK_E_PARSE, CK_POLICY_TWICE, last->name, i - first + 1);
  }
  return CK_OK;
}

static ck_status load_of_agent(policy_list *self, const ck_profile *profile,
                               const ck_profile_agent *agent, ck_error *err) {
  size_t first = self->count;
  for (size_t i = 0; i < agent->policy_count; i++) {
    loaded_policy *loaded = &self->policies[self->count];
    ck_status status = ck_policy_load(loaded, &agent->policies[i], profile->scripts, err);
    if (status != CK_OK) return status;
    self->count++;
    loaded->agent = strdup(agent->name);
    if (!loaded->agent) return ck_error_no_memory(err);
    status = ck_policy_check_agent(loaded, err);
    if (status == CK_OK) status = check_name(self, first, err);
    if (status != CK_OK) {
      ck_error_prefix(err, "agents.%s.policies", agent->name);
      return status;
    }
    for (size_t k = profile->policy_count; k-- > 0;) {
      if (strcmp(profile->policies[k].name, agent->policies[i].name) == 0) loaded->replaces = k;
    }
  }
  return CK_OK;
}

static ck_status copy_alone(policy_list *self, const ck_profile *profile, ck_error *err) {
  size_t count = 0;
  self->alone = calloc(profile->agent_count + 1, sizeof *self->alone);
  if (!self->alone) return ck_error_no_memory(err);
  for (size_t i = 0; i < profile->agent_count; i++) {
    if (!profile->agents[i].alone) continue;
    self->alone[count] = strdup(profile->agents[i].name);
    if (!self->alone[count++]) return ck_error_no_memory(err);
  }
  return CK_OK;
}

static ck_status load_all(policy_list *self, const ck_profile *profile, ck_error *err) {
  size_t total = profile->policy_count, names = 0;
  for (size_t i = 0; i < profile->agent_count; i++) total += profile->agents[i].policy_count;
  while (profile->exclude_memory_keys && profile->exclude_memory_keys[names]) names++;
  self->rules = profile->resume;
  self->policies = calloc(total + 1, sizeof *self->policies);
  self->excluded = calloc(names + 1, sizeof *self->excluded);
  if (!self->policies || !self->excluded) return ck_error_no_memory(err);
  for (size_t i = 0; i < names; i++) {
    self->excluded[i] = strdup(profile->exclude_memory_keys[i]);
    if (!self->excluded[i]) return ck_error_no_memory(err);
  }
  for (size_t i = 0; i < profile->policy_count; i++) {
    ck_status status =
        ck_policy_load(&self->policies[i], &profile->policies[i], profile->scripts, err);
    if (status != CK_OK) return status;
    self->count++;
    status = check_name(self, 0, err);
    if (status != CK_OK) return ck_error_prefix(err, "policies");
  }
  ck_status status = copy_alone(self, profile, err);
  for (size_t i = 0; status == CK_OK && i < profile->agent_count; i++)
    status = load_of_agent(self, profile, &profile->agents[i], err);
  return status;
}

/* ---- the calls that policies name ---- */

static bool is_list_of_texts(ck_bytes list) {
  ck_json_iterator it = ck_json_iterate(list);
  bool texts = ck_json_type_of(list) == CK_JSON_ARRAY && ck_json_count(list) > 0;
  while (texts && ck_json_next(&it)) texts = ck_json_type_of(it.value) == CK_JSON_STRING;
  return texts;
}

static void append_lists(ck_json_writer *w, const char *agent, ck_bytes options) {
  ck_bytes classes = ck_json_get(options, "classes"), risky = ck_json_get(options, "risky");
  bool has_classes = is_list_of_texts(classes), has_risky = is_list_of_texts(risky);
  if (!has_classes && !has_risky) return;
  ck_json_begin(w, '{');
  ck_json_member_text(w, "agent", agent);
  if (has_classes) ck_json_member_raw(w, "classes", classes);
  if (has_risky) ck_json_member_raw(w, "risky", risky);
  ck_json_end(w, '}');
}

/* `classes` and `risky` among the options of a policy that decides on checkpoints. */
static ck_status append_named(ck_json_writer *w, loaded_policy *policy, ck_error *err) {
  ck_value *options = NULL;
  if (!ck_policy_has(policy, POLICY_checkpoint)) return CK_OK;
  ck_status status = ck_policy_get_options(&options, policy, err);
  if (status == CK_OK) append_lists(w, policy->agent, ck_value_bytes(options));
  ck_value_free(options);
  return status;
}

static ck_status name_calls(policy_list *self, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_status status = CK_OK;
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    status = append_named(&w, &self->policies[i], err);
  ck_json_end(&w, ']');
  if (status == CK_OK) status = ck_value_from(&self->named, &text, err);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_policy_engine_open(ck_policy_engine *out, const ck_profile *profile, ck_error *err) {
  *out = (ck_policy_engine){0};
  policy_list *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  ck_status status = load_all(self, profile, err);
  if (status == CK_OK) status = name_calls(self, err);
  if (status != CK_OK) {
    engine_free(self);
    return status;
  }
  ck_policy_compose(out, self);
  out->named = self->named;
  out->free = engine_free;
  return CK_OK;
}

ck_status ck_policy_engine_new(ck_policy_engine **out, const ck_profile *profile, ck_error *err) {
  *out = NULL;
  ck_policy_engine *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  ck_status status = ck_policy_engine_open(self, profile, err);
  if (status != CK_OK) {
    free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_policy_engine_free(ck_policy_engine *self) {
  if (!self) return;
  self->free(self->self);
  free(self);
}

bool ck_policy_masks_content(const ck_policy_engine *engine) {
  const policy_list *self = engine->self;
  for (size_t i = 0; self && i < self->count; i++)
    if (!self->policies[i].shipped && ck_policy_has(&self->policies[i], POLICY_redact)) return true;
  return false;
}

/* It masks, refuses or permits: without it more is written or done. */
static bool guards(const loaded_policy *policy) {
  return ck_policy_has(policy, POLICY_redact) || ck_policy_has(policy, POLICY_resume) ||
         ck_policy_has(policy, POLICY_permit);
}

/* Those in force; without the run's own: what the profile sets. */
static ck_status write_options(ck_json_writer *w, loaded_policy *policy, bool of_run,
                               ck_error *err) {
  ck_value *options = ck_value_share(policy->set);
  ck_status status = CK_OK;
  if (of_run) {
    ck_value_free(options);
    status = ck_policy_get_options(&options, policy, err);
  }
  if (status == CK_OK)
    ck_json_member_raw(w, "options", options ? ck_value_bytes(options) : ck_bytes_text("{}"));
  if (of_run && policy->set) ck_json_member_raw(w, "set", ck_value_bytes(policy->set));
  ck_value_free(options);
  return status;
}

static ck_status write_policy(ck_json_writer *w, loaded_policy *policy, bool of_run,
                              ck_error *err) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &policy->digest);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "name", policy->name);
  ck_json_member_int(w, "version", policy->version);
  ck_json_member_text(w, "digest", hex);
  if (policy->has_options) ck_digest_hex(hex, &policy->options_digest);
  ck_json_name(w, "options_digest");
  ck_json_put_text(w, policy->has_options ? hex : NULL);
  ck_status status = write_options(w, policy, of_run, err);
  ck_json_member_text(w, "file", policy->path);
  ck_json_member_text(w, "agent", policy->agent);
  if (policy->of_run) ck_json_member_bool(w, "run", true);
  if (guards(policy)) {
    ck_json_member_bool(w, "guards", true);
    ck_json_member_bool(w, "redacts", ck_policy_has(policy, POLICY_redact));
  }
  ck_json_end(w, '}');
  return status;
}

ck_status ck_policy_describe(ck_value **out, const ck_policy_engine *engine, bool of_run,
                             ck_error *err) {
  *out = NULL;
  const policy_list *self = engine->self;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_status status = CK_OK;
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    if (of_run || !self->policies[i].of_run)
      status = write_policy(&w, &self->policies[i], of_run, err);
  ck_json_end(&w, ']');
  if (status == CK_OK) status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
