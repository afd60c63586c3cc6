/* load.c - loads one policy: the table it returns is checked key by key, its options are merged and
 * frozen. */
#include "lua/policy/load.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "lua/vm/json.h"
#include "lua/vm/modules.h"
#include "lua/vm/names.h"
#include "lua/vm/source.h"
#include "lua/policy/allowed.h"
#include "lua/policy/ranges.h"
#include "lua/policy/view.h"

enum { OPTIONS_MAX = 256 * 1024 };

static const char *const known_keys[] = {"name",
                                         "version",
                                         "options",
                                         "allowed",
                                         "check",
                                         "ranges",
#define X(name, ...) #name,
                                         CK_POLICY_HOOK_TABLE(X)
#undef X
                                             NULL};
const policy_hook_type ck_policy_hooks[POLICY_HOOK_COUNT] = {
#define X(name, ...) {#name, __VA_ARGS__},
    CK_POLICY_HOOK_TABLE(X)
#undef X
};

typedef struct {
  loaded_policy *self;
  const ck_source *source;
  const ck_value *overrides; /* JSON object; NULL: none */
  ck_buffer defaults;        /* JSON; owned by the caller of ck_vm_call */
  ck_modules modules;
  const policy_probe *probe; /* NULL: none */
} loading;

/* ---- the table ---- */

static void check_key(lua_State *L, const ck_sandbox_key *key) {
  if (key->type != LUA_TSTRING) ck_vm_raise_plain(L, CK_E_PARSE, "a policy's keys are names");
  for (const char *const *name = known_keys; *name; name++) {
    if (strcmp(*name, key->text) == 0) return;
  }
  char hint[CK_NAMES_HINT_SIZE];
  ck_names_hint(hint, key->text, known_keys);
  ck_vm_raise_plain(L, CK_E_PARSE, "unknown key '%s'%s", key->text, hint);
}

static void check_keys(lua_State *L, int table) {
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, table);
  for (size_t i = 0; i < count; i++) check_key(L, &keys[i]);
  lua_pop(L, 1);
}

static void read_name(loaded_policy *self, lua_State *L, int table) {
  lua_getfield(L, table, "name");
  size_t len = 0;
  const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &len) : "";
  if (len == 0 || len >= POLICY_NAME_SIZE ||
      strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != len) {
    ck_vm_raise_plain(L, CK_E_PARSE, "name: a text of a to z, 0 to 9 and _ is expected");
  }
  memcpy(self->name, name, len + 1);
  lua_pop(L, 1);
}

static void read_version(loaded_policy *self, lua_State *L, int table) {
  lua_getfield(L, table, "version");
  self->version = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
  if (self->version < 1)
    ck_vm_raise_plain(L, CK_E_PARSE, "version: a whole number from 1 is expected");
  lua_pop(L, 1);
}

/* Several hooks may show the same one. */
static void keep_view(loaded_policy *self, lua_State *L, ck_view_kind kind) {
  if (kind == CK_VIEW_COUNT || kind == CK_VIEW_CHECKPOINT || self->slots[kind].made) return;
  self->slots[kind].made = true;
  ck_view_push(L, kind, &self->slots[kind]);
  self->views[kind] = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Stack: … the hook. Takes it. */
static void keep_hook(loaded_policy *self, lua_State *L, int hook) {
  lua_Debug about;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &about);
  self->lines[hook] = about.linedefined;
  self->hooks[hook] = luaL_ref(L, LUA_REGISTRYINDEX);
  keep_view(self, L, ck_policy_hooks[hook].view);
  if (hook == POLICY_permit) keep_view(self, L, CK_VIEW_AT);
  if (hook != POLICY_resume) return;
  ck_view_push(L, CK_VIEW_CHECKPOINT, &self->resumed);
  self->resumed_view = luaL_ref(L, LUA_REGISTRYINDEX);
}

static void read_hooks(loaded_policy *self, lua_State *L, int table) {
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    self->hooks[i] = LUA_NOREF;
    int type = lua_getfield(L, table, ck_policy_hooks[i].name);
    if (type == LUA_TFUNCTION) {
      keep_hook(self, L, i);
      continue;
    }
    if (type != LUA_TNIL) {
      ck_vm_raise_plain(L, CK_E_PARSE, "%s: a function is expected, not a %s",
                        ck_policy_hooks[i].name, ck_sandbox_type(L, -1));
    }
    lua_pop(L, 1);
  }
}

/* ---- options ---- */

static void refuse_option(lua_State *L, const char *name, int options) {
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, options);
  const char **names = lua_newuserdatauv(L, (count + 1) * sizeof *names, 0);
  for (size_t i = 0; i < count; i++) names[i] = keys[i].text;
  names[count] = NULL;
  char hint[CK_NAMES_HINT_SIZE];
  ck_names_hint(hint, name, names);
  ck_vm_raise_plain(L, CK_E_PARSE, "unknown option '%s'%s", name, hint);
}

