/* apply.c - sets what one profile has, key by key: settings, policies, agents, secrets, keys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/id.h"
#include "lua/profile/foreign.h"
#include "lua/profile/settings.h"

/* ---- lists of policies ---- */

/* What is wrong with a list or an entry that the table's reader found. */
static ck_status read_problem(ck_bytes from, ck_error *err) {
  ck_buffer text = {0};
  if (ck_json_type_of(from) != CK_JSON_OBJECT || ck_json_get(from, "problem").len == 0)
    return CK_OK;
  ck_json_read_string(&text, ck_json_get(from, "problem"));
  ck_status status =
      ck_error_set(err, CK_E_PARSE, "%s", text.failed || !text.data ? "policies" : text.data);
  ck_buffer_clear(&text);
  return status;
}

static ck_status put_policy(const profile_target *to, ck_bytes entry, ck_error *err) {
  ck_value *options = NULL;
  char *name = ck_json_dup_string(ck_json_get(entry, "name"));
  char *path = name ? ck_profile_resolve(to->source, name) : NULL;
  ck_bytes given = ck_json_get(entry, "options");
  ck_status status = path ? CK_OK : ck_error_no_memory(err);
  if (status == CK_OK && given.len > 0) status = ck_value_copy(&options, given, err);
  if (status == CK_OK && to->agent)
    status = ck_profile_append_agent_policy(to->agent, path, options, err);
  else if (status == CK_OK)
    status = ck_profile_append_policy(to->profile, path, options, err);
  ck_value_free(options);
  free(path);
  free(name);
  return status;
}

static ck_status put_policies(const profile_target *to, ck_bytes list, ck_error *err) {
  ck_status status = read_problem(list, err);
  if (status != CK_OK) return status;
  if (to->agent)
    ck_profile_clear_agent_policies(to->agent);
  else
    ck_profile_clear_policies(to->profile);
  ck_json_iterator it = ck_json_iterate(list);
  for (int i = 1; status == CK_OK && ck_json_next(&it); i++) {
    char path[2 * PROFILE_PATH_MAX];
    ck_error failure = CK_ERROR_INIT;
    snprintf(path, sizeof path, "%s.[%d]", to->path, i);
    status = read_problem(it.value, &failure);
    if (status == CK_OK) status = put_policy(to, it.value, &failure);
    status = ck_profile_take(to->sink, to->source, path, status, &failure, err);
  }
  return status == CK_OK ? ck_profile_set_origin(to, "policies", list, err) : status;
}

/* ---- members of tables ---- */

typedef ck_status (*put_member)(const profile_target *to, const char *section, const char *name,
                                ck_bytes value, ck_error *err);

/* Each mistake is told, and the others are set. */
static ck_status each_member(const profile_target *to, const char *section, ck_bytes object,
                             put_member put, ck_error *err) {
  if (ck_json_type_of(object) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "%s: a table with names is expected", section);
  ck_json_iterator it = ck_json_iterate(object);
  ck_status status = CK_OK;
  while (status == CK_OK && ck_json_next(&it)) {
    char path[2 * PROFILE_PATH_MAX];
    ck_error failure = CK_ERROR_INIT;
    profile_target of = *to;
    char *name = ck_json_dup_string(it.name);
    snprintf(path, sizeof path, "%s%s%s", to->path, *to->path ? "." : "", name ? name : "");
    of.path = path;
    status = name ? put(&of, section, name, it.value, &failure) : ck_error_no_memory(&failure);
    if (ck_profile_is_mistake(status) && to->agent)
      ck_error_prefix(&failure, "agents.%s", to->agent->name);
    status = ck_profile_take(to->sink, to->source, path, status, &failure, err);
    free(name);
  }
  return status;
}

static ck_status put_in_section(const profile_target *to, const char *section, const char *name,
                                ck_bytes value, ck_error *err) {
  char path[PROFILE_PATH_MAX];
  snprintf(path, sizeof path, "%s.%s", section, name);
  bool known;
  ck_status status = ck_profile_put_setting(&known, to, path, value, err);
  return known ? status : ck_profile_refuse_key(to, section, name, value, err);
}

static ck_status put_unmetered(const profile_target *to, ck_bytes value, ck_error *err) {
  if (!ck_json_read_bool(&to->agent->unmetered, value))
    return ck_error_set(err, CK_E_PARSE, "unmetered: true or false is expected");
  return ck_profile_set_origin(to, "unmetered", value, err);
}

static ck_status put_extend(const profile_target *to, ck_bytes value, ck_error *err) {
  bool extend;
  if (!ck_json_read_bool(&extend, value))
    return ck_error_set(err, CK_E_PARSE, "extend: true or false is expected");
  to->agent->alone = !extend;
  return ck_profile_set_origin(to, "extend", value, err);
}

