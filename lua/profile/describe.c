/* describe.c - the settings of a profile as they hold, and where each came from. */
#include <string.h>

#include "lua/policy/ask.h"
#include "lua/profile/reading.h"

typedef struct {
  const ck_profile *profile;
  const ck_profile_agent *agent; /* NULL: the session, or an agent without a section */
  ck_json_writer w;
} description;

/* Who sets a value, and where. */
typedef struct author {
  const char *from, *origin;
} author;

static author author_of_default(const char *origin) { return (author){"default", origin}; }
static const author the_run = {"run", "the command line"};

static author author_of(const description *self, const ck_profile_origin *origin, bool of_agent) {
  if (!origin) return author_of_default("built in");
  const char *own = self->profile->source;
  bool inherited = own && strcmp(own, origin->source) != 0;
  return (author){of_agent ? "agent" : inherited ? "extends" : "profile", origin->source};
}

static void write_row(description *self, const char *key, ck_bytes value, author by) {
  ck_json_begin(&self->w, '{');
  ck_json_member_text(&self->w, "key", key);
  ck_json_member_raw(&self->w, "value", value);
  ck_json_member_text(&self->w, "from", by.from);
  ck_json_member_text(&self->w, "origin", by.origin);
  ck_json_end(&self->w, '}');
}

static const ck_profile_origin *find_own(const description *self, const char *path) {
  ck_buffer full = {0};
  if (!self->agent) return NULL;
  ck_buffer_append_format(&full, "agents.%s.%s", self->agent->name, path);
  const ck_profile_origin *found =
      full.failed ? NULL : ck_profile_get_origin(self->profile, full.data);
  ck_buffer_clear(&full);
  return found;
}

static void write_setting(void *to, const char *path, const char *built_in) {
  description *self = to;
  const ck_profile_origin *own = find_own(self, path);
  const ck_profile_origin *found = own ? own : ck_profile_get_origin(self->profile, path);
  ck_bytes value = found ? ck_value_bytes(found->value) : ck_bytes_text(built_in);
  bool limited = true, is_truth = found && strncmp(path, "constraints.", 12) == 0 &&
                                  ck_json_read_bool(&limited, value);
  if (is_truth && !limited) value = ck_bytes_text("null");
  write_row(self, path, value, author_of(self, found, own != NULL));
}

/* The options that entry `index` of a recorded list of policies sets itself. */
static ck_bytes given_options(const ck_profile_origin *list, size_t index) {
  if (!list) return (ck_bytes){NULL, 0};
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(list->value));
  for (size_t i = 0; ck_json_next(&it); i++) {
    if (i == index) return ck_json_get(it.value, "options");
  }
  return (ck_bytes){NULL, 0};
}

static bool has_member(ck_bytes object, ck_bytes raw_name) {
  ck_json_iterator it = ck_json_iterate(object);
  while (object.len > 0 && ck_json_next(&it)) {
    if (ck_bytes_equal(it.name, raw_name)) return true;
  }
  return false;
}

enum { NONE = -1 };

/* One policy as it holds: entry `of_profile` of the profile's list, entry `of_agent` of the
 * agent's, or both. */
typedef struct {
  ptrdiff_t of_profile, of_agent;
  bool of_run;        /* that of the profile's list is the run's */
  const char *prefix; /* of its keys: "", or "agents.NAME." of one that is asked beside others */
} entry;

/* By the strongest that sets it. */
static author author_of_option(const description *self, const loaded_policy *loaded,
                               const entry *at, ck_bytes raw_name) {
  const ck_value *of_run = ck_profile_get_run_options(self->profile, loaded->name);
  const ck_profile_origin *list = ck_profile_get_origin(self->profile, "policies"),
                          *own = find_own(self, "policies");
  if (of_run && has_member(ck_value_bytes(of_run), raw_name)) return the_run;
  if (at->of_agent >= 0 && has_member(given_options(own, (size_t)at->of_agent), raw_name))
    return author_of(self, own, true);
  if (at->of_profile >= 0 && !at->of_run &&
      has_member(given_options(list, (size_t)at->of_profile), raw_name))
    return author_of(self, list, false);
  return author_of_default(loaded->file);
}

