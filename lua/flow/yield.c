/* yield.c - ctx.boundary, safe_point and pause: a coroutine waits there until it is resumed. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

int ck_coroutine_yield(lua_State *L, ck_coroutine *self, ck_flow_step step, lua_KFunction resumed) {
  ck_coroutine_collect_changes(L, self);
  self->yield.step = step;
  return lua_yieldk(L, 0, 0, resumed);
}

/* The text of a field in a copy that lives until the next resume; NULL when it is nil. */
static const char *keep_text(lua_State *L, ck_coroutine *self, ck_coroutine_text slot, int table,
                             const char *field) {
  free(self->texts[slot]);
  self->texts[slot] = NULL;
  int type = lua_getfield(L, table, field);
  if (type == LUA_TSTRING) {
    self->texts[slot] = strdup(lua_tostring(L, -1));
    if (!self->texts[slot]) ck_coroutine_raise_no_memory(L);
  } else if (type != LUA_TNIL) {
    ck_vm_raise(L, CK_E_FLOW, "'%s' must be a string, not a %s", field, luaL_typename(L, -1));
  }
  lua_pop(L, 1);
  return self->texts[slot];
}

/* ---- ctx.boundary, ctx.safe_point, ctx.pause ---- */

static int boundary_resumed(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  ck_coroutine_settle_changes(L);
  return 0;
}

/* Pushes the path of the coroutine's position. */
static void push_path(lua_State *L, const ck_coroutine *self) {
  ck_bytes path =
      self->position ? ck_json_get(ck_value_bytes(self->position), "path") : (ck_bytes){0};
  if (path.len)
    ck_json_push(L, path);
  else
    lua_pushliteral(L, CK_FLOW_START);
}

/* The position on top is that of a before_call: it may leave out its path, which stays. */
static void keep_path(lua_State *L, const ck_coroutine *self) {
  if (!lua_istable(L, -1)) return;
  push_path(L, self);
  lua_getfield(L, -2, "path");
  if (!lua_isnil(L, -1) && !lua_rawequal(L, -1, -2))
    ck_vm_raise(L, CK_E_FLOW,
                "ctx.boundary: the path of a before_call is that of the boundary before, '%s': "
                "leave it out",
                lua_tostring(L, -2));
  lua_pop(L, 1);
  lua_setfield(L, -2, "path");
}

/* The field `position` of the table at 2 becomes the coroutine's. Its path is part of the keys of
 * effects: if it did not change, the effects after the boundary would be taken for those before it
 * when the coroutine is opened again. */
static void read_position(lua_State *L, ck_coroutine *self, const char *what) {
  bool stays = self->yield.boundary.kind == CK_BOUNDARY_BEFORE_CALL;
  lua_getfield(L, 2, "position");
  if (stays) keep_path(L, self);
  ck_bytes json = ck_coroutine_encode(L, self, -1);
  ck_bytes path = ck_json_get(json, "path");
  if (ck_json_type_of(path) != CK_JSON_STRING || path.len <= 2) {
    ck_vm_raise(L, CK_E_FLOW,
                "%s needs 'position' with a 'path': where to go on, such as { path = \"agent#2\" }",
                what);
  }
  if (!stays && self->position &&
      ck_bytes_equal(path, ck_json_get(ck_value_bytes(self->position), "path"))) {
    ck_vm_raise(L, CK_E_FLOW,
                "%s: the path of 'position' must be another than the one before, %.*s", what,
                (int)path.len, path.data);
  }
  ck_value *position = NULL;
  ck_error err = CK_ERROR_INIT;
  if (ck_value_copy(&position, json, &err) != CK_OK) ck_coroutine_raise(L, &err);
  ck_value_free(self->position);
  self->position = position;
  if (stays) self->yield.boundary.calls = ck_json_get(ck_value_bytes(position), "calls");
  lua_pop(L, 1);
}

static void read_next(lua_State *L, ck_coroutine *self) {
  static const char *const known[] = {"node", "tool", "class", NULL};
  ck_boundary *boundary = &self->yield.boundary;
  if (lua_getfield(L, 2, "next") != LUA_TNIL) {
    int next = lua_gettop(L);
    luaL_argexpected(L, lua_istable(L, next), 2, "table with a table 'next'");
    ck_coroutine_check_fields(L, next, "ctx.boundary: next", known);
    boundary->next.node = keep_text(L, self, CK_COROUTINE_NEXT_NODE, next, "node");
    boundary->next.tool = keep_text(L, self, CK_COROUTINE_NEXT_TOOL, next, "tool");
    boundary->next.has_class = lua_getfield(L, next, "class") != LUA_TNIL;
    lua_pop(L, 1);
    if (boundary->next.has_class)
      boundary->next.effect_class = ck_coroutine_read_class(L, next, "ctx.boundary: next");
  }
  lua_pop(L, 1);
}

