/* profile.c - a profile and those it extends, the lowest first; options that agents inherit come
 * last. */
#include "lua/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/id.h"
#include "lua/policy/policy.h"
#include "lua/profile/reading.h"

enum { EXTENDS_MAX = 8 };

static ck_status read_name(ck_profile *self, const ck_source *source, ck_bytes json,
                           ck_error *err) {
  ck_bytes given = ck_json_get(json, "name");
  if (ck_json_type_of(given) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE, "name: a text is expected");
  char *name = ck_json_dup_string(given);
  if (!name) return ck_error_no_memory(err);
  ck_status status = ck_id_check("name", name, err);
  if (status != CK_OK) {
    free(name);
    return status;
  }
  free(self->name);
  self->name = name;
  free(self->path);
  free(self->source);
  self->path = NULL;
  self->source = strdup(source->name);
  if (!self->source) return ck_error_no_memory(err);
  if (source->shipped) return CK_OK;
  self->path = strdup(source->name);
  return self->path ? CK_OK : ck_error_no_memory(err);
}

/* ---- the chain ---- */

typedef struct link {
  const struct link *below; /* the profile that extends this one */
  const char *name;         /* of its source */
} link;

static ck_status load(ck_profile **out, const char *name, const link *below, profile_sink *sink,
                      ck_error *err);

static ck_status check_chain(const link *below, const char *name, ck_error *err) {
  int depth = 0;
  for (const link *at = below; at; at = at->below, depth++) {
    if (strcmp(at->name, name) == 0)
      return ck_error_set(err, CK_E_PARSE, "%s: extends itself", name);
  }
  if (depth >= EXTENDS_MAX)
    return ck_error_set(err, CK_E_PARSE, "%s: more than %d profiles extend each other", name,
                        EXTENDS_MAX);
  return CK_OK;
}

/* The extended profile, or a new one when there is none, or none that can be read. */
static ck_status load_base(ck_profile **out, const ck_source *source, const link *below,
                           profile_sink *sink, ck_bytes json, ck_error *err) {
  ck_bytes extends = ck_json_get(json, "extends");
  ck_error failure = CK_ERROR_INIT;
  ck_status status = CK_OK;
  *out = NULL;
  if (ck_json_type_of(extends) == CK_JSON_STRING) {
    char *name = ck_json_dup_string(extends),
         *path = name ? ck_profile_resolve(source, name) : NULL;
    status = path ? load(out, path, &(link){below, source->name}, sink, &failure)
                  : ck_error_no_memory(&failure);
    free(path);
    free(name);
  } else if (ck_json_type_of(extends) != CK_JSON_NONE) {
    status = ck_error_set(&failure, CK_E_PARSE, "extends: a name is expected");
  }
  sink->incomplete |= status != CK_OK;
  status = ck_profile_take(sink, source, "extends", status, &failure, err);
  return status == CK_OK && !*out ? ck_profile_new(out, "none", err) : status;
}

static ck_status apply(ck_profile *self, const ck_source *source, profile_sink *sink, ck_bytes json,
                       ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status =
      ck_profile_take(sink, source, "name", read_name(self, source, json, &failure), &failure, err);
  return status == CK_OK ? ck_profile_apply(self, source, sink, json, err) : status;
}

/* A text that is not Lua, or gives no table, is told with its own file and line. */
static ck_status read_table(ck_buffer *json, const ck_source *source, profile_sink *sink,
                            ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_profile_read_table(json, source, &failure);
  if (status == CK_OK) return CK_OK;
  sink->incomplete = true;
  ck_buffer_reset(json);
  ck_buffer_append_format(json, "{\"name\":\"none\"}");
  return ck_profile_take(sink, NULL, "", status, &failure, err);
}

/* A profile that is not there, or extends itself, is a failure; other mistakes go to the sink. */
static ck_status load(ck_profile **out, const char *name, const link *below, profile_sink *sink,
                      ck_error *err) {
  ck_source source;
  ck_profile *profile = NULL;
  ck_buffer json = {0};
  ck_status status = ck_source_read_for(&source, "profile", name, sink->scripts, err);
  if (status != CK_OK) return status;
  status = check_chain(below, source.name, err);
  if (status == CK_OK) status = read_table(&json, &source, sink, err);
  if (status == CK_OK) status = ck_buffer_check(&json, err);
  if (status == CK_OK)
    status = load_base(&profile, &source, below, sink, ck_buffer_bytes(&json), err);
  if (status == CK_OK) status = apply(profile, &source, sink, ck_buffer_bytes(&json), err);
  if (status == CK_OK) {
    ck_profile_add_digest(profile, ck_buffer_bytes(&json));
    *out = profile;
  } else {
    ck_profile_free(profile);
  }
  ck_buffer_clear(&json);
  ck_source_clear(&source);
  return status;
}

/* ---- what agents take over ---- */

