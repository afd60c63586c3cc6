/* primitive.c - what the functions of ctx share: their coroutine, errors, values, and the checks of
 * the tables they take. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/flow/coroutine.h"
#include "lua/vm/json.h"

int ck_coroutine_raise(lua_State *L, const ck_error *err) {
  ck_vm_raise(L, err->status == CK_E_NO_MEMORY ? CK_E_NO_MEMORY : CK_E_FLOW, "%s", err->text);
}

int ck_coroutine_raise_no_memory(lua_State *L) {
  ck_error err = CK_ERROR_INIT;
  ck_error_no_memory(&err);
  ck_coroutine_raise(L, &err);
}

ck_coroutine *ck_coroutine_check(lua_State *L) {
  ck_coroutine *const *box = lua_touserdata(L, lua_upvalueindex(1));
  if (!*box) ck_vm_raise(L, CK_E_FLOW, "this ctx belongs to a scope that has ended");
  if ((*box)->thread != L)
    ck_vm_raise(L, CK_E_FLOW, "this ctx belongs to another scope, '%s'", (*box)->name);
  return *box;
}

ck_bytes ck_coroutine_encode(lua_State *L, ck_coroutine *self, int index) {
  ck_buffer_reset(&self->scratch);
  ck_json_append_lua(&self->scratch, L, index, CK_COROUTINE_VALUE_MAX);
  return ck_buffer_bytes(&self->scratch);
}

void ck_coroutine_push_scratch(lua_State *L, ck_coroutine *self) {
  ck_error err = CK_ERROR_INIT;
  if (ck_buffer_check(&self->scratch, &err) != CK_OK) ck_coroutine_raise(L, &err);
  lua_pushlstring(L, self->scratch.data, self->scratch.len);
}

void ck_coroutine_push_value(lua_State *L, ck_bytes json) {
  if (json.len > 0) {
    ck_json_push_frozen(L, json);
  } else {
    lua_pushnil(L);
  }
}

void ck_coroutine_reset_yield(ck_coroutine *self) {
  ck_value_free(self->yield.value);
  self->yield = (ck_flow_yield){0};
}

void ck_coroutine_check_yieldable(lua_State *L, const char *what) {
  if (!lua_isyieldable(L)) {
    ck_vm_raise(L, CK_E_FLOW,
                "%s cannot be used inside a function that is called by a library function such as "
                "table.sort",
                what);
  }
}

/* ---- fields of tables ---- */

void ck_coroutine_check_fields(lua_State *L, int table, const char *what,
                               const char *const *known) {
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
    const char *const *field = known;
    while (*field && strcmp(*field, name) != 0) field++;
    if (!*field) ck_vm_raise(L, CK_E_FLOW, "%s has no field '%s'", what, name);
  }
}

const char *ck_coroutine_push_name(lua_State *L, int table, const char *what, const char *field) {
  if (lua_getfield(L, table, field) != LUA_TSTRING)
    ck_vm_raise(L, CK_E_FLOW, "%s needs '%s', a string", what, field);
  return lua_tostring(L, -1);
}

int64_t ck_coroutine_read_count(lua_State *L, int table, const char *field, int64_t most) {
  int is_integer = true;
  int64_t count = 0;
  if (lua_getfield(L, table, field) != LUA_TNIL) count = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer || count < 0 || count > most)
    ck_vm_raise(L, CK_E_FLOW, "'%s' must be a whole number from 0", field);
  lua_pop(L, 1);
  return count;
}

ck_effect_class ck_coroutine_read_class(lua_State *L, int table, const char *what) {
  ck_effect_class class = CK_EFFECT_ONCE;
  const char *name = ck_coroutine_push_name(L, table, what, "class");
  if (!ck_effect_class_of(&class, name))
    ck_vm_raise(L, CK_E_FLOW, "%s: '%s' is not a class", what, name);
  lua_pop(L, 1);
  return class;
}

/* ---- ctx ---- */

static int refuse_write(lua_State *L) {
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "?";
  return ck_vm_raise(L, CK_E_FLOW,
                     "ctx.%s cannot be set; what must be kept is set as ctx.memory.%s", name, name);
}

void ck_coroutine_make_ctx(lua_State *L) {
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 3);
  lua_rotate(L, -3, -1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, refuse_write);
  lua_setfield(L, -2, "__newindex");
  lua_pushliteral(L, "ctx");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
}
