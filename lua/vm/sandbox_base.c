/* sandbox_base.c - assert, error, pairs, … : the functions without a library. */
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "lua/vm/sandbox.h"

/* ---- walking tables ---- */

static void check_table(lua_State *L, int index) {
  if (!ck_sandbox_push_table(L, index)) luaL_typeerror(L, index, "table");
  lua_replace(L, index);
}

/* Upvalues: the keys in order, the number returned so far. */
static int next_pair(lua_State *L) {
  lua_Integer at = lua_tointeger(L, lua_upvalueindex(2));
  lua_settop(L, 1);
  check_table(L, 1);
  for (;;) {
    if (lua_rawgeti(L, lua_upvalueindex(1), ++at) == LUA_TNIL) return 1;
    lua_pushvalue(L, -1);
    if (lua_rawget(L, 1) != LUA_TNIL) break;
    lua_pop(L, 2);
  }
  lua_pushinteger(L, at);
  lua_replace(L, lua_upvalueindex(2));
  return 2;
}

static int sandbox_pairs(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  check_table(L, 2);
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, 2);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    ck_sandbox_push_key(L, &keys[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_pair, 2);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

/* The least key beyond the given one: no state is kept, so all keys are compared. */
static int sandbox_next(lua_State *L) {
  lua_settop(L, 2);
  check_table(L, 1);
  ck_sandbox_key after, best = {0}, key;
  bool begun = !lua_isnil(L, 2), found = false;
  if (begun) ck_sandbox_read_key(&after, L, 2);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    ck_vm_charge(L, 1);
    ck_sandbox_read_key(&key, L, -1);
    if (begun && ck_sandbox_compare_keys(&key, &after) <= 0) continue;
    if (found && ck_sandbox_compare_keys(&key, &best) >= 0) continue;
    best = key;
    found = true;
  }
  if (!found) {
    lua_pushnil(L);
    return 1;
  }
  ck_sandbox_push_key(L, &best);
  lua_pushvalue(L, -1);
  lua_rawget(L, 1);
  return 2;
}

static int next_element(lua_State *L) {
  lua_Integer at = (lua_Integer)((lua_Unsigned)luaL_checkinteger(L, 2) + 1);
  check_table(L, 1);
  lua_pushinteger(L, at);
  return lua_rawgeti(L, 1, at) == LUA_TNIL ? 1 : 2;
}

static int sandbox_ipairs(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  lua_pushvalue(L, 1);
  check_table(L, 2);
  lua_pushcfunction(L, next_element);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

/* ---- values ---- */

static int sandbox_type(lua_State *L) {
  luaL_checkany(L, 1);
  lua_pushstring(L, ck_sandbox_type(L, 1));
  return 1;
}

void ck_sandbox_push_text(lua_State *L, int index) {
  int type = lua_type(L, index);
  if (type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TBOOLEAN || type == LUA_TNIL)
    luaL_tolstring(L, index, NULL);
  else
    lua_pushstring(L, ck_sandbox_type(L, index));
}

static int sandbox_tostring(lua_State *L) {
  luaL_checkany(L, 1);
  ck_sandbox_push_text(L, 1);
  return 1;
}

static int sandbox_error(lua_State *L) {
  lua_Integer level = luaL_optinteger(L, 2, 1);
  lua_settop(L, 1);
  ck_vm_note_location(L);
  if (lua_type(L, 1) != LUA_TSTRING || level < 1 || level > 100) return lua_error(L);
  luaL_where(L, (int)level);
  lua_insert(L, 1);
  lua_concat(L, 2);
  return lua_error(L);
}

/* Unlike Lua's own it adds the location. */
static int sandbox_assert(lua_State *L) {
  luaL_checkany(L, 1);
  if (lua_toboolean(L, 1)) return lua_gettop(L);
  if (lua_isnoneornil(L, 2)) return luaL_error(L, "assertion failed");
  lua_settop(L, 2);
  ck_vm_note_location(L);
  if (lua_type(L, 2) != LUA_TSTRING) return lua_error(L);
  luaL_where(L, 1);
  lua_insert(L, 2);
  lua_concat(L, 2);
  return lua_error(L);
}

static const luaL_Reg base_functions[] = {{"assert", sandbox_assert},     {"error", sandbox_error},
                                          {"ipairs", sandbox_ipairs},     {"next", sandbox_next},
                                          {"pairs", sandbox_pairs},       {"pcall", ck_vm_pcall},
                                          {"print", ck_sandbox_print},    {"type", sandbox_type},
                                          {"tostring", sandbox_tostring}, {NULL, NULL}};
static const char *const base_names[] = {"select", NULL};
static const char *const base_counted[] = {"tonumber", NULL};

void ck_sandbox_push_base(lua_State *L) {
  lua_pushcfunction(L, luaopen_base);
  lua_call(L, 0, 1);
  luaL_newlib(L, base_functions);
  ck_sandbox_take(L, base_names, false);
  ck_sandbox_take(L, base_counted, true);
  lua_remove(L, -2);
}