static void write_options(description *self, const loaded_policy *loaded, ck_bytes options,
                          const entry *at) {
  ck_json_iterator it = ck_json_iterate(options);
  while (ck_json_next(&it)) {
    ck_buffer key = {0};
    ck_buffer_append_format(&key, "%spolicies.%s.", at->prefix, loaded->name);
    ck_json_read_string(&key, it.name);
    write_row(self, key.failed ? "" : key.data, it.value,
              author_of_option(self, loaded, at, it.name));
    if (key.failed) self->w.out->failed = true;
    ck_buffer_clear(&key);
  }
}

/* It has a hook that no agent's list takes the place of. */
static bool holds_beside(const loaded_policy *policy) {
  for (policy_hook hook = 0; hook < POLICY_HOOK_COUNT; hook++)
    if (ck_policy_has(policy, hook) && ck_policy_hooks[hook].reach != HOOK_OF_AGENT) return true;
  return false;
}

static void write_version(description *self, const loaded_policy *loaded, const entry *at) {
  ck_buffer key = {0}, version = {0};
  bool of_agent = at->of_profile < 0 || *at->prefix;
  const ck_profile_origin *list =
      of_agent ? find_own(self, "policies") : ck_profile_get_origin(self->profile, "policies");
  ck_buffer_append_format(&key, "%spolicies.%s", at->prefix, loaded->name);
  ck_buffer_append_format(&version, "%lld", (long long)loaded->version);
  self->w.out->failed |= key.failed || version.failed;
  write_row(self, key.failed ? "" : key.data, ck_buffer_bytes(&version),
            at->of_run ? the_run : author_of(self, list, of_agent));
  ck_buffer_clear(&key);
  ck_buffer_clear(&version);
}

static ck_status write_loaded(description *self, loaded_policy *loaded, const entry *at,
                              ck_error *err) {
  ck_value *options = NULL;
  ck_status status = ck_policy_get_options(&options, loaded, err);
  if (status != CK_OK) return status;
  write_version(self, loaded, at);
  write_options(self, loaded, ck_value_bytes(options), at);
  ck_value_free(options);
  return CK_OK;
}

/* An entry of the profile's list, for the session, or for an agent that has none of that name. */
static ck_status write_policy(description *self, const ck_profile_policy *policy, const entry *at,
                              ck_error *err) {
  loaded_policy loaded;
  ck_status status = ck_policy_load(&loaded, policy, NULL, err);
  if (status != CK_OK) return status;
  bool left_out = at->of_agent < 0 && !at->of_run && self->agent && self->agent->alone;
  if (!left_out || holds_beside(&loaded)) status = write_loaded(self, &loaded, at, err);
  ck_policy_clear(&loaded);
  return status;
}

/* An agent's own entry: in the place of the profile's, or beside it, as its hooks count. */
static ck_status write_own(description *self, const entry *at, ck_error *err) {
  const ck_profile_policy *own = &self->agent->policies[at->of_agent];
  entry beside = *at, theirs = {at->of_profile, NONE, at->of_run, ""};
  loaded_policy loaded;
  ck_buffer prefix = {0};
  ck_status status = ck_policy_load(&loaded, own, NULL, err);
  if (status != CK_OK) return status;
  bool both = at->of_profile >= 0 && holds_beside(&loaded);
  if (both) {
    ck_buffer_append_format(&prefix, "agents.%s.", self->agent->name);
    status = ck_buffer_check(&prefix, err);
    if (status == CK_OK)
      status = write_policy(self, &self->profile->policies[at->of_profile], &theirs, err);
    beside.prefix = prefix.data;
  }
  if (status == CK_OK) status = write_loaded(self, &loaded, &beside, err);
  ck_buffer_clear(&prefix);
  ck_policy_clear(&loaded);
  return status;
}

static ptrdiff_t find_policy(const ck_profile_policy *list, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(list[i].name, name) == 0) return (ptrdiff_t)i;
  }
  return NONE;
}