static bool has_member(ck_bytes object, ck_bytes raw_name) {
  ck_json_iterator it = ck_json_iterate(object);
  while (ck_json_next(&it)) {
    if (ck_bytes_equal(it.name, raw_name)) return true;
  }
  return false;
}

/* Both were written by the same writer, so equal names have equal spellings. */
ck_status ck_profile_merge_options(ck_value **out, const ck_value *below, const ck_value *above,
                                   ck_error *err) {
  *out = ck_value_share(above ? above : below);
  if (!above || !below) return CK_OK;
  ck_value_free(*out);
  ck_buffer text = {0};
  ck_bytes layers[] = {ck_value_bytes(below), ck_value_bytes(above)};
  ck_buffer_append_char(&text, '{');
  for (int i = 0; i < 2; i++) {
    ck_json_iterator it = ck_json_iterate(layers[i]);
    while (ck_json_next(&it)) {
      if (i == 0 && has_member(layers[1], it.name)) continue;
      if (text.len > 1) ck_buffer_append_char(&text, ',');
      ck_buffer_append_bytes(&text, it.name);
      ck_buffer_append_char(&text, ':');
      ck_buffer_append_bytes(&text, it.value);
    }
  }
  ck_buffer_append_char(&text, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status complete_agent(ck_profile_agent *agent, const ck_profile *profile, ck_error *err) {
  if (agent->replay_depth < 0) agent->replay_depth = profile->replay_depth;
  for (size_t i = 0; i < agent->policy_count; i++) {
    for (size_t k = 0; k < profile->policy_count; k++) {
      if (strcmp(agent->policies[i].name, profile->policies[k].name) != 0) continue;
      ck_value *merged = NULL;
      ck_status status = ck_profile_merge_options(&merged, profile->policies[k].options,
                                                  agent->policies[i].options, err);
      if (status != CK_OK) return status;
      ck_value_free(agent->policies[i].options);
      agent->policies[i].options = merged;
      break;
    }
  }
  return CK_OK;
}

/* With mistakes, too: the count of the sink says whether there are any. */
static ck_status read_all(ck_profile **out, const char *name, profile_sink *sink, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = load(out, name, NULL, sink, &failure);
  if (status != CK_OK) return ck_profile_take(sink, NULL, "", status, &failure, err);
  (*out)->scripts = sink->scripts;
  for (size_t i = 0; status == CK_OK && i < (*out)->agent_count; i++)
    status = complete_agent(&(*out)->agents[i], *out, err);
  if (status == CK_OK) status = ck_profile_settle_prices(*out, err);
  if (status == CK_OK && !sink->incomplete) status = ck_profile_check_models(*out, sink, err);
  return status;
}

ck_status ck_profile_read(ck_profile **out, const char *name, ck_scripts *scripts,
                          ck_profile_problem problem, void *to, ck_error *err) {
  profile_sink sink = {.problem = problem, .to = to, .scripts = scripts};
  ck_profile *profile = NULL;
  *out = NULL;
  ck_status status = read_all(&profile, name, &sink, err);
  if (status == CK_OK && sink.count == 0) {
    *out = profile;
    return CK_OK;
  }
  if (status == CK_OK && profile) status = ck_profile_check_policies(profile, &sink, err);
  ck_profile_free(profile);
  return status;
}

/* They are tried one by one when they cannot be opened. */
ck_status ck_profile_open_policies(ck_policy_engine *out, const ck_profile *profile,
                                   ck_profile_problem problem, void *to, ck_error *err) {
  profile_sink sink = {.problem = problem, .to = to, .scripts = profile->scripts};
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_policy_engine_open(out, profile, &failure);
  if (status == CK_OK) return CK_OK;
  *out = (ck_policy_engine){0};
  if (!ck_profile_is_mistake(status)) return ck_error_set(err, status, "%s", failure.text);
  ck_status tried = ck_profile_check_policies(profile, &sink, err);
  return tried != CK_OK || sink.count > 0 ? tried
                                          : ck_profile_take(&sink, NULL, "", status, &failure, err);
}

static void keep_first(void *to, const ck_error *problem) {
  ck_error *first = to;
  if (first->status == CK_OK) *first = *problem;
}

ck_status ck_profile_load(ck_profile **out, const char *name, ck_error *err) {
  ck_error first = CK_ERROR_INIT;
  profile_sink sink = {.problem = keep_first, .to = &first};
  ck_profile *profile = NULL;
  *out = NULL;
  ck_status status = read_all(&profile, name, &sink, err);
  if (status == CK_OK && sink.count == 1)
    status = ck_error_set(err, first.status, "%s", first.text);
  else if (status == CK_OK && sink.count > 1)
    status = ck_error_set(err, first.status, "%s (and %zu more: 'ckrun profile check' tells all)",
                          first.text, sink.count - 1);
  if (status == CK_OK)
    *out = profile;
  else
    ck_profile_free(profile);
  return status;
}
