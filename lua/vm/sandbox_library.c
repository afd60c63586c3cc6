/* sandbox_library.c - the functions that come from Lua's own libraries; math and utf8. */
#include <lauxlib.h>
#include <lualib.h>

#include "core/base/utf8.h"
#include "lua/vm/sandbox.h"

/* Taken from Lua's own libraries: their cost is bounded by their allocations. */
static const char *const math_names[] = {
    "abs", "ceil",       "exp",  "floor", "fmod", "huge", "log",       "max", "maxinteger",
    "min", "mininteger", "modf", "pi",    "sqrt", "type", "tointeger", "ult", NULL};
static const char *const utf8_names[] = {"char", "codepoint", NULL};
/* The same for functions that read their argument without allocating: charged by its length. */
static const char *const utf8_counted[] = {"len", "offset", NULL};

static int call_counted(lua_State *L) {
  size_t len = 0;
  if (lua_type(L, 1) == LUA_TSTRING) lua_tolstring(L, 1, &len);
  ck_vm_charge(L, 1 + (int64_t)(len / 64));
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

void ck_sandbox_take(lua_State *L, const char *const *names, bool counted) {
  for (; *names; names++) {
    lua_getfield(L, -2, *names);
    if (counted) lua_pushcclosure(L, call_counted, 1);
    lua_setfield(L, -2, *names);
  }
}

static void push_library(lua_State *L, lua_CFunction open, const char *const *names,
                         const char *const *counted) {
  lua_pushcfunction(L, open);
  lua_call(L, 0, 1);
  lua_newtable(L);
  ck_sandbox_take(L, names, false);
  if (counted) ck_sandbox_take(L, counted, true);
  lua_remove(L, -2);
}

/* Steps through text by characters; unlike Lua's own it never reads further than one. */
static int next_code(lua_State *L) {
  size_t len;
  const char *text = luaL_checklstring(L, 1, &len);
  lua_Integer at = luaL_checkinteger(L, 2);
  luaL_argcheck(L, at >= 0 && (size_t)at <= len, 2, "out of range");
  size_t from = at == 0 ? 0 : (size_t)at - 1 + ck_utf8_length(text + at - 1, len - (size_t)at + 1);
  if (from >= len) return 0;
  size_t step = ck_utf8_length(text + from, len - from);
  if (step == 0) return luaL_error(L, "invalid UTF-8 code at byte %d", (int)from + 1);
  lua_pushinteger(L, (lua_Integer)from + 1);
  lua_pushinteger(L, (lua_Integer)ck_utf8_point(text + from, step));
  return 2;
}

static int codes(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_pushcfunction(L, next_code);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

void ck_sandbox_push_utf8(lua_State *L) {
  push_library(L, luaopen_utf8, utf8_names, utf8_counted);
  lua_pushcfunction(L, codes);
  lua_setfield(L, -2, "codes");
}

void ck_sandbox_push_math(lua_State *L) { push_library(L, luaopen_math, math_names, NULL); }
