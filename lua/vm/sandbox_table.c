/* sandbox_table.c - table: raw access, counted, bounded by the actual size, not by the caller's
 * arguments. */
#include <lauxlib.h>

#include "lua/vm/sandbox.h"

/* The number of elements first … last; raises when there are too many. */
static lua_Integer check_range(lua_State *L, lua_Integer first, lua_Integer last, lua_Integer most,
                               const char *who) {
  if (first > last) return 0;
  lua_Unsigned count = (lua_Unsigned)last - (lua_Unsigned)first;
  if (count >= (lua_Unsigned)most) luaL_error(L, "table.%s: more than %d elements", who, (int)most);
  return (lua_Integer)count + 1;
}

static int table_insert(lua_State *L) {
  ck_sandbox_check_plain(L, 1);
  lua_Integer end = (lua_Integer)lua_rawlen(L, 1) + 1;
  int count = lua_gettop(L);
  if (count != 2 && count != 3)
    return luaL_error(L, "table.insert: takes a table, a position if you like, and a value");
  lua_Integer at = count == 2 ? end : luaL_checkinteger(L, 2);
  luaL_argcheck(L, at >= 1 && at <= end, 2, "position out of bounds");
  ck_vm_charge(L, 1 + (end - at) / 4);
  for (lua_Integer i = end; i > at; i--) {
    lua_rawgeti(L, 1, i - 1);
    lua_rawseti(L, 1, i);
  }
  lua_pushvalue(L, count);
  lua_rawseti(L, 1, at);
  return 0;
}

static int table_remove(lua_State *L) {
  ck_sandbox_check_plain(L, 1);
  lua_Integer size = (lua_Integer)lua_rawlen(L, 1);
  lua_Integer at = luaL_optinteger(L, 2, size);
  luaL_argcheck(L, lua_isnoneornil(L, 2) || (at >= 1 && at <= size + 1) || (at == 0 && size == 0),
                2, "position out of bounds");
  ck_vm_charge(L, 1 + (size - at) / 4);
  lua_rawgeti(L, 1, at);
  for (; at < size; at++) {
    lua_rawgeti(L, 1, at + 1);
    lua_rawseti(L, 1, at);
  }
  lua_pushnil(L);
  lua_rawseti(L, 1, at);
  return 1;
}

static int table_concat(lua_State *L) {
  size_t gap;
  if (!ck_sandbox_push_table(L, 1)) return luaL_typeerror(L, 1, "table");
  lua_replace(L, 1);
  const char *between = luaL_optlstring(L, 2, "", &gap);
  lua_Integer first = luaL_optinteger(L, 3, 1);
  lua_Integer last = luaL_optinteger(L, 4, (lua_Integer)lua_rawlen(L, 1));
  lua_Integer count = check_range(L, first, last, CK_SANDBOX_ITEMS_MAX, "concat");
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (lua_Integer i = 0; i < count; i++) {
    ck_vm_charge(L, 1);
    if (i > 0) luaL_addlstring(&out, between, gap);
    lua_rawgeti(L, 1, first + i);
    if (!lua_isstring(L, -1)) {
      return luaL_error(L, "table.concat: element %d is a %s", (int)(first + i),
                        ck_sandbox_type(L, -1));
    }
    luaL_addvalue(&out);
    if (luaL_bufflen(&out) > CK_SANDBOX_TEXT_MAX) {
      return luaL_error(L, "table.concat: the result is longer than %d bytes", CK_SANDBOX_TEXT_MAX);
    }
  }
  luaL_pushresult(&out);
  return 1;
}

static int table_unpack(lua_State *L) {
  if (!ck_sandbox_push_table(L, 1)) return luaL_typeerror(L, 1, "table");
  lua_replace(L, 1);
  lua_Integer first = luaL_optinteger(L, 2, 1);
  lua_Integer last = luaL_optinteger(L, 3, (lua_Integer)lua_rawlen(L, 1));
  lua_Integer count = check_range(L, first, last, CK_SANDBOX_VALUES_MAX, "unpack");
  ck_vm_charge(L, 1 + count / 8);
  luaL_checkstack(L, (int)count, "table.unpack");
  for (lua_Integer i = 0; i < count; i++) lua_rawgeti(L, 1, first + i);
  return (int)count;
}

