/* chunk.c - compiles the text of a script, and gives it the environment of the VM. */
#include <lauxlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/vm/sandbox.h"

extern const char lua_ident[]; /* of the library, which exports it: "$LuaVersion: Lua 5.4.4 …" */

/* Key of the registry. */
static const char env_key;

void ck_vm_set_env(lua_State *L) { lua_rawsetp(L, LUA_REGISTRYINDEX, &env_key); }
void ck_sandbox_push_env(lua_State *L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &env_key); }

/* Behind a byte order mark and a first line that begins with #, whose end stays: lines keep their
 * numbers. */
static ck_bytes skip_head(ck_bytes text) {
  if (text.len >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
    text = (ck_bytes){text.data + 3, text.len - 3};
  if (text.len == 0 || text.data[0] != '#') return text;
  const char *end = memchr(text.data, '\n', text.len);
  if (!end) return (ck_bytes){text.data + text.len, 0};
  return (ck_bytes){end, text.len - (size_t)(end - text.data)};
}

/* A shipped text was compiled by the build, for the library that the build had; another one
 * compiles it itself. Only what the program carries comes here: a chunk that is not Lua's own could
 * do anything. */
static bool push_shipped(lua_State *L, const char *name, ck_bytes text) {
  ck_bytes code = ck_embedded_get_code(name, text);
  if (code.len == 0 || strcmp(lua_ident, ck_embedded_compiler) != 0) return false;
  const char *chunk_name = lua_pushfstring(L, "@%s", name);
  int status = luaL_loadbufferx(L, code.data, code.len, chunk_name, "b");
  lua_remove(L, -2);
  if (status == LUA_ERRMEM) lua_error(L);
  if (status != LUA_OK) lua_pop(L, 1);
  return status == LUA_OK;
}

static void push_text(lua_State *L, const char *name, ck_bytes text) {
  const char *chunk_name = lua_pushfstring(L, "@%s", name);
  int status = luaL_loadbufferx(L, text.len ? text.data : "", text.len, chunk_name, "t");
  if (status == LUA_ERRSYNTAX) ck_vm_raise_plain(L, CK_E_PARSE, "%s", lua_tostring(L, -1));
  /* Nested too deeply for the compiler: its only error without a place. */
  if (status == LUA_ERRRUN) ck_vm_raise_plain(L, CK_E_PARSE, "%s: %s", name, lua_tostring(L, -1));
  if (status != LUA_OK) lua_error(L);
  lua_remove(L, -2);
}

void ck_vm_push_chunk(lua_State *L, const char *name, ck_bytes text) {
  text = skip_head(text);
  if (text.len > 0 && text.data[0] == LUA_SIGNATURE[0]) {
    ck_vm_raise_plain(L, CK_E_PARSE, "%s: a compiled chunk; only Lua source is accepted", name);
  }
  if (!push_shipped(L, name, text)) push_text(L, name, text);
  ck_sandbox_push_env(L);
  lua_setupvalue(L, -2, 1);
}