/* Makes the optional table of options the second and last argument. */
static void take_options(lua_State *L, const char *what, const char *const *known) {
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_newtable(L);
    lua_replace(L, 2);
  }
  luaL_checktype(L, 2, LUA_TTABLE);
  ck_coroutine_check_fields(L, 2, what, known);
}

enum { DESCRIPTION_MAX = 1000 };

/* What people are told of the checkpoint. */
static void read_description(lua_State *L, ck_coroutine *self, const char *what) {
  ck_boundary *boundary = &self->yield.boundary;
  const char *text = keep_text(L, self, CK_COROUTINE_DESCRIPTION, 2, "description");
  if (text && strlen(text) > DESCRIPTION_MAX)
    ck_vm_raise(L, CK_E_FLOW, "%s: 'description' has %d bytes; it takes up to %d", what,
                (int)strlen(text), DESCRIPTION_MAX);
  boundary->description = text && *text ? text : NULL;
}

static int ctx_boundary(lua_State *L) {
  static const char *const known[] = {"node",  "agent",  "depth", "next",        "position",
                                      "error", "number", "of",    "description", NULL};
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.boundary");
  const char *kind = luaL_checkstring(L, 1);
  take_options(L, "ctx.boundary", known);
  ck_coroutine_reset_yield(self);
  ck_boundary *boundary = &self->yield.boundary;
  boundary->kind = ck_boundary_kind_of(kind);
  if (!boundary->kind)
    ck_vm_raise(L, CK_E_FLOW, "ctx.boundary: '%s' is not a kind of boundary", kind);
  bool reserved = boundary->kind == CK_BOUNDARY_PAUSE || boundary->kind == CK_BOUNDARY_FAILURE ||
                  boundary->kind == CK_BOUNDARY_EDIT || boundary->kind == CK_BOUNDARY_FINAL;
  if (reserved)
    ck_vm_raise(L, CK_E_FLOW,
                "ctx.boundary: '%s' is reached by the session itself, never by a flow", kind);
  boundary->node = keep_text(L, self, CK_COROUTINE_NODE, 2, "node");
  boundary->agent = keep_text(L, self, CK_COROUTINE_AGENT, 2, "agent");
  boundary->last_error = keep_text(L, self, CK_COROUTINE_ERROR, 2, "error");
  boundary->depth = (int)ck_coroutine_read_count(L, 2, "depth", INT32_MAX);
  boundary->number = ck_coroutine_read_count(L, 2, "number", INT32_MAX);
  boundary->of = ck_coroutine_read_count(L, 2, "of", INT32_MAX);
  read_description(L, self, "ctx.boundary");
  read_next(L, self);
  read_position(L, self, "ctx.boundary");
  return ck_coroutine_yield(L, self, CK_FLOW_BOUNDARY, boundary_resumed);
}

/* ctx.safe_point(name, {position=, description=}) */
static int ctx_safe_point(lua_State *L) {
  static const char *const known[] = {"position", "description", NULL};
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.safe_point");
  if (!lua_isnoneornil(L, 1)) luaL_checkstring(L, 1);
  take_options(L, "ctx.safe_point", known);
  ck_coroutine_reset_yield(self);
  self->yield.boundary.kind = CK_BOUNDARY_SAFE_POINT;
  lua_pushvalue(L, 1);
  lua_setfield(L, 2, "node");
  self->yield.boundary.node = keep_text(L, self, CK_COROUTINE_NODE, 2, "node");
  read_description(L, self, "ctx.safe_point");
  read_position(L, self, "ctx.safe_point");
  return ck_coroutine_yield(L, self, CK_FLOW_BOUNDARY, boundary_resumed);
}

static int pause_resumed(lua_State *L, int status, lua_KContext context) {
  (void)L, (void)status, (void)context;
  return 0;
}

/* ctx.pause(reason) */
static int ctx_pause(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_check_yieldable(L, "ctx.pause");
  ck_bytes reason;
  reason.data = luaL_checklstring(L, 1, &reason.len);
  ck_coroutine_reset_yield(self);
  ck_error err = CK_ERROR_INIT;
  if (ck_value_text(&self->yield.value, reason, &err) != CK_OK) ck_coroutine_raise(L, &err);
  return ck_coroutine_yield(L, self, CK_FLOW_PAUSE, pause_resumed);
}

static const luaL_Reg functions[] = {
    {"boundary", ctx_boundary},
    {"safe_point", ctx_safe_point},
    {"pause", ctx_pause},
    {NULL, NULL},
};

void ck_coroutine_open_yields(lua_State *L, int box) {
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
}