/* Of tables, too, what they hold: an empty one can be either. */
static const char shape_list[] = "list", shape_names[] = "table with names",
                  shape_empty[] = "table";

static const char *shape_of(lua_State *L, int index) {
  if (!lua_istable(L, index)) return ck_sandbox_type(L, index);
  if (lua_rawlen(L, index) > 0) return shape_list;
  index = lua_absindex(L, index);
  lua_pushnil(L);
  if (!lua_next(L, index)) return shape_empty;
  lua_pop(L, 2);
  return shape_names;
}

static bool is_of_shape(const char *got, const char *want) {
  bool got_table = got == shape_list || got == shape_names || got == shape_empty;
  bool want_table = want == shape_list || want == shape_names || want == shape_empty;
  if (got_table && want_table) return got == want || got == shape_empty || want == shape_empty;
  return strcmp(want, got) == 0 || strcmp(want, "null") == 0;
}

/* The shape of an element of the list at `want` that the value at `got` is of; NULL: of none. */
static const char *find_element(const char **expected, lua_State *L, int want, int got) {
  const char *shape = shape_of(L, got), *found = NULL;
  *expected = NULL;
  for (lua_Integer i = 1; !found && i <= (lua_Integer)lua_rawlen(L, want); i++) {
    lua_rawgeti(L, want, i);
    const char *declared = shape_of(L, -1);
    if (!*expected) *expected = declared;
    if (is_of_shape(shape, declared)) found = declared;
    lua_pop(L, 1);
  }
  return found;
}

/* The elements of a default say of what types a list may be; one without elements says nothing. */
static void check_elements(lua_State *L, const char *name, int want, int got) {
  const char *expected;
  if (!lua_istable(L, want) || lua_rawlen(L, want) == 0) return;
  for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, got); i++) {
    lua_rawgeti(L, got, i);
    if (!find_element(&expected, L, want, lua_gettop(L)))
      ck_vm_raise_plain(L, CK_E_PARSE, "option '%s': element %d: a %s is expected, not a %s", name,
                        (int)i, expected, shape_of(L, -1));
    lua_pop(L, 1);
  }
}

/* Stack: … the option's name, the value that overrides it. */
static void override_option(lua_State *L, int options) {
  const char *name = lua_tostring(L, -2);
  lua_pushvalue(L, -2);
  lua_rawget(L, options);
  if (lua_isnil(L, -1)) refuse_option(L, name, options);
  const char *want = shape_of(L, -1), *got = shape_of(L, -2);
  if (!is_of_shape(got, want)) {
    ck_vm_raise_plain(L, CK_E_PARSE, "option '%s': a %s is expected, not a %s", name, want, got);
  }
  check_elements(L, name, lua_gettop(L), lua_gettop(L) - 1);
  lua_pop(L, 1);
  lua_rawset(L, options);
}

/* Defaults pass through JSON: they are plain data, copied from the policy's own table. */
static void read_options(loading *load, lua_State *L, int table) {
  if (lua_getfield(L, table, "options") == LUA_TNIL) {
    lua_newtable(L);
    lua_replace(L, -2);
  }
  if (!lua_istable(L, -1))
    ck_vm_raise_plain(L, CK_E_PARSE, "options: a table of defaults is expected");
  ck_json_append_lua(&load->defaults, L, -1, OPTIONS_MAX);
  ck_json_push(L, ck_buffer_bytes(&load->defaults));
  int options = lua_gettop(L);
  if (lua_rawlen(L, options) > 0)
    ck_vm_raise_plain(L, CK_E_PARSE, "options: names with defaults are expected, not a list");
  if (load->overrides) {
    ck_json_push(L, ck_value_bytes(load->overrides));
    int overrides = lua_gettop(L);
    if (!lua_istable(L, overrides))
      ck_vm_raise_plain(L, CK_E_PARSE, "options: names with values are expected");
    lua_pushnil(L);
    while (lua_next(L, overrides)) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      if (lua_type(L, -2) != LUA_TSTRING)
        ck_vm_raise_plain(L, CK_E_PARSE, "options: names with values are expected");
      override_option(L, options);
    }
    lua_settop(L, options);
  }
  ck_allowed_check(L, table, options);
  ck_policy_read_ranges(&load->self->ranges, L, table, options);
  ck_sandbox_freeze_lasting(L);
  ck_allowed_call(L, table);
  load->self->options = luaL_ref(L, LUA_REGISTRYINDEX);
}

