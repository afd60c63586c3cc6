/* sandbox.c - the environment: which names there are, read-only libraries, undefined globals,
 * require. */
#include "lua/vm/sandbox.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "core/base/embed.h"
#include "core/base/utf8.h"

/* Keys of the registry. */
static const char env_key, core_key, modules_key;

/* Taken from Lua's own libraries: what they cost is bounded by what they allocate. */
static const char *const math_names[] = {
    "abs", "ceil",       "exp",  "floor", "fmod", "huge", "log",       "max", "maxinteger",
    "min", "mininteger", "modf", "pi",    "sqrt", "type", "tointeger", "ult", NULL};
static const char *const utf8_names[] = {"char", "codepoint", NULL};
/* The same for functions that read their argument without allocating: charged by its length. */
static const char *const utf8_counted[] = {"len", "offset", NULL};

/* ---- read-only faces of libraries and of the environment ---- */

static int refuse_library_write(lua_State *L) {
  return ck_vm_raise(
      L, CK_OK, "the library is read-only: cannot set '%s'",
      lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : lua_typename(L, lua_type(L, 2)));
}

static int refuse_global_write(lua_State *L) {
  return ck_vm_raise(
      L, CK_OK, "attempt to set global '%s': write 'local' in front",
      lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : lua_typename(L, lua_type(L, 2)));
}

static int refuse_global_read(lua_State *L) {
  return ck_vm_raise(
      L, CK_OK, "undefined global '%s'",
      lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : lua_typename(L, lua_type(L, 2)));
}

/* Replaces the table on top by an empty one that reads through to it and whose writes go to
 * `on_write`. */
static void push_face(lua_State *L, lua_CFunction on_write) {
  lua_newtable(L);
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, on_write);
  lua_setfield(L, -2, "__newindex");
  lua_setmetatable(L, -2);
  lua_remove(L, -2);
}

/* ---- taking functions over from Lua's libraries ---- */

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

/* Steps through text by characters; unlike Lua's own it never looks further than one. */
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

static void push_utf8(lua_State *L) {
  push_library(L, luaopen_utf8, utf8_names, utf8_counted);
  lua_pushcfunction(L, codes);
  lua_setfield(L, -2, "codes");
}

/* ---- require ---- */

static bool is_module_name(const char *name) {
  if (strncmp(name, "ck.", 3) != 0 || name[3] == '\0' || strstr(name, "..") ||
      name[strlen(name) - 1] == '.')
    return false;
  return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == '\0';
}

static void load_module(lua_State *L, const char *name) {
  bool known = is_module_name(name);
  const char *path = luaL_gsub(L, known ? name + 3 : "", ".", "/");
  path = lua_pushfstring(L, "lua/ck/%s.lua", path);
  ck_bytes text = known ? ck_embedded_get(path) : (ck_bytes){NULL, 0};
  if (!text.data)
    ck_vm_raise(L, CK_OK, "there is no module '%s': only those of ckrun, ck.*, can be required",
                name);
  ck_vm_push_chunk(L, path, text);
  lua_pushstring(L, name);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &core_key);
  lua_call(L, 2, 1);
  if (lua_istable(L, -1)) push_face(L, refuse_library_write);
  if (lua_isnil(L, -1)) ck_vm_raise(L, CK_OK, "module '%s' returns nothing", name);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

void ck_sandbox_require(lua_State *L, const char *name) {
  luaL_checkstack(L, 8, NULL);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &modules_key);
  if (lua_getfield(L, -1, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushboolean(L, false);
    lua_setfield(L, -2, name);
    load_module(L, name);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, name);
  } else if (lua_isboolean(L, -1)) {
    ck_vm_raise(L, CK_OK, "module '%s' requires itself, or failed to load before", name);
  }
  lua_remove(L, -2);
}

static int require_module(lua_State *L) {
  ck_sandbox_require(L, luaL_checkstring(L, 1));
  return 1;
}

/* ---- the environment ---- */

typedef struct {
  const char *name;
  void (*push)(lua_State *L);
} library;

static void push_math(lua_State *L) { push_library(L, luaopen_math, math_names, NULL); }

static const library libraries[] = {{"ck", ck_sandbox_push_ck},
                                    {"math", push_math},
                                    {"string", ck_sandbox_push_string},
                                    {"table", ck_sandbox_push_table_library},
                                    {"utf8", push_utf8},
                                    {NULL, NULL}};

void ck_sandbox_open(lua_State *L) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &modules_key);
  ck_sandbox_push_base(L);
  lua_pushcfunction(L, require_module);
  lua_setfield(L, -2, "require");
  for (const library *row = libraries; row->name; row++) {
    row->push(L);
    push_face(L, refuse_library_write);
    lua_setfield(L, -2, row->name);
  }
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, refuse_global_read);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  push_face(L, refuse_global_write);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &env_key);
  /* What the libraries left in the state's own table of globals goes. */
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

void ck_sandbox_push_env(lua_State *L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &env_key); }
void ck_sandbox_set_core(lua_State *L) { lua_rawsetp(L, LUA_REGISTRYINDEX, &core_key); }
