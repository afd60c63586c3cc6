/* profile.c - Lua table to JSON inside the VM, then JSON to ck_profile in plain C. */
#include "lua/profile.h"

#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/id.h"
#include "lua/json.h"
#include "lua/names.h"
#include "lua/source.h"

enum { EXTENDS_MAX = 8, JSON_MAX = 256 * 1024 };

static const char *const known_keys[] = {"name", "extends", "constraints", "policies", NULL};
/* Of later versions: their meaning is fixed, so that a profile written for them is not taken for a slip. */
static const char *const later_keys[] = {"secrets", "models", "agents", NULL};

typedef struct {
  const char *name;
  size_t offset; /* in ck_profile, an int64_t */
  double scale;  /* 1: a whole number */
} constraint;
static const constraint constraints[] = {{"budget_usd", offsetof(ck_profile, budget_micros), 1e6},
                                         {"time_s", offsetof(ck_profile, time_ms), 1e3},
                                         {"rounds", offsetof(ck_profile, rounds), 1},
                                         {"tokens", offsetof(ck_profile, tokens), 1},
                                         {"tool_calls", offsetof(ck_profile, tool_calls), 1},
                                         {"model_calls", offsetof(ck_profile, model_calls), 1},
                                         {"transcript_replay_depth", offsetof(ck_profile, replay_depth), 1},
                                         {NULL, 0, 0}};
enum { CONSTRAINT_COUNT = sizeof constraints / sizeof constraints[0] };

/* ---- in the VM: the table as JSON, policies as [{"name", "options"?}] ---- */

typedef struct {
  const ck_source *source;
  ck_buffer json; /* owned by the caller of ck_vm_call */
} table_read;

static bool is_listed(const char *const *names, const char *name) {
  for (; *names; names++) {
    if (strcmp(*names, name) == 0) return true;
  }
  return false;
}

static void check_key(lua_State *L, const ck_sandbox_key *key) {
  if (key->type != LUA_TSTRING) ck_vm_raise_plain(L, CK_E_PARSE, "a profile's keys are names");
  if (is_listed(known_keys, key->text)) return;
  if (is_listed(later_keys, key->text)) {
    ck_vm_raise_plain(L, CK_E_UNSUPPORTED, "key '%s' is not supported by this version of ckrun", key->text);
  }
  char hint[CK_NAMES_HINT_SIZE];
  ck_names_hint(hint, key->text, known_keys);
  ck_vm_raise_plain(L, CK_E_PARSE, "unknown key '%s'%s", key->text, hint);
}

/* Stack: … the policy's entry. { "smart", slow_ms = 1 } becomes {"name":"smart","options":{"slow_ms":1}}. */
static void append_policy(table_read *read, lua_State *L, lua_Integer index) {
  ck_json_writer w = {.out = &read->json};
  int entry = lua_gettop(L);
  if (lua_type(L, entry) == LUA_TSTRING) lua_pushvalue(L, entry);
  else if (lua_istable(L, entry)) lua_rawgeti(L, entry, 1);
  else lua_pushnil(L);
  if (lua_type(L, -1) != LUA_TSTRING) {
    ck_vm_raise_plain(L, CK_E_PARSE, "policies[%d]: \"name\" or { \"name\", option = value } is expected", (int)index);
  }
  size_t len;
  const char *name = lua_tolstring(L, -1, &len);
  ck_json_begin(&w, '{');
  ck_json_member_string(&w, "name", (ck_bytes){name, len});
  if (lua_istable(L, entry)) {
    lua_pushnil(L);
    lua_rawseti(L, entry, 1);
    ck_json_name(&w, "options");
    ck_json_append_lua(&read->json, L, entry, JSON_MAX);
    w.comma = true;
  }
  ck_json_end(&w, '}');
  lua_settop(L, entry);
}

static void append_policies(table_read *read, lua_State *L) {
  size_t count;
  if (!lua_istable(L, -1)) ck_vm_raise_plain(L, CK_E_PARSE, "policies: a list is expected");
  ck_sandbox_push_keys(&count, L, -1);
  lua_pop(L, 1);
  if (count != lua_rawlen(L, -1)) ck_vm_raise_plain(L, CK_E_PARSE, "policies: a list without names and gaps is expected");
  ck_buffer_append_char(&read->json, '[');
  for (size_t i = 1; i <= count; i++) {
    if (i > 1) ck_buffer_append_char(&read->json, ',');
    lua_rawgeti(L, -1, (lua_Integer)i);
    append_policy(read, L, (lua_Integer)i);
    lua_pop(L, 1);
  }
  ck_buffer_append_char(&read->json, ']');
}