static void set_probe(lua_State *L, const policy_probe *probe) {
  ck_sandbox_push_env(L);
  lua_pushstring(L, "__ck_probe");
  lua_pushlightuserdata(L, probe->of);
  lua_pushcclosure(L, probe->call, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

static int load_body(lua_State *L) {
  loading *load = lua_touserdata(L, 1);
  loaded_policy *self = load->self;
  if (load->probe) set_probe(L, load->probe);
  if (!load->source->shipped) ck_modules_open(&load->modules, L);
  ck_vm_push_chunk(L, load->source->name, load->source->text);
  lua_Debug about;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &about);
  memcpy(self->file, about.short_src, sizeof self->file);
  lua_call(L, 0, 1);
  ck_modules_close(L);
  if (!lua_istable(L, -1))
    ck_vm_raise_plain(L, CK_E_PARSE, "a policy returns a table, not a %s", ck_sandbox_type(L, -1));
  int table = lua_gettop(L);
  check_keys(L, table);
  read_name(self, L, table);
  read_version(self, L, table);
  read_hooks(self, L, table);
  read_options(load, L, table);
  return 0;
}

static ck_vm_limits limits_of(const policy_probe *probe) {
  ck_vm_limits limits = ck_vm_policy_limits;
  if (!probe) return limits;
  limits.instructions *= PROBED_TIMES;
  limits.time_us *= PROBED_TIMES;
  return limits;
}

static ck_status load_source(loading *load, ck_scripts *scripts, ck_error *err) {
  loaded_policy *self = load->self;
  const ck_source *source = load->source;
  const ck_vm_limits limits = limits_of(load->probe);
  load->modules = (ck_modules){
      .kind = "policy_module", .chunk = source->name, .path = source->name, .scripts = scripts};
  ck_status status = ck_vm_new(&self->vm, &limits, NULL, err);
  if (status != CK_OK) return status;
  status = ck_vm_call(self->vm, load_body, load, err);
  self->digest = ck_modules_digest(&load->modules, &source->digest);
  ck_modules_clear(&load->modules);
  ck_buffer_clear(&load->defaults);
  bool named = err && strncmp(err->text, source->name, strlen(source->name)) == 0;
  if (status != CK_OK && status != CK_E_NO_MEMORY && !named)
    ck_error_prefix(err, "%s", source->name);
  return status;
}

/* What the profile says: defaults are part of the policy's text, and a run's words of that run. */
static void keep_options(loaded_policy *self, const ck_value *options) {
  self->has_options = options && ck_json_count(ck_value_bytes(options)) > 0;
  if (!self->has_options) return;
  self->set = ck_value_share(options);
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_value_bytes(options));
  self->options_digest = ck_digester_final(&digester);
}

static ck_status write_reason(loaded_policy *self, ck_error *err) {
  ck_json_writer w = {.out = &self->reason};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "policy", self->name);
  ck_json_member_int(&w, "version", self->version);
  ck_json_name(&w, "reason");
  return ck_buffer_check(&self->reason, err);
}

ck_status ck_policy_load_probed(loaded_policy *self, const ck_profile_policy *from,
                                ck_scripts *scripts, const policy_probe *probe, ck_error *err) {
  *self = (loaded_policy){.replaces = SIZE_MAX};
  ck_source source;
  ck_status status = ck_source_read_for(&source, "policy", from->name, scripts, err);
  if (status != CK_OK) return status;
  self->of_run = from->of_run;
  self->shipped = source.shipped;
  keep_options(self, from->set_by_run ? from->own : from->options);
  loading load = {.self = self, .source = &source, .overrides = from->options, .probe = probe};
  if (!source.shipped) status = ck_text_copy(&self->path, source.name, err);
  if (status == CK_OK) status = load_source(&load, scripts, err);
  if (status == CK_OK) status = write_reason(self, err);
  if (status != CK_OK) ck_policy_clear(self);
  ck_source_clear(&source);
  return status;
}

ck_status ck_policy_load(loaded_policy *self, const ck_profile_policy *from, ck_scripts *scripts,
                         ck_error *err) {
  return ck_policy_load_probed(self, from, scripts, NULL, err);
}

ck_status ck_policy_check_agent(const loaded_policy *self, ck_error *err) {
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    if (self->hooks[i] == LUA_NOREF || ck_policy_hooks[i].reach != HOOK_OF_SESSION) continue;
    return ck_error_set(err, CK_E_PARSE,
                        "the hook %s of policy %s is asked for the session, never for one agent: "
                        "list the policy in the profile's own policies",
                        ck_policy_hooks[i].name, self->name);
  }
  return CK_OK;
}

void ck_policy_clear(loaded_policy *self) {
  ck_vm_free(self->vm);
  ck_value_free(self->ranges);
  ck_value_free(self->set);
  ck_buffer_clear(&self->reason);
  free(self->path);
  free(self->agent);
  *self = (loaded_policy){0};
}

typedef struct {
  const loaded_policy *self;
  ck_value **out;
} options_read;

static int options_body(lua_State *L) {
  options_read *read = lua_touserdata(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, read->self->options);
  if (!ck_sandbox_push_table(L, -1)) return 0;
  ck_json_read_lua(read->out, L, -1, OPTIONS_MAX);
  return 0;
}

ck_status ck_policy_get_options(ck_value **out, loaded_policy *self, ck_error *err) {
  *out = NULL;
  return ck_vm_call(self->vm, options_body, &(options_read){self, out}, err);
}
