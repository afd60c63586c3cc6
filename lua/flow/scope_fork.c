/* scope_fork.c - ctx.fork, ctx.join, ctx.join_any: child scopes, and their results. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

static void clear_child(ck_flow_child *child) {
  free((char *)child->scope);
  free((char *)child->agent);
  free((char *)child->task);
  free((char *)child->tag);
}

void ck_coroutine_clear_children(ck_coroutine *self) {
  for (size_t i = 0; i < self->child_count; i++) clear_child(&self->children[i]);
  free(self->children);
  self->children = NULL;
  self->child_count = 0;
}

/* ---- names: in Lua a child is named without the prefix of its parent ---- */

/* "web" of scope "main" is "main.web". Effects, positions and writes are stored under the whole
 * name. */
static char *make_name(lua_State *L, const ck_coroutine *self, const char *name, size_t len) {
  ck_error err = CK_ERROR_INIT;
  if (len == 0 || strlen(name) != len || strpbrk(name, "/@") ||
      ck_state_check_key(name, &err) != CK_OK) {
    ck_vm_raise(L, CK_E_FLOW,
                "the name of a scope must be one to %d bytes without '/', '@', NUL or control "
                "characters, not '%s'",
                CK_COROUTINE_SCOPE_MAX, name);
  }
  size_t above = strlen(self->name);
  if (above + 1 + len > CK_COROUTINE_SCOPE_MAX) {
    ck_vm_raise(L, CK_E_FLOW,
                "the scope '%s.%s' has a name of %zu bytes; at most %d are allowed: shorten it",
                self->name, name, above + 1 + len, CK_COROUTINE_SCOPE_MAX);
  }
  char *full = malloc(above + 1 + len + 1);
  if (!full) ck_coroutine_raise_no_memory(L);
  memcpy(full, self->name, above);
  full[above] = '.';
  memcpy(full + above + 1, name, len + 1);
  return full;
}

/* What its parent calls it. */
static const char *short_name(const ck_coroutine *self, const char *full) {
  return full + strlen(self->name) + 1;
}

enum { NAMES = 2 }; /* where the names so far are on the stack: a set */

/* The name is on top. */
static void check_unique(lua_State *L) {
  lua_pushvalue(L, -1);
  if (lua_rawget(L, NAMES) != LUA_TNIL)
    ck_vm_raise(L, CK_E_FLOW, "the scope '%s' is named twice", lua_tostring(L, -2));
  lua_pop(L, 1);
  lua_pushvalue(L, -1);
  lua_pushboolean(L, true);
  lua_rawset(L, NAMES);
}

/* The list is the only argument. */
static void reserve_children(lua_State *L, ck_coroutine *self, const char *what) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_newtable(L);
  size_t count = lua_rawlen(L, 1);
  if (count == 0) ck_vm_raise(L, CK_E_FLOW, "%s needs a list with at least one scope", what);
  ck_coroutine_clear_children(self);
  self->children = calloc(count, sizeof *self->children);
  if (!self->children) ck_coroutine_raise_no_memory(L);
}

/* The name is on top. */
static ck_flow_child *add_child(lua_State *L, ck_coroutine *self, const char *what) {
  if (lua_type(L, -1) != LUA_TSTRING)
    ck_vm_raise(L, CK_E_FLOW, "%s: a scope must be a string, not a %s", what, luaL_typename(L, -1));
  size_t len;
  const char *name = lua_tolstring(L, -1, &len);
  ck_flow_child *child = &self->children[self->child_count];
  child->scope = make_name(L, self, name, len);
  self->child_count++;
  check_unique(L);
  return child;
}

/* ---- ctx.fork ---- */

static int fork_resumed(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 0;
}

/* NULL when the field is nil. */
static char *copy_text(lua_State *L, int table, const char *field) {
  char *copy = NULL;
  int type = lua_getfield(L, table, field);
  if (type != LUA_TNIL && type != LUA_TSTRING)
    ck_vm_raise(L, CK_E_FLOW, "ctx.fork: '%s' must be a string, not a %s", field,
                luaL_typename(L, -1));
  if (type == LUA_TSTRING && !(copy = strdup(lua_tostring(L, -1)))) ck_coroutine_raise_no_memory(L);
  lua_pop(L, 1);
  return copy;
}

