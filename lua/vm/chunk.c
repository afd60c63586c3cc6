/* chunk.c - compiles the text of a script, and gives it the environment of the VM. */
#include <lauxlib.h>
#include <string.h>

#include "lua/vm/sandbox.h"

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

void ck_vm_push_chunk(lua_State *L, const char *name, ck_bytes text) {
  text = skip_head(text);
  if (text.len > 0 && text.data[0] == LUA_SIGNATURE[0]) {
    ck_vm_raise_plain(L, CK_E_PARSE, "%s: a compiled chunk; only Lua source is accepted", name);
  }
  const char *chunk_name = lua_pushfstring(L, "@%s", name);
  int status = luaL_loadbufferx(L, text.len ? text.data : "", text.len, chunk_name, "t");
  if (status == LUA_ERRSYNTAX) ck_vm_raise_plain(L, CK_E_PARSE, "%s", lua_tostring(L, -1));
  /* Nested too deeply for the compiler: its only error without a place. */
  if (status == LUA_ERRRUN) ck_vm_raise_plain(L, CK_E_PARSE, "%s: %s", name, lua_tostring(L, -1));
  if (status != LUA_OK) lua_error(L);
  lua_remove(L, -2);
  ck_sandbox_push_env(L);
  lua_setupvalue(L, -2, 1);
}
