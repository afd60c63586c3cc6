/* test.c - policy test: runs the tests of a file, each in a VM of its own; the policies under test
 * are the real ones. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy_tool/coverage.h"
#include "lua/policy_tool/fixture.h"
#include "lua/policy_tool/policy_tool.h"
#include "lua/policy_tool/shapes.h"
#include "lua/policy_tool/subject.h"
#include "lua/vm/json.h"
#include "lua/vm/modules.h"
#include "lua/vm/names.h"
#include "lua/vm/source.h"

enum { POLICIES_MAX = 16, TEXT_MAX = 4 << 20 };

/* A test may call hooks many times: it has twice the time of a flow that does not yield. */
static const ck_vm_limits test_limits = {.time_us = 2 * 1000000LL,
                                         .memory = (size_t)64 << 20,
                                         .memory_hard = (size_t)128 << 20,
                                         .raised = CK_E_FAILED,
                                         .timed_out = CK_E_FAILED};

typedef struct testing {
  const ck_source *source;
  const ck_policy_tool_tests *how;
  loaded_policy *policies[POLICIES_MAX]; /* of the test that runs */
  size_t policy_count;
  ck_buffer names;    /* of all tests, each with a NUL */
  const char *wanted; /* the one to run; NULL: list them */
  ck_buffer scratch;  /* of one function of the core; freed when the test has ended */
  ck_modules modules; /* that the file requires */
} testing;

/* ---- the core of lua/ck/test.lua ---- */

