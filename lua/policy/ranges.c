/* ranges.c - reads and checks the ranges of a policy's options. */
#include "lua/policy/ranges.h"

#include <lauxlib.h>
#include <stdio.h>

#include "lua/vm/json.h"
#include "lua/vm/names.h"
#include "lua/vm/vm.h"

enum { RANGES_MAX = 64 * 1024 };

/* Of a number: { low, high }. */
static void check_bounds(lua_State *L, const char *name, int range) {
  char given[80] = "";
  lua_rawgeti(L, range, 1);
  lua_rawgeti(L, range, 2);
  bool two =
      lua_rawlen(L, range) == 2 && lua_type(L, -1) == LUA_TNUMBER && lua_type(L, -2) == LUA_TNUMBER;
  lua_Number low = lua_tonumber(L, -2), high = lua_tonumber(L, -1);
  if (two && low >= 0 && low < high) {
    lua_pop(L, 2);
    return;
  }
  if (two) snprintf(given, sizeof given, ", not { %.14g, %.14g }", low, high);
  ck_vm_raise_plain(L, CK_E_PARSE,
                    "ranges: option '%s': { low, high } is expected, two numbers from 0, the "
                    "second one greater%s",
                    name, given);
}

/* Of a text or a boolean: the values to choose from. */
static void check_choices(lua_State *L, const char *name, int range, int type) {
  lua_Integer count = (lua_Integer)lua_rawlen(L, range);
  bool same = count >= 2;
  for (lua_Integer i = 1; same && i <= count; i++) {
    lua_rawgeti(L, range, i);
    same = lua_type(L, -1) == type;
    lua_pop(L, 1);
  }
  if (!same)
    ck_vm_raise_plain(L, CK_E_PARSE,
                      "ranges: option '%s': a list of two or more values is expected, each a %s",
                      name, lua_typename(L, type));
}

/* Stack: … the option's default, its range. */
static void check_range(lua_State *L, const char *name) {
  int range = lua_gettop(L), type = lua_type(L, range - 1);
  if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TBOOLEAN)
    ck_vm_raise_plain(L, CK_E_PARSE,
                      "ranges: option '%s' is no number, text or boolean, so it has no range",
                      name);
  if (!lua_istable(L, range))
    ck_vm_raise_plain(L, CK_E_PARSE, "ranges: option '%s': a list is expected", name);
  if (type == LUA_TNUMBER)
    check_bounds(L, name, range);
  else
    check_choices(L, name, range, type);
}

static void check_name(lua_State *L, const ck_sandbox_key *key, int options) {
  if (key->type == LUA_TSTRING) {
    lua_getfield(L, options, key->text);
    if (!lua_isnil(L, -1)) return;
  }
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, options);
  const char **names = lua_newuserdatauv(L, (count + 1) * sizeof *names, 0);
  for (size_t i = 0; i < count; i++) names[i] = keys[i].text;
  names[count] = NULL;
  const char *name = key->type == LUA_TSTRING ? key->text : "1";
  char hint[CK_NAMES_HINT_SIZE];
  ck_names_hint(hint, name, names);
  ck_vm_raise_plain(L, CK_E_PARSE, "ranges: unknown option '%s'%s", name, hint);
}

void ck_policy_read_ranges(ck_value **out, lua_State *L, int table, int options) {
  size_t count;
  if (lua_getfield(L, table, "ranges") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  int ranges = lua_gettop(L);
  if (!lua_istable(L, ranges))
    ck_vm_raise_plain(L, CK_E_PARSE, "ranges: a table of options is expected, not a %s",
                      ck_sandbox_type(L, ranges));
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, ranges);
  for (size_t i = 0; i < count; i++) {
    check_name(L, &keys[i], options);
    lua_getfield(L, ranges, keys[i].text);
    check_range(L, keys[i].text);
    lua_pop(L, 2);
  }
  ck_json_read_lua(out, L, ranges, RANGES_MAX);
  lua_settop(L, ranges - 1);
}
