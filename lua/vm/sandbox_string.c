/* sandbox_string.c - string: bounded results, plain search, and the methods of strings. */
#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "lua/vm/sandbox.h"

size_t ck_sandbox_offset(lua_Integer position, size_t len) {
  if (position > 0) return (size_t)position - 1 < len ? (size_t)position - 1 : len;
  if (position == 0 || position < -(lua_Integer)len) return 0;
  return len - (size_t)-position;
}

static int string_rep(lua_State *L) {
  size_t len, gap;
  const char *text = luaL_checklstring(L, 1, &len);
  lua_Integer count = luaL_checkinteger(L, 2);
  const char *between = luaL_optlstring(L, 3, "", &gap);
  if (count <= 0 || len + gap == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  if ((lua_Unsigned)count > CK_SANDBOX_TEXT_MAX / (len + gap)) {
    return luaL_error(L, "string.rep: the result would be longer than %d bytes",
                      CK_SANDBOX_TEXT_MAX);
  }
  luaL_Buffer out;
  luaL_buffinitsize(L, &out, (len + gap) * (size_t)count);
  for (lua_Integer i = 0; i < count; i++) {
    if (i > 0) luaL_addlstring(&out, between, gap);
    luaL_addlstring(&out, text, len);
  }
  luaL_pushresult(&out);
  return 1;
}

static int string_byte(lua_State *L) {
  size_t len;
  const char *text = luaL_checklstring(L, 1, &len);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  lua_Integer last = luaL_optinteger(L, 3, first);
  if (first < 0) first = first < -(lua_Integer)len ? 1 : (lua_Integer)len + first + 1;
  if (first < 1) first = 1;
  if (last < 0) last = (lua_Integer)len + last + 1;
  if (last > (lua_Integer)len) last = (lua_Integer)len;
  if (first > last) return 0;
  int count =
      last - first < CK_SANDBOX_VALUES_MAX ? (int)(last - first) + 1 : CK_SANDBOX_VALUES_MAX + 1;
  if (count > CK_SANDBOX_VALUES_MAX)
    return luaL_error(L, "string.byte: more than %d values", CK_SANDBOX_VALUES_MAX);
  luaL_checkstack(L, count, "string.byte");
  for (int i = 0; i < count; i++) lua_pushinteger(L, (unsigned char)text[first - 1 + i]);
  return count;
}

/* Plain search. A text that is a pattern in standard Lua is refused unless the caller passes
 * `plain`. */
static int string_find(lua_State *L) {
  size_t len, sought_len;
  const char *text = luaL_checklstring(L, 1, &len);
  const char *sought = luaL_checklstring(L, 2, &sought_len);
  lua_Integer init = luaL_optinteger(L, 3, 1);
  if (!lua_toboolean(L, 4) && strpbrk(sought, "^$*+?.([%-")) {
    return luaL_error(L, "string.find searches plain text, there are no patterns: pass true as the "
                         "fourth argument, or use ck.find");
  }
  size_t from = ck_sandbox_offset(init, len);
  if (init > (lua_Integer)len + 1) return 0;
  ck_vm_charge(L, 1 + (int64_t)((len - from) / 64));
  const char *at = memmem(text + from, len - from, sought, sought_len);
  if (!at) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, at - text + 1);
  lua_pushinteger(L, at - text + (lua_Integer)sought_len);
  return 2;
}

static const luaL_Reg string_functions[] = {{"byte", string_byte},
                                            {"find", string_find},
                                            {"format", ck_sandbox_format},
                                            {"rep", string_rep},
                                            {NULL, NULL}};
static const char *const string_names[] = {"char", "len", "lower", "reverse", "sub", "upper", NULL};

/* ("x"):rep(3) works through a metatable with nothing but __index; Lua's own would coerce in
 * arithmetic. */
static void set_string_methods(lua_State *L) {
  lua_pushliteral(L, "");
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

void ck_sandbox_push_string(lua_State *L) {
  lua_pushcfunction(L, luaopen_string);
  lua_call(L, 0, 1);
  luaL_newlib(L, string_functions);
  ck_sandbox_take(L, string_names, false);
  lua_remove(L, -2);
  set_string_methods(L);
}