static ck_status write_policies(description *self, ck_error *err) {
  const ck_profile *profile = self->profile;
  const ck_profile_agent *agent = self->agent;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < profile->policy_count; i++) {
    const ck_profile_policy *policy = &profile->policies[i];
    entry at = {(ptrdiff_t)i,
                agent ? find_policy(agent->policies, agent->policy_count, policy->name) : NONE,
                policy->of_run, ""};
    status = at.of_agent >= 0 ? write_own(self, &at, err) : write_policy(self, policy, &at, err);
  }
  for (size_t i = 0; status == CK_OK && agent && i < agent->policy_count; i++) {
    entry at = {find_policy(profile->policies, profile->policy_count, agent->policies[i].name),
                (ptrdiff_t)i, false, ""};
    if (at.of_profile < 0) status = write_own(self, &at, err);
  }
  return status;
}

/* What another agent's list masks is masked for all. */
static ck_status write_masks_of(const description *self, const ck_profile_agent *agent,
                                ck_error *err) {
  description of = {self->profile, agent, self->w};
  ck_buffer prefix = {0};
  ck_buffer_append_format(&prefix, "agents.%s.", agent->name);
  ck_status status = ck_buffer_check(&prefix, err);
  for (size_t i = 0; status == CK_OK && i < agent->policy_count; i++) {
    const char *name = agent->policies[i].name;
    entry at = {find_policy(self->profile->policies, self->profile->policy_count, name),
                (ptrdiff_t)i, false, prefix.data};
    loaded_policy loaded;
    status = ck_policy_load(&loaded, &agent->policies[i], NULL, err);
    if (status != CK_OK) break;
    if (ck_policy_has(&loaded, POLICY_redact)) status = write_loaded(&of, &loaded, &at, err);
    ck_policy_clear(&loaded);
  }
  ck_buffer_clear(&prefix);
  return status;
}

static ck_status write_masks(const description *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->profile->agent_count; i++)
    if (&self->profile->agents[i] != self->agent)
      status = write_masks_of(self, &self->profile->agents[i], err);
  return status;
}

static ck_status write_secrets(description *self, ck_error *err) {
  ck_buffer key = {0};
  for (size_t i = 0; i < self->profile->secret_count; i++) {
    ck_buffer_reset(&key);
    ck_buffer_append_format(&key, "secrets.%s", self->profile->secrets[i].name);
    const ck_profile_origin *found =
        key.failed ? NULL : ck_profile_get_origin(self->profile, key.data);
    if (found)
      write_row(self, key.data, ck_value_bytes(found->value), author_of(self, found, false));
  }
  ck_status status = ck_buffer_check(&key, err);
  ck_buffer_clear(&key);
  return status;
}

static void write_store_keys(description *self) {
  static const char *const paths[] = {"encrypt", "key"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    const ck_profile_origin *found = ck_profile_get_origin(self->profile, paths[i]);
    if (found)
      write_row(self, paths[i], ck_value_bytes(found->value), author_of(self, found, false));
  }
}

/* Whether the agent has the profile's policies, too. */
static void write_extend(description *self) {
  const ck_profile_origin *own = find_own(self, "extend");
  if (!self->agent) return;
  write_row(self, "extend", ck_bytes_text(self->agent->alone ? "false" : "true"),
            own ? author_of(self, own, true) : author_of_default("built in"));
}

/* The models, and what they cost, as the files have them; secrets by their names. */
static void write_models(description *self) {
  for (size_t i = 0; i < self->profile->origin_count; i++) {
    const ck_profile_origin *origin = &self->profile->origins[i];
    bool shown =
        strncmp(origin->path, "models.", 7) == 0 || strncmp(origin->path, "prices.", 7) == 0;
    if (shown && ck_json_type_of(ck_value_bytes(origin->value)) != CK_JSON_NULL)
      write_row(self, origin->path, ck_value_bytes(origin->value), author_of(self, origin, false));
  }
}

ck_status ck_profile_describe(ck_value **out, const ck_profile *profile, const char *agent,
                              ck_error *err) {
  *out = NULL;
  ck_buffer text = {0};
  description self = {profile, agent ? ck_profile_get_agent(profile, agent) : NULL, {.out = &text}};
  ck_json_begin(&self.w, '[');
  ck_profile_visit_settings(write_setting, &self);
  ck_status status = write_secrets(&self, err);
  write_store_keys(&self);
  write_extend(&self);
  write_models(&self);
  if (status == CK_OK) status = write_policies(&self, err);
  if (status == CK_OK) status = write_masks(&self, err);
  ck_json_end(&self.w, ']');
  if (status == CK_OK) status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