static int read_table(lua_State *L) {
  table_read *read = lua_touserdata(L, 1);
  ck_vm_push_chunk(L, read->source->name, read->source->text);
  lua_call(L, 0, 1);
  if (!lua_istable(L, -1)) ck_vm_raise_plain(L, CK_E_PARSE, "a profile returns a table, not a %s", ck_sandbox_type(L, -1));
  int table = lua_gettop(L);
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, table);
  ck_buffer_append_char(&read->json, '{');
  for (size_t i = 0; i < count; i++) {
    check_key(L, &keys[i]);
    if (i > 0) ck_buffer_append_char(&read->json, ',');
    ck_json_append_string(&read->json, ck_bytes_text(keys[i].text));
    ck_buffer_append_char(&read->json, ':');
    lua_getfield(L, table, keys[i].text);
    if (strcmp(keys[i].text, "policies") == 0) append_policies(read, L);
    else ck_json_append_lua(&read->json, L, -1, JSON_MAX);
    lua_pop(L, 1);
  }
  ck_buffer_append_char(&read->json, '}');
  return 0;
}

/* ---- JSON to ck_profile ---- */

static ck_status read_constraint(ck_profile *self, const constraint *row, ck_bytes value, ck_error *err) {
  int64_t *field = (int64_t *)(void *)((char *)self + row->offset);
  bool truth;
  double number;
  if (ck_json_read_bool(&truth, value) && !truth) {
    *field = -1;
    return CK_OK;
  }
  if (!ck_json_read_double(&number, value)) {
    return ck_error_set(err, CK_E_PARSE, "constraints.%s: a number is expected, or false for no limit", row->name);
  }
  double scaled = number * row->scale;
  if (!(scaled >= 0) || scaled > 9e15 || (row->scale == 1 && scaled != floor(scaled))) {
    return ck_error_set(err, CK_E_PARSE, "constraints.%s: %.14g is not %s", row->name, number,
                        row->scale == 1 ? "a whole number from 0" : "a number from 0");
  }
  *field = llround(scaled);
  return CK_OK;
}

static ck_status refuse_constraint(const char *name, ck_error *err) {
  const char *names[CONSTRAINT_COUNT + 1] = {"on_limit"};
  char hint[CK_NAMES_HINT_SIZE];
  for (size_t i = 0; constraints[i].name; i++) names[i + 1] = constraints[i].name;
  ck_names_hint(hint, name, names);
  return ck_error_set(err, CK_E_PARSE, "constraints: unknown key '%s'%s", name, hint);
}

static ck_status read_one_constraint(ck_profile *self, ck_bytes raw_name, ck_bytes value, ck_error *err) {
  if (ck_json_is_text(raw_name, "on_limit")) {
    if (ck_json_is_text(value, "pause")) return CK_OK;
    return ck_error_set(err, CK_E_UNSUPPORTED, "constraints.on_limit: \"pause\" is what this version of ckrun does");
  }
  for (const constraint *row = constraints; row->name; row++) {
    if (ck_json_is_text(raw_name, row->name)) return read_constraint(self, row, value, err);
  }
  char *name = ck_json_dup_string(raw_name);
  if (!name) return ck_error_no_memory(err);
  ck_status status = refuse_constraint(name, err);
  free(name);
  return status;
}

static ck_status read_constraints(ck_profile *self, ck_bytes object, ck_error *err) {
  ck_json_type type = ck_json_type_of(object);
  if (type == CK_JSON_NONE) return CK_OK;
  if (type != CK_JSON_OBJECT) return ck_error_set(err, CK_E_PARSE, "constraints: a table with names is expected");
  ck_json_iterator it = ck_json_iterate(object);
  while (ck_json_next(&it)) {
    ck_status status = read_one_constraint(self, it.name, it.value, err);
    if (status != CK_OK) return status;
  }
  return CK_OK;
}

/* The path as seen from the profile's own folder; other names as they are. malloc'd. */
static char *resolve(const ck_source *source, const char *name) {
  const char *slash = source->shipped ? NULL : strrchr(source->name, '/');
  if (!ck_source_is_path(name) || name[0] == '/' || !slash) return strdup(name);
  ck_buffer path = {0};
  ck_buffer_append(&path, source->name, (size_t)(slash - source->name) + 1);
  ck_buffer_append_text(&path, strncmp(name, "./", 2) == 0 ? name + 2 : name);
  return ck_buffer_take(&path);
}

static ck_status read_policy(ck_profile *self, const ck_source *source, ck_bytes entry, ck_error *err) {
  ck_status status = CK_E_NO_MEMORY;
  ck_value *options = NULL;
  char *path = NULL;
  char *name = ck_json_dup_string(ck_json_get(entry, "name"));
  if (name) path = resolve(source, name);
  if (!path) {
    ck_error_no_memory(err);
    goto done;
  }
  ck_bytes given = ck_json_get(entry, "options");
  status = given.len > 0 ? ck_value_copy(&options, given, err) : CK_OK;
  if (status == CK_OK) status = ck_profile_append_policy(self, path, options, err);
done:
  ck_value_free(options);
  free(path);
  free(name);
  return status;
}