static ck_status put_in_agent(const profile_target *to, const char *section, const char *name,
                              ck_bytes value, ck_error *err) {
  (void)section;
  if (strcmp(name, "constraints") == 0) return each_member(to, name, value, put_in_section, err);
  if (strcmp(name, "policies") == 0) return put_policies(to, value, err);
  if (strcmp(name, "unmetered") == 0) return put_unmetered(to, value, err);
  if (strcmp(name, "extend") == 0) return put_extend(to, value, err);
  return ck_profile_refuse_key(to, NULL, name, value, err);
}

static ck_status put_agent(const profile_target *to, const char *section, const char *name,
                           ck_bytes value, ck_error *err) {
  (void)section;
  profile_target of = *to;
  ck_status status = ck_id_check("agents: a name", name, err);
  if (status != CK_OK) return status;
  status = ck_profile_put_agent(&of.agent, to->profile, name, err);
  if (status != CK_OK) return status;
  status = each_member(&of, name, value, put_in_agent, err);
  if (ck_profile_is_mistake(status)) ck_error_prefix(err, "agents.%s", name);
  return status;
}

static ck_status put_secret(const profile_target *to, const char *section, const char *name,
                            ck_bytes value, ck_error *err) {
  char path[PROFILE_PATH_MAX];
  char *ref;
  ck_buffer json = {0};
  ck_status status = ck_id_check("secrets: a name", name, err);
  snprintf(path, sizeof path, "%s.%s", section, name);
  if (status == CK_OK) status = ck_profile_read_ref(&ref, to->source, path, value, err);
  if (status != CK_OK) return status;
  ck_json_append_string(&json, ck_bytes_text(ref));
  status = ck_buffer_check(&json, err);
  if (status == CK_OK) status = ck_profile_put_secret(to->profile, name, ref, err);
  if (status == CK_OK) status = ck_profile_set_origin(to, path, ck_buffer_bytes(&json), err);
  ck_buffer_clear(&json);
  free(ref);
  return status;
}

static ck_status put_key(const profile_target *to, ck_bytes value, ck_error *err) {
  char *ref;
  ck_buffer json = {0};
  ck_status status = ck_profile_read_key_ref(&ref, to->source, "key", value, err);
  if (status != CK_OK) return status;
  free(to->profile->key_ref);
  to->profile->key_ref = ref;
  ck_json_append_string(&json, ck_bytes_text(ref));
  status = ck_buffer_check(&json, err);
  if (status == CK_OK) status = ck_profile_set_origin(to, "key", ck_buffer_bytes(&json), err);
  ck_buffer_clear(&json);
  return status;
}

static ck_status put_encrypt(const profile_target *to, ck_bytes value, ck_error *err) {
  bool truth;
  if (!ck_json_read_bool(&truth, value))
    return ck_error_set(err, CK_E_PARSE, "encrypt: true or false is expected");
  to->profile->encrypt = truth ? CK_ENCRYPT_ALWAYS : CK_ENCRYPT_NEVER;
  return ck_profile_set_origin(to, "encrypt", value, err);
}

/* A member of another system's table: nothing stands there. */
static ck_status put_of_foreign(const profile_target *to, const char *section, const char *name,
                                ck_bytes value, ck_error *err) {
  if (!ck_profile_has_setting(name)) return ck_profile_refuse_key(to, NULL, name, value, err);
  return ck_error_set(err, CK_E_PARSE, "key '%s' stands at the top of a profile, not in '%s'", name,
                      section);
}

static ck_status put_at_top(const profile_target *to, const char *section, const char *name,
                            ck_bytes value, ck_error *err) {
  (void)section;
  if (strcmp(name, "name") == 0 || strcmp(name, "extends") == 0) return CK_OK;
  if (strcmp(name, "policies") == 0) return put_policies(to, value, err);
  if (strcmp(name, "agents") == 0) return each_member(to, name, value, put_agent, err);
  if (strcmp(name, "secrets") == 0) return each_member(to, name, value, put_secret, err);
  if (strcmp(name, "key") == 0) return put_key(to, value, err);
  if (strcmp(name, "encrypt") == 0) return put_encrypt(to, value, err);
  if (ck_profile_is_foreign_table(name, value))
    return each_member(to, name, value, put_of_foreign, err);
  if (strcmp(name, "models") == 0)
    return ck_profile_apply_models(to->profile, to->source, to->sink, value, err);
  if (strcmp(name, "prices") == 0)
    return ck_profile_apply_prices(to->profile, to->source, to->sink, value, err);
  if (ck_profile_is_section(name)) return each_member(to, name, value, put_in_section, err);
  bool known = false;
  ck_status status = CK_OK;
  if (!strchr(name, '.')) status = ck_profile_put_setting(&known, to, name, value, err);
  return known ? status : ck_profile_refuse_key(to, NULL, name, value, err);
}

ck_status ck_profile_apply(ck_profile *self, const ck_source *source, profile_sink *sink,
                           ck_bytes json, ck_error *err) {
  return each_member(&(profile_target){self, NULL, source, sink, ""}, "a profile", json, put_at_top,
                     err);
}
