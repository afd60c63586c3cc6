/* sandbox.c - the environment: its names, read-only libraries, undefined globals, require. */
#include "lua/vm/sandbox.h"

#include <lauxlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/vm/modules.h"

/* Keys of the registry. */
static const char core_key, modules_key;

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
    ck_vm_raise(
        L, CK_OK,
        "there is no module '%s': those of ckrun are called ck.*, and a file is required by "
        "its path from this one's folder, as in require \"./%s\"",
        name, name);
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
  const char *name = luaL_checkstring(L, 1);
  if (ck_modules_is_path(name))
    ck_modules_require(L, name);
  else
    ck_sandbox_require(L, name);
  return 1;
}

/* ---- the environment ---- */

typedef struct {
  const char *name;
  void (*push)(lua_State *L);
} library;

static const library libraries[] = {
    {"ck", ck_sandbox_push_ck},         {"math", ck_sandbox_push_math},
    {"string", ck_sandbox_push_string}, {"table", ck_sandbox_push_table_library},
    {"utf8", ck_sandbox_push_utf8},     {NULL, NULL}};

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
  ck_vm_set_env(L);
  /* Clears the names that the libraries left in the state's own table of globals. */
  lua_newtable(L);
  lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

void ck_sandbox_set_core(lua_State *L) { lua_rawsetp(L, LUA_REGISTRYINDEX, &core_key); }
