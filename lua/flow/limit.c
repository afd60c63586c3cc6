/* limit.c - ctx.limit: another ctx of the same scope, which allows less. */
#include <lauxlib.h>
#include <string.h>

#include "lua/flow/coroutine.h"

/* What a ctx without effects still has. */
static const char *const harmless[] = {"conversation_length", "last_message", "parse",
                                       "tool_calls",          "written",      NULL};

static bool is_harmless(const char *name) {
  for (const char *const *one = harmless; *one; one++) {
    if (strcmp(*one, name) == 0) return true;
  }
  return false;
}

/* The first upvalue is the text. */
static int refuse(lua_State *L) {
  return ck_vm_raise(L, CK_E_FLOW, "%s", lua_tostring(L, lua_upvalueindex(1)));
}

/* Replaces the function on top by one that raises. */
static void deny(lua_State *L, const char *who, const char *name, const char *why) {
  lua_pop(L, 1);
  lua_pushfstring(L, "%s cannot use ctx.%s%s", who, name, why);
  lua_pushcclosure(L, refuse, 1);
}

/* The fields of the ctx in the table on top, but for `limit`, which would undo the limits; without
 * effects its functions raise. */
static void copy_fields(lua_State *L, const char *who, bool effects) {
  int copy = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, lua_upvalueindex(2))) {
    const char *name = lua_tostring(L, -2);
    if (!effects && lua_isfunction(L, -1) && !is_harmless(name))
      deny(L, who, name, ": it may only read");
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, copy);
  }
  lua_pushnil(L);
  lua_setfield(L, copy, "limit");
}

/* `how` "read": no writes; another text: raised on any access; NULL: unchanged. */
static void limit_area(lua_State *L, const char *who, const char *area, const char *how) {
  int fields = lua_gettop(L);
  if (!how) return;
  ck_area_limits limits = {.closed = how};
  if (strcmp(how, "read") == 0) {
    limits = (ck_area_limits){
        .fixed = lua_pushfstring(L, "%s cannot write ctx.%s: it may only read", who, area)};
  }
  lua_pushvalue(L, fields);
  ck_coroutine_open_area(L, lua_upvalueindex(1), area, &limits);
  lua_settop(L, fields);
}

static const char *read_limit(lua_State *L, const char *area) {
  return lua_getfield(L, 1, area) == LUA_TNIL ? NULL : luaL_checkstring(L, -1);
}

/* The list `without` names functions that raise in the table on top. */
static void remove_functions(lua_State *L, const char *who) {
  int fields = lua_gettop(L);
  if (lua_getfield(L, 1, "without") != LUA_TNIL) {
    luaL_checktype(L, -1, LUA_TTABLE);
    for (lua_Integer i = 1; lua_rawgeti(L, fields + 1, i) != LUA_TNIL; i++) {
      const char *name = luaL_checkstring(L, -1);
      lua_getfield(L, fields, name);
      deny(L, who, name, "");
      lua_setfield(L, fields, name);
      lua_pop(L, 1);
    }
  }
  lua_settop(L, fields);
}

/* Facts are accessed through functions in a table of their own. */
static void close_facts(lua_State *L, const char *who) {
  int fields = lua_gettop(L);
  ck_area_limits limits = {
      .closed = lua_pushfstring(L, "%s cannot use ctx.facts: it may only read", who)};
  lua_pushvalue(L, fields);
  ck_coroutine_open_area(L, lua_upvalueindex(1), "facts", &limits);
  lua_settop(L, fields);
}

/* ctx.limit { who=, effects=false (then it writes neither ctx.scratch nor ctx.rounds),
 * without={NAME, …}, memory="read"|TEXT, outputs="read"|TEXT } */
static int ctx_limit(lua_State *L) {
  static const char *const known[] = {"who", "effects", "without", "memory", "outputs", NULL};
  ck_coroutine_check(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  ck_coroutine_check_fields(L, 1, "ctx.limit", known);
  lua_getfield(L, 1, "who");
  const char *who = luaL_checkstring(L, 2);
  lua_getfield(L, 1, "effects");
  bool effects = lua_isnil(L, 3) || lua_toboolean(L, 3);
  const char *memory = read_limit(L, "memory"), *outputs = read_limit(L, "outputs");
  lua_newtable(L);
  copy_fields(L, who, effects);
  if (!effects) close_facts(L, who);
  remove_functions(L, who);
  limit_area(L, who, "memory", memory);
  limit_area(L, who, "outputs", outputs);
  limit_area(L, who, "scratch", effects ? NULL : "read");
  limit_area(L, who, "rounds", effects ? NULL : "read");
  ck_coroutine_make_ctx(L);
  return 1;
}

void ck_coroutine_open_limit(lua_State *L, int box) {
  lua_pushvalue(L, box);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, ctx_limit, 2);
  lua_setfield(L, -2, "limit");
}