static testing *self_of(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* malloc'd; a bare name unchanged, a relative path from the folder of the test. */
static char *resolve(const testing *self, const char *name) {
  const char *slash = strrchr(self->source->name, '/');
  if (!ck_source_is_path(name) || name[0] == '/' || !slash) return strdup(name);
  ck_buffer path = {0};
  ck_buffer_append(&path, self->source->name, (size_t)(slash - self->source->name) + 1);
  ck_buffer_append_text(&path, strncmp(name, "./", 2) == 0 ? name + 2 : name);
  return ck_buffer_take(&path);
}

static ck_status load_policy(testing *self, const char *name, const ck_value *options,
                             ck_error *err) {
  if (self->policy_count == POLICIES_MAX)
    return ck_error_set(err, CK_E_RANGE, "a test loads at most %d policies", POLICIES_MAX);
  loaded_policy *policy = calloc(1, sizeof *policy);
  char *path = resolve(self, name);
  ck_profile_policy from = {.name = path, .options = (ck_value *)options};
  ck_status status = CK_OK;
  if (!policy || !path)
    status = ck_error_no_memory(err);
  else if (self->how->coverage)
    status = ck_coverage_load(self->how->coverage, policy, &from, err);
  else
    status = ck_policy_load(policy, &from, NULL, err);
  free(path);
  if (status == CK_OK)
    self->policies[self->policy_count++] = policy;
  else
    free(policy);
  return status;
}

/* load(name, options) -> number, name, version, {hook = true}. */
static int core_load(lua_State *L) {
  testing *self = self_of(L);
  const char *name = luaL_checkstring(L, 1);
  ck_value *options = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_buffer_reset(&self->scratch);
  ck_json_append_lua(&self->scratch, L, 2, TEXT_MAX);
  ck_status status = ck_value_from(&options, &self->scratch, &err);
  if (status == CK_OK) status = load_policy(self, name, options, &err);
  ck_value_free(options);
  if (status != CK_OK) return ck_vm_raise_plain(L, CK_OK, "%s", err.text);
  const loaded_policy *policy = self->policies[self->policy_count - 1];
  lua_pushinteger(L, (lua_Integer)self->policy_count);
  lua_pushstring(L, policy->name);
  lua_pushinteger(L, policy->version);
  lua_newtable(L);
  for (policy_hook hook = 0; hook < POLICY_HOOK_COUNT; hook++) {
    lua_pushboolean(L, ck_policy_has(policy, hook));
    lua_setfield(L, -2, ck_policy_hooks[hook].name);
  }
  return 4;
}

static ck_status ask(testing *self, loaded_policy *policy, policy_hook hook, ck_error *err) {
  policy_subject subject;
  ck_status status = ck_buffer_check(&self->scratch, err);
  if (status == CK_OK)
    status = ck_policy_subject_read(&subject, hook, ck_buffer_bytes(&self->scratch), err);
  if (status != CK_OK) return status;
  ck_buffer_reset(&self->scratch);
  status = ck_policy_subject_ask(&self->scratch, policy, &subject, err);
  ck_policy_subject_clear(&subject);
  return status;
}

/* ask(number, hook, subject) -> the answer as a table; raises the error of the hook. */
static int core_ask(lua_State *L) {
  testing *self = self_of(L);
  lua_Integer number = luaL_checkinteger(L, 1);
  luaL_argcheck(L, number >= 1 && number <= (lua_Integer)self->policy_count, 1, "no such policy");
  int hook = luaL_checkoption(L, 2, NULL,
                              (const char *const[]){
#define X(name, ...) #name,
                                  CK_POLICY_HOOK_TABLE(X)
#undef X
                                      NULL});
  loaded_policy *policy = self->policies[number - 1];
  if (!ck_policy_has(policy, (policy_hook)hook)) {
    return ck_vm_raise_plain(L, CK_OK, "policy \"%s\" has no hook %s", policy->name,
                             ck_policy_hooks[hook].name);
  }
  ck_error err = CK_ERROR_INIT;
  ck_buffer_reset(&self->scratch);
  ck_json_append_lua(&self->scratch, L, 3, TEXT_MAX);
  if (ask(self, policy, (policy_hook)hook, &err) != CK_OK)
    return ck_vm_raise_plain(L, CK_OK, "%s", err.text);
  ck_json_push(L, ck_buffer_bytes(&self->scratch));
  return 1;
}

/* json(value) -> its text, for comparing and showing values. */
static int core_json(lua_State *L) {
  testing *self = self_of(L);
  ck_buffer_reset(&self->scratch);
  ck_json_append_lua(&self->scratch, L, 1, TEXT_MAX);
  if (self->scratch.failed) return luaL_error(L, "out of memory");
  lua_pushlstring(L, self->scratch.data, self->scratch.len);
  return 1;
}

/* session("ID" or "ID#SEQ") -> its boundaries, as a list of tables. */
static int core_session(lua_State *L) {
  testing *self = self_of(L);
  const char *session = luaL_checkstring(L, 1);
  ck_error err = CK_ERROR_INIT;
  ck_buffer_reset(&self->scratch);
  ck_status status = ck_fixture_append(&self->scratch, self->how->fixtures, session, &err);
  if (status != CK_OK)
    return ck_vm_raise_plain(L, status == CK_E_NO_MEMORY ? status : CK_OK, "%s", err.text);
  ck_json_push(L, ck_buffer_bytes(&self->scratch));
  return 1;
}

/* shapes() -> what the subjects of each hook are, as ck_policy_push_shapes has them. */
static int core_shapes(lua_State *L) {
  ck_policy_push_shapes(L, (ck_bytes){0});
  return 1;
}

/* counted(kind) -> whether it is a boundary, and an iteration, as policies count them. */
static int core_counted(lua_State *L) {
  ck_boundary_count counted =
      ck_boundary_kind_counted(ck_boundary_kind_of(luaL_optstring(L, 1, "tool_round")));
  lua_pushboolean(L, counted != CK_COUNT_NONE);
  lua_pushboolean(L, counted == CK_COUNT_ITERATION);
  return 2;
}

static void set_core(lua_State *L, testing *self) {
  static const luaL_Reg functions[] = {{"load", core_load},
                                       {"ask", core_ask},
                                       {"json", core_json},
                                       {"session", core_session},
                                       {"shapes", core_shapes},
                                       {"counted", core_counted},
                                       {NULL, NULL}};
  luaL_newlibtable(L, functions);
  lua_pushlightuserdata(L, self);
  luaL_setfuncs(L, functions, 1);
  ck_sandbox_set_core(L);
}

/* ---- one test ---- */

/* Helpers may stand beside the tests; a name that is nearly one of a test's is no helper's. */
static bool is_misspelt(const char *name) {
  static const char *const begins[] = {"test_", NULL};
  char begin[sizeof "test_"];
  if (strlen(name) < sizeof begin) return false;
  memcpy(begin, name, sizeof begin - 1);
  begin[sizeof begin - 1] = '\0';
  return ck_names_nearest(begin, begins) != NULL;
}

/* At `key` and behind it a pair of the table; raises for what is nearly a test. */
static bool is_test(lua_State *L, const testing *self, int key) {
  const char *name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : "";
  bool named = strncmp(name, "test_", 5) == 0;
  if (named && lua_isfunction(L, key + 1)) return true;
  if (named || (lua_isfunction(L, key + 1) && is_misspelt(name)))
    ck_vm_raise_plain(L, CK_E_PARSE,
                      "%s: '%s' is a %s: a test is a function whose name begins with "
                      "test_",
                      self->source->name, name, ck_sandbox_type(L, key + 1));
  return false;
}

static void list_tests(testing *self, lua_State *L, int table) {
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, table);
  for (size_t i = 0; i < count; i++) {
    lua_settop(L, table + 1);
    ck_sandbox_push_key(L, &keys[i]);
    lua_pushvalue(L, -1);
    lua_rawget(L, table);
    if (is_test(L, self, table + 2)) ck_buffer_append(&self->names, keys[i].text, keys[i].len + 1);
  }
}