static void forget_policies(ck_profile *self) {
  for (size_t i = 0; i < self->policy_count; i++) {
    free(self->policies[i].name);
    ck_value_free(self->policies[i].options);
  }
  self->policy_count = 0;
}

static ck_status read_policies(ck_profile *self, const ck_source *source, ck_bytes list, ck_error *err) {
  if (ck_json_type_of(list) == CK_JSON_NONE) return CK_OK;
  forget_policies(self);
  ck_json_iterator it = ck_json_iterate(list);
  while (ck_json_next(&it)) {
    ck_status status = read_policy(self, source, it.value, err);
    if (status != CK_OK) return status;
  }
  return CK_OK;
}

static ck_status read_name(ck_profile *self, const ck_source *source, ck_bytes json, ck_error *err) {
  ck_bytes given = ck_json_get(json, "name");
  if (ck_json_type_of(given) != CK_JSON_STRING) return ck_error_set(err, CK_E_PARSE, "name: a text is expected");
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
  self->path = NULL;
  if (source->shipped) return CK_OK;
  self->path = strdup(source->name);
  return self->path ? CK_OK : ck_error_no_memory(err);
}

/* ---- the chain ---- */

typedef struct link {
  const struct link *below; /* the profile that extends this one */
  const char *name;         /* of its source */
} link;

static ck_status load(ck_profile **out, const char *name, const link *below, ck_error *err);

static ck_status check_chain(const link *below, const char *name, ck_error *err) {
  int depth = 0;
  for (const link *at = below; at; at = at->below, depth++) {
    if (strcmp(at->name, name) == 0) return ck_error_set(err, CK_E_PARSE, "%s: extends itself", name);
  }
  if (depth >= EXTENDS_MAX) return ck_error_set(err, CK_E_PARSE, "%s: more than %d profiles extend each other", name, EXTENDS_MAX);
  return CK_OK;
}

/* The extended profile, or a new one when there is none. */
static ck_status load_base(ck_profile **out, const ck_source *source, const link *below, ck_bytes json, ck_error *err) {
  ck_bytes extends = ck_json_get(json, "extends");
  if (ck_json_type_of(extends) == CK_JSON_NONE) return ck_profile_new(out, "none", err);
  if (ck_json_type_of(extends) != CK_JSON_STRING) {
    return ck_error_set(err, CK_E_PARSE, "%s: extends: a name is expected", source->name);
  }
  char *path = NULL;
  char *name = ck_json_dup_string(extends);
  if (name) path = resolve(source, name);
  ck_status status = path ? load(out, path, &(link){below, source->name}, err) : ck_error_no_memory(err);
  free(path);
  free(name);
  return status;
}

static ck_status apply(ck_profile *self, const ck_source *source, ck_bytes json, ck_error *err) {
  ck_status status = read_name(self, source, json, err);
  if (status == CK_OK) status = read_constraints(self, ck_json_get(json, "constraints"), err);
  if (status == CK_OK) status = read_policies(self, source, ck_json_get(json, "policies"), err);
  if (status != CK_OK && status != CK_E_NO_MEMORY) ck_error_prefix(err, "%s", source->name);
  return status;
}

static ck_status read_json(table_read *read, ck_error *err) {
  ck_vm_limits limits = ck_vm_policy_limits;
  limits.raised = limits.timed_out = CK_E_PARSE;
  ck_vm *vm;
  ck_status status = ck_vm_new(&vm, &limits, NULL, err);
  if (status != CK_OK) return status;
  status = ck_vm_call(vm, read_table, read, err);
  ck_vm_free(vm);
  if (status == CK_OK) return ck_buffer_check(&read->json, err);
  if (err && status != CK_E_NO_MEMORY && strncmp(err->text, read->source->name, strlen(read->source->name)) != 0) {
    ck_error_prefix(err, "%s", read->source->name);
  }
  return status;
}

static ck_status load(ck_profile **out, const char *name, const link *below, ck_error *err) {
  ck_source source;
  ck_profile *profile = NULL;
  table_read read = {.source = &source};
  ck_status status = ck_source_read(&source, "profile", name, err);
  if (status != CK_OK) return status;
  status = check_chain(below, source.name, err);
  if (status == CK_OK) status = read_json(&read, err);
  if (status == CK_OK) status = load_base(&profile, &source, below, ck_buffer_bytes(&read.json), err);
  if (status == CK_OK) status = apply(profile, &source, ck_buffer_bytes(&read.json), err);
  if (status == CK_OK) *out = profile;
  else ck_profile_free(profile);
  ck_buffer_clear(&read.json);
  ck_source_clear(&source);
  return status;
}

ck_status ck_profile_load(ck_profile **out, const char *name, ck_error *err) {
  *out = NULL;
  return load(out, name, NULL, err);
}