static int table_pack(lua_State *L) {
  int count = lua_gettop(L);
  lua_createtable(L, count, 1);
  lua_insert(L, 1);
  for (int i = count; i >= 1; i--) lua_rawseti(L, 1, i);
  lua_pushinteger(L, count);
  lua_setfield(L, 1, "n");
  return 1;
}

/* move(from, first, last, at [, to]) */
static int table_move(lua_State *L) {
  lua_settop(L, 5);
  if (lua_isnil(L, 5)) {
    lua_pushvalue(L, 1);
    lua_replace(L, 5);
  }
  ck_sandbox_check_plain(L, 5);
  if (!ck_sandbox_push_table(L, 1)) return luaL_typeerror(L, 1, "table");
  lua_replace(L, 1);
  lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3),
              at = luaL_checkinteger(L, 4);
  lua_Integer count = check_range(L, first, last, CK_SANDBOX_ITEMS_MAX, "move");
  luaL_argcheck(L, count == 0 || at <= LUA_MAXINTEGER - count + 1, 4, "destination wraps around");
  bool backwards = at > first && at <= last && lua_rawequal(L, 1, 5);
  for (lua_Integer i = 0; i < count; i++) {
    ck_vm_charge(L, 1);
    lua_Integer step = backwards ? count - 1 - i : i;
    lua_rawgeti(L, 1, first + step);
    lua_rawseti(L, 5, at + step);
  }
  lua_settop(L, 5);
  return 1;
}

/* ---- sort: a merge sort, so that equal elements keep their order, and any comparator terminates
 * ---- */

enum { TABLE = 1, ORDER = 2, FROM = 3, TO = 4 }; /* positions on the stack */

static bool is_less(lua_State *L, int from, lua_Integer a, lua_Integer b) {
  ck_vm_charge(L, 1);
  bool ordered = !lua_isnil(L, ORDER);
  if (ordered) lua_pushvalue(L, ORDER);
  lua_rawgeti(L, from, a);
  lua_rawgeti(L, from, b);
  bool less;
  if (ordered) {
    lua_call(L, 2, 1);
    less = lua_toboolean(L, -1);
    lua_pop(L, 1);
  } else {
    less = lua_compare(L, -2, -1, LUA_OPLT);
    lua_pop(L, 2);
  }
  return less;
}

/* Merges the runs [begin, middle) and [middle, end) of `from` into `to`. */
static void merge(lua_State *L, int from, int to, const lua_Integer run[3]) {
  lua_Integer left = run[0], right = run[1];
  for (lua_Integer i = run[0]; i < run[2]; i++) {
    bool take_right = left >= run[1] || (right < run[2] && is_less(L, from, right, left));
    lua_rawgeti(L, from, take_right ? right++ : left++);
    lua_rawseti(L, to, i);
  }
}

static void copy_elements(lua_State *L, int from, int to, lua_Integer count) {
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, from, i);
    lua_rawseti(L, to, i);
  }
}

static lua_Integer lesser(lua_Integer a, lua_Integer b) { return a < b ? a : b; }

static int table_sort(lua_State *L) {
  ck_sandbox_check_plain(L, TABLE);
  if (!lua_isnoneornil(L, ORDER)) luaL_checktype(L, ORDER, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_Integer count = (lua_Integer)lua_rawlen(L, TABLE);
  if (count > CK_SANDBOX_ITEMS_MAX)
    return luaL_error(L, "table.sort: more than %d elements", CK_SANDBOX_ITEMS_MAX);
  ck_vm_charge(L, count);
  lua_createtable(L, (int)count, 0);
  lua_createtable(L, (int)count, 0);
  copy_elements(L, TABLE, FROM, count);
  int from = FROM, to = TO;
  for (lua_Integer width = 1; width < count; width *= 2) {
    for (lua_Integer begin = 1; begin <= count; begin += 2 * width) {
      const lua_Integer run[3] = {begin, lesser(begin + width, count + 1),
                                  lesser(begin + 2 * width, count + 1)};
      merge(L, from, to, run);
    }
    int other = from;
    from = to;
    to = other;
  }
  copy_elements(L, from, TABLE, count);
  return 0;
}

static const luaL_Reg table_functions[] = {{"concat", table_concat}, {"insert", table_insert},
                                           {"move", table_move},     {"pack", table_pack},
                                           {"remove", table_remove}, {"sort", table_sort},
                                           {"unpack", table_unpack}, {NULL, NULL}};

void ck_sandbox_push_table_library(lua_State *L) { luaL_newlib(L, table_functions); }