/* The child's table is on top. */
static void read_child(lua_State *L, ck_coroutine *self) {
  static const char *const known[] = {"scope", "task", "agent", "tag", NULL};
  int table = lua_gettop(L);
  if (!lua_istable(L, table))
    ck_vm_raise(L, CK_E_FLOW, "ctx.fork takes a list of { scope =, task =, agent = }");
  ck_coroutine_check_fields(L, table, "ctx.fork", known);
  lua_getfield(L, table, "scope");
  ck_flow_child *child = add_child(L, self, "ctx.fork");
  child->agent = copy_text(L, table, "agent");
  child->tag = copy_text(L, table, "tag");
  if (lua_getfield(L, table, "task") != LUA_TNIL) {
    ck_bytes task = ck_coroutine_encode(L, self, -1);
    if (self->scratch.failed || !(child->task = strndup(task.data, task.len)))
      ck_coroutine_raise_no_memory(L);
  }
  lua_settop(L, table);
}

static int ctx_fork(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.fork");
  lua_settop(L, 1);
  ck_coroutine_reset_yield(self);
  reserve_children(L, self, "ctx.fork");
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 1, i);
    read_child(L, self);
    lua_pop(L, 1);
  }
  return ck_coroutine_yield(L, self, CK_FLOW_FORK, fork_resumed);
}

/* ---- ctx.join, ctx.join_any ---- */

/* Key -> JSON text, false for one that the child removed: as ctx.put takes them. */
static void push_writes(lua_State *L, ck_bytes writes) {
  lua_newtable(L);
  ck_json_iterator it = ck_json_iterate(writes);
  while (ck_json_next(&it)) {
    ck_json_push(L, it.name);
    if (ck_json_type_of(it.value) == CK_JSON_NULL)
      lua_pushboolean(L, false);
    else
      lua_pushlstring(L, it.value.data, it.value.len);
    lua_rawset(L, -3);
  }
}

/* {result=, raw=, error=, status=, writes={}}: raw is the result's JSON, byte for byte; status is
 * the class of the error. */
static void push_ended(lua_State *L, ck_bytes ended) {
  static const char *const names[] = {"error", "status"};
  ck_bytes result = ck_json_get(ended, "result");
  lua_createtable(L, 0, 5);
  if (ck_json_type_of(result) != CK_JSON_NONE) {
    lua_pushlstring(L, result.data, result.len);
    lua_setfield(L, -2, "raw");
    ck_json_push_frozen(L, result);
    lua_setfield(L, -2, "result");
  }
  for (int i = 0; i < 2; i++) {
    ck_bytes text = ck_json_get(ended, names[i]);
    if (ck_json_type_of(text) != CK_JSON_STRING) continue;
    ck_json_push(L, text);
    lua_setfield(L, -2, names[i]);
  }
  push_writes(L, ck_json_get(ended, "writes"));
  lua_setfield(L, -2, "writes");
}

/* The outcome has the scopes that have ended, under their whole names. */
static int join_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  ck_coroutine *self = ck_coroutine_check(L);
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(self->outcome->result));
  lua_newtable(L);
  while (ck_json_next(&it)) {
    self->unknown |= ck_json_type_of(ck_json_get(it.value, "unknown")) != CK_JSON_NONE;
    self->refused |= ck_json_type_of(ck_json_get(it.value, "refused")) != CK_JSON_NONE;
    ck_json_push(L, it.name);
    lua_pushstring(L, short_name(self, lua_tostring(L, -1)));
    push_ended(L, it.value);
    lua_rawset(L, -4);
    lua_pop(L, 1);
  }
  return 1;
}

static int wait_for_children(lua_State *L, const char *what, bool any) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, what);
  lua_settop(L, 1);
  ck_coroutine_reset_yield(self);
  reserve_children(L, self, what);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, 1, i);
    add_child(L, self, what);
    lua_pop(L, 1);
  }
  self->yield.join_any = any;
  return ck_coroutine_yield(L, self, CK_FLOW_JOIN, join_resumed);
}

static int ctx_join(lua_State *L) { return wait_for_children(L, "ctx.join", false); }

static int ctx_join_any(lua_State *L) { return wait_for_children(L, "ctx.join_any", true); }

/* ctx.blame(scope): the error that is raised next, before anything else is asked for, is that of
 * this scope, which was joined. */
static int ctx_blame(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  size_t len;
  const char *name = luaL_checklstring(L, 1, &len);
  char *full = make_name(L, self, name, len);
  free(self->blamed);
  self->blamed = full;
  return 0;
}

static const luaL_Reg functions[] = {{"fork", ctx_fork},
                                     {"join", ctx_join},
                                     {"join_any", ctx_join_any},
                                     {"blame", ctx_blame},
                                     {NULL, NULL}};

void ck_coroutine_open_scope_forks(lua_State *L, int box) {
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
}
