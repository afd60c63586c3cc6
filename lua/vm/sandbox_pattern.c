/* sandbox_pattern.c - ck.find, match, gmatch and gsub. */
#include <lauxlib.h>

#include "lua/vm/pattern.h"
#include "lua/vm/sandbox.h"

static void push_group(lua_State *L, const ck_pattern_search *in, const ck_pattern_match *found,
                       uint32_t group) {
  if (found->begin[group] == SIZE_MAX)
    lua_pushnil(L);
  else
    lua_pushlstring(L, in->text + found->begin[group], found->end[group] - found->begin[group]);
}

/* The groups, or the whole match when there are none. */
static int push_groups(lua_State *L, const ck_pattern_search *in, const ck_pattern_match *found) {
  uint32_t first = in->groups > 1 ? 1 : 0;
  luaL_checkstack(L, CK_PATTERN_GROUPS_MAX + 4, NULL);
  for (uint32_t i = first; i < in->groups; i++) push_group(L, in, found, i);
  return (int)(in->groups - first);
}

static bool find_from(ck_pattern_match *out, lua_State *L, ck_pattern_search *in) {
  lua_Integer init = luaL_optinteger(L, 3, 1);
  lua_settop(L, 2);
  *in = ck_pattern_read(L);
  if (init > (lua_Integer)in->len + 1) return false;
  size_t from = ck_sandbox_offset(init, in->len);
  if (from < in->len && ((unsigned char)in->text[from] & 0xC0) == 0x80)
    luaL_error(L, "byte %d is inside a character", (int)from + 1);
  return ck_pattern_find(out, L, in, from, false);
}

static int pattern_find(lua_State *L) {
  ck_pattern_search in;
  ck_pattern_match found;
  if (!find_from(&found, L, &in)) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)found.begin[0] + 1);
  lua_pushinteger(L, (lua_Integer)found.end[0]);
  return in.groups > 1 ? 2 + push_groups(L, &in, &found) : 2;
}

static int pattern_match(lua_State *L) {
  ck_pattern_search in;
  ck_pattern_match found;
  if (find_from(&found, L, &in)) return push_groups(L, &in, &found);
  lua_pushnil(L);
  return 1;
}

/* Upvalues: text, pattern, offset of the next search (-1: at the end), whether there was a
 * match. */
static int next_match(lua_State *L) {
  ck_pattern_search in = ck_pattern_again(L, lua_upvalueindex(1), lua_upvalueindex(2));
  ck_pattern_match found;
  lua_Integer from = lua_tointeger(L, lua_upvalueindex(3));
  bool begun = lua_toboolean(L, lua_upvalueindex(4));
  if (from < 0 || !ck_pattern_find(&found, L, &in, (size_t)from, begun)) {
    lua_pushinteger(L, -1);
    lua_replace(L, lua_upvalueindex(3));
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)found.end[0]);
  lua_replace(L, lua_upvalueindex(3));
  lua_pushboolean(L, true);
  lua_replace(L, lua_upvalueindex(4));
  return push_groups(L, &in, &found);
}

static int pattern_gmatch(lua_State *L) {
  lua_settop(L, 2);
  ck_pattern_read(L);
  lua_replace(L, 2);
  lua_pushinteger(L, 0);
  lua_pushboolean(L, false);
  lua_pushcclosure(L, next_match, 4);
  return 1;
}

/* ---- replacing ---- */

/* "$1" and "${10}" stand for groups, "$0" for the match, "$$" for a dollar. Gives the group, -1
 * for a dollar; advances *at. */
static int read_group(lua_State *L, const char **at, const char *end, uint32_t groups) {
  const char *p = *at;
  int number = 0;
  bool braced = p < end && *p == '{';
  if (p < end && *p == '$') {
    *at = p + 1;
    return -1;
  }
  const char *digits = p += braced;
  while (p < end && *p >= '0' && *p <= '9' && p - digits < (braced ? 2 : 1))
    number = number * 10 + (*p++ - '0');
  bool closed = !braced || (p < end && *p++ == '}');
  if (p == digits || !closed)
    luaL_error(L, "in a replacement, $ is followed by a group's number, {number} or $");
  if ((uint32_t)number >= groups)
    luaL_error(L, "in a replacement, $%d: the pattern has %d groups", number, (int)groups - 1);
  *at = p;
  return number;
}

static void add_text(luaL_Buffer *out, lua_State *L, const ck_pattern_search *in,
                     const ck_pattern_match *found) {
  size_t len;
  const char *at = lua_tolstring(L, 3, &len);
  for (const char *end = at + len; at < end;) {
    if (*at != '$') {
      luaL_addchar(out, *at++);
      continue;
    }
    at++;
    int group = read_group(L, &at, end, in->groups);
    if (group < 0)
      luaL_addchar(out, '$');
    else if (found->begin[group] != SIZE_MAX)
      luaL_addlstring(out, in->text + found->begin[group], found->end[group] - found->begin[group]);
  }
}

/* Adds a table's value under the first group, or a function's result; false and nil keep the
 * match. */
static void add_value(luaL_Buffer *out, lua_State *L, const ck_pattern_search *in,
                      const ck_pattern_match *found) {
  if (lua_isfunction(L, 3)) {
    lua_pushvalue(L, 3);
    lua_call(L, push_groups(L, in, found), 1);
  } else {
    if (!ck_sandbox_push_table(L, 3)) luaL_typeerror(L, 3, "string, table or function");
    push_group(L, in, found, in->groups > 1 ? 1 : 0);
    if (!lua_isnil(L, -1)) lua_rawget(L, -2);
    lua_remove(L, -2);
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(out, in->text + found->begin[0], found->end[0] - found->begin[0]);
    return;
  }
  if (!lua_isstring(L, -1))
    luaL_error(L, "ck.gsub: a replacement is a %s, not a text", ck_sandbox_type(L, -1));
  luaL_addvalue(out);
}

/* gsub(text, pattern, replacement [, most]) */
static int pattern_gsub(lua_State *L) {
  lua_Integer most = luaL_optinteger(L, 4, LUA_MAXINTEGER), count = 0;
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  ck_pattern_search in = ck_pattern_read(L);
  ck_pattern_match found;
  size_t copied = 0, from = 0;
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  while (count < most && ck_pattern_find(&found, L, &in, from, count > 0)) {
    luaL_addlstring(&out, in.text + copied, found.begin[0] - copied);
    if (lua_type(L, 3) == LUA_TSTRING)
      add_text(&out, L, &in, &found);
    else
      add_value(&out, L, &in, &found);
    copied = from = found.end[0];
    count++;
    if (luaL_bufflen(&out) > CK_SANDBOX_TEXT_MAX) break;
  }
  luaL_addlstring(&out, in.text + copied, in.len - copied);
  if (luaL_bufflen(&out) > CK_SANDBOX_TEXT_MAX)
    return luaL_error(L, "ck.gsub: the result is longer than %d bytes", CK_SANDBOX_TEXT_MAX);
  luaL_pushresult(&out);
  lua_pushinteger(L, count);
  return 2;
}

static const luaL_Reg pattern_functions[] = {{"find", pattern_find},
                                             {"gmatch", pattern_gmatch},
                                             {"gsub", pattern_gsub},
                                             {"match", pattern_match},
                                             {NULL, NULL}};

void ck_sandbox_add_patterns(lua_State *L) { luaL_setfuncs(L, pattern_functions, 0); }
