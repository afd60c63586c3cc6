/* overrides.c - adds what one run sets to a profile, checked against what its policies declare. */
#include "lua/profile/overrides.h"

#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"
#include "lua/profile/reading.h"
#include "lua/vm/names.h"

enum { NAMES_MAX = 64 }; /* that are searched for the nearest one */

/* The names that policies give themselves. */
typedef struct name_list {
  char *names[NAMES_MAX + 1];
  size_t count;
} name_list;

static void clear_names(name_list *self) {
  while (self->count > 0) free(self->names[--self->count]);
}

static ck_status read_name(char **out, const ck_value *about, ck_error *err) {
  *out = ck_json_dup_string(ck_json_get(ck_value_bytes(about), "name"));
  return *out ? CK_OK : ck_error_no_memory(err);
}

/* ---- all policies ---- */

typedef ck_status (*visit_policy)(void *to, ck_profile_policy *entry, const ck_value *about,
                                  ck_error *err);

static ck_status visit_list(const ck_profile *self, ck_profile_policy *list, size_t count,
                            visit_policy visit, void *to, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < count; i++) {
    ck_value *about;
    status = ck_policy_inspect(&about, list[i].name, NULL, self->scripts, err);
    if (status == CK_OK) status = visit(to, &list[i], about, err);
    ck_value_free(about);
  }
  return status;
}

static ck_status visit_all(ck_profile *self, visit_policy visit, void *to, ck_error *err) {
  ck_status status = visit_list(self, self->policies, self->policy_count, visit, to, err);
  for (size_t i = 0; status == CK_OK && i < self->agent_count; i++)
    status =
        visit_list(self, self->agents[i].policies, self->agents[i].policy_count, visit, to, err);
  return status;
}

/* ---- one more policy ---- */

typedef struct addition {
  const ck_profile *profile;
  char *name;
} addition;

static ck_status check_name(void *to, ck_profile_policy *entry, const ck_value *about,
                            ck_error *err) {
  const addition *self = to;
  if (!ck_json_is_text(ck_json_get(ck_value_bytes(about), "name"), self->name)) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "%s%s has a policy %s already, %s: --option %s.KEY=VALUE sets its options, "
                      "and another text of it needs a name of its own",
                      entry->of_run ? "the run" : "profile ",
                      entry->of_run ? "" : self->profile->name, self->name, entry->name,
                      self->name);
}

/* A file that the command line names is read, also where those of the profile are not. */
static ck_status read_added(ck_value **about, const ck_profile *self, const char *name,
                            ck_error *err) {
  bool closed = self->scripts && self->scripts->closed;
  if (closed) self->scripts->closed = false;
  ck_status status = ck_policy_inspect(about, name, NULL, self->scripts, err);
  if (closed) self->scripts->closed = true;
  return status;
}

ck_status ck_profile_add_policy(ck_profile *self, const char *name, ck_error *err) {
  addition added = {.profile = self};
  ck_value *about;
  ck_status status = read_added(&about, self, name, err);
  if (status == CK_OK) status = read_name(&added.name, about, err);
  if (status == CK_OK)
    status = visit_list(self, self->policies, self->policy_count, check_name, &added, err);
  if (status == CK_OK) status = ck_profile_append_run_policy(self, name, err);
  free(added.name);
  ck_value_free(about);
  return status;
}

/* ---- one option ---- */

typedef struct setting {
  const char *policy, *key, *text;
  ck_scripts *scripts;
  ck_value *value; /* {key: value}; NULL: no policy of that name was found yet */
  name_list names;
} setting;

/* A text that a person writes without quotes does not begin like JSON. */
static ck_status read_value(ck_value **out, ck_bytes declared, const char *text, ck_error *err) {
  bool is_text = ck_json_type_of(declared) == CK_JSON_STRING;
  const char *begin = text + strspn(text, " \t\r\n");
  bool begins_json = *begin && strchr(is_text ? "\"" : "[{\"", *begin);
  ck_error no_json = CK_ERROR_INIT;
  if (is_text && !begins_json) return ck_value_text(out, ck_bytes_text(text), err);
  ck_status status = ck_value_new(out, ck_bytes_text(text), &no_json);
  if (status == CK_E_PARSE && !begins_json) return ck_value_text(out, ck_bytes_text(text), err);
  if (status == CK_E_PARSE)
    return ck_error_set(err, CK_E_USAGE, "the value begins like JSON and is none: %s",
                        no_json.text);
  return status == CK_OK ? CK_OK : ck_error_set(err, status, "%s", no_json.text);
}