static int test_body(lua_State *L) {
  testing *self = lua_touserdata(L, 1);
  set_core(L, self);
  ck_modules_open(&self->modules, L);
  ck_vm_push_chunk(L, self->source->name, self->source->text);
  lua_call(L, 0, 1);
  if (!lua_istable(L, -1))
    return ck_vm_raise_plain(L, CK_E_PARSE, "%s: a test file returns a table of functions test_*",
                             self->source->name);
  int table = lua_gettop(L);
  if (!self->wanted) {
    list_tests(self, L, table);
    return 0;
  }
  lua_getfield(L, table, self->wanted);
  lua_call(L, 0, 0);
  return 0;
}

static ck_status run(testing *self, const char *wanted, ck_error *err) {
  ck_vm *vm;
  self->wanted = wanted;
  ck_status status = ck_vm_new(&vm, &test_limits, NULL, err);
  if (status != CK_OK) return status;
  self->modules = (ck_modules){
      .kind = "policy_module", .chunk = self->source->name, .path = self->source->name};
  status = ck_vm_call(vm, test_body, self, err);
  ck_vm_free(vm);
  ck_modules_clear(&self->modules);
  for (; self->policy_count > 0; self->policy_count--) {
    ck_policy_clear(self->policies[self->policy_count - 1]);
    free(self->policies[self->policy_count - 1]);
  }
  ck_buffer_clear(&self->scratch);
  return status;
}

/* ---- one file ---- */

static bool ends_with(const char *text, const char *end) {
  size_t len = strlen(text), end_len = strlen(end);
  return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/* malloc'd; smart.lua becomes smart_test.lua. */
static char *name_tests(const char *path) {
  if (ends_with(path, "_test.lua")) return strdup(path);
  ck_buffer name = {0};
  ck_buffer_append(&name, path, strlen(path) - (ends_with(path, ".lua") ? 4 : 0));
  ck_buffer_append_text(&name, "_test.lua");
  return ck_buffer_take(&name);
}

static ck_status run_all(testing *self, const char *file, ck_error *err) {
  ck_policy_tool_visit visit = self->how->visit;
  void *to = self->how->to;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = run(self, NULL, &failure);
  if (status == CK_OK) status = ck_buffer_check(&self->names, &failure);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  if (status != CK_OK) {
    visit(to, &(ck_policy_tool_test){.file = file, .text = failure.text});
    return CK_OK;
  }
  if (!self->names.len)
    return ck_error_set(err, CK_E_NOT_FOUND, "%s: there is no function test_* in its table", file);
  for (size_t at = 0; at < self->names.len; at += strlen(self->names.data + at) + 1) {
    failure = (ck_error)CK_ERROR_INIT;
    status = run(self, self->names.data + at, &failure);
    if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
    visit(to, &(ck_policy_tool_test){.file = file,
                                     .name = self->names.data + at,
                                     .ok = status == CK_OK,
                                     .text = failure.text});
  }
  return CK_OK;
}

/* Of the tests beside a policy the message names the policy. */
static ck_status refuse_absent(const char *name, const char *path, ck_error *err) {
  if (strcmp(name, path) == 0)
    return ck_error_set(err, CK_E_NOT_FOUND, "%s: there is no such file", name);
  return ck_error_set(err, CK_E_NOT_FOUND,
                      "%s: there is no such file; it would hold the tests of %s", name, path);
}

static ck_status run_file(const char *path, const ck_policy_tool_tests *how, ck_error *err) {
  ck_source source = {0};
  testing self = {.source = &source, .how = how};
  char *name = name_tests(path);
  ck_status status = name ? ck_source_read(&source, "policy", name, err) : ck_error_no_memory(err);
  if (status == CK_E_NOT_FOUND) status = refuse_absent(name, path, err);
  if (status == CK_OK) status = run_all(&self, name, err);
  ck_source_clear(&source);
  ck_buffer_clear(&self.names);
  free(name);
  return status;
}

/* ---- a folder ---- */

typedef struct folder_tests {
  const ck_policy_tool_tests *how;
  bool any;
} folder_tests;

static ck_status run_next(void *to, const char *name, ck_error *err) {
  folder_tests *self = to;
  self->any = true;
  ck_status status = run_file(name, self->how, err);
  if (status != CK_E_NOT_FOUND) return status;
  self->how->visit(self->how->to, &(ck_policy_tool_test){.file = name, .text = err->text});
  return CK_OK;
}

static ck_status run_folder(const char *path, const ck_policy_tool_tests *how, ck_error *err) {
  folder_tests self = {.how = how};
  ck_status status = ck_sources_visit_tests(path, run_next, &self, err);
  if (status == CK_OK && !self.any)
    status =
        ck_error_set(err, CK_E_NOT_FOUND, "%s: there is no file of tests (…_test.lua) in it", path);
  return status;
}

ck_status ck_policy_tool_run_tests(const char *path, const ck_policy_tool_tests *tests,
                                   ck_error *err) {
  return ck_sources_is_folder(path) ? run_folder(path, tests, err) : run_file(path, tests, err);
}