static ck_status make_member(ck_value **out, const char *key, const ck_value *value,
                             ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, key, ck_value_bytes(value));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status take_value(setting *self, const ck_value *about, ck_error *err) {
  ck_value *value = NULL;
  ck_bytes declared = ck_json_get(ck_json_get(ck_value_bytes(about), "options"), self->key);
  ck_status status = read_value(&value, declared, self->text, err);
  if (status == CK_OK) status = make_member(&self->value, self->key, value, err);
  ck_value_free(value);
  return status;
}

/* The policy itself says what is wrong with its options. */
static ck_status put_value(const setting *self, ck_profile_policy *entry, ck_error *err) {
  ck_value *merged = NULL, *about = NULL;
  ck_status status = ck_profile_merge_options(&merged, entry->options, self->value, err);
  if (status == CK_OK) status = ck_policy_inspect(&about, entry->name, merged, self->scripts, err);
  ck_value_free(about);
  if (status == CK_E_PARSE && err) err->status = CK_E_USAGE;
  if (status != CK_OK) {
    ck_value_free(merged);
    return status == CK_E_PARSE ? CK_E_USAGE : status;
  }
  if (!entry->set_by_run) entry->own = ck_value_share(entry->options);
  entry->set_by_run = true;
  ck_value_free(entry->options);
  entry->options = merged;
  return CK_OK;
}

static ck_status visit_option(void *to, ck_profile_policy *entry, const ck_value *about,
                              ck_error *err) {
  setting *self = to;
  if (!ck_json_is_text(ck_json_get(ck_value_bytes(about), "name"), self->policy)) {
    if (self->names.count == NAMES_MAX) return CK_OK;
    ck_status status = read_name(&self->names.names[self->names.count], about, err);
    if (status == CK_OK) self->names.count++;
    return status;
  }
  ck_value_free(self->value);
  self->value = NULL;
  ck_status status = take_value(self, about, err);
  return status == CK_OK ? put_value(self, entry, err) : status;
}

static ck_status keep_option(ck_profile *self, const setting *given, ck_error *err) {
  const ck_value *before = ck_profile_get_run_options(self, given->policy);
  ck_value *merged;
  if (before && ck_json_get(ck_value_bytes(before), given->key).len > 0)
    return ck_error_set(err, CK_E_USAGE, "it is set twice");
  ck_status status = ck_profile_merge_options(&merged, before, given->value, err);
  if (status == CK_OK) status = ck_profile_put_run_options(self, given->policy, merged, err);
  ck_value_free(merged);
  return status;
}

ck_status ck_profile_set_option(ck_profile *self, const char *policy, const char *key,
                                const char *text, ck_error *err) {
  setting given = {.policy = policy, .key = key, .text = text, .scripts = self->scripts};
  char hint[CK_NAMES_HINT_SIZE];
  ck_status status = visit_all(self, visit_option, &given, err);
  ck_names_hint(hint, policy, (const char *const *)given.names.names);
  if (status == CK_OK && given.value)
    status = keep_option(self, &given, err);
  else if (status == CK_OK)
    status = ck_error_set(err, CK_E_USAGE, "profile %s has no policy '%s'%s%s", self->name, policy,
                          hint, *hint ? "" : "; --policy adds one for the run");
  ck_value_free(given.value);
  clear_names(&given.names);
  return status;
}

/* ---- the record ---- */

static void write_policies(ck_json_writer *w, const ck_profile *self) {
  ck_json_name(w, "policies");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < self->policy_count; i++)
    if (self->policies[i].of_run) ck_json_put_text(w, self->policies[i].name);
  ck_json_end(w, ']');
}

static void write_options(ck_json_writer *w, const ck_profile *self) {
  ck_json_name(w, "options");
  ck_json_begin(w, '{');
  for (size_t i = 0; i < self->run_option_count; i++)
    ck_json_member_raw(w, self->run_options[i].name, ck_value_bytes(self->run_options[i].options));
  ck_json_end(w, '}');
}

ck_status ck_profile_describe_run(ck_value **out, const ck_profile *self, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  bool added = self->policy_count > 0 && self->policies[self->policy_count - 1].of_run;
  *out = NULL;
  if (!added && self->run_option_count == 0) return CK_OK;
  ck_json_begin(&w, '{');
  if (added) write_policies(&w, self);
  if (self->run_option_count > 0) write_options(&w, self);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
