/* sandbox_ck.c - the library ck: null, array, and values for answers of policies; its patterns are
 * in sandbox_pattern.c. */
#include <lauxlib.h>
#include <string.h>

#include "lua/vm/sandbox.h"

static int mark_array(lua_State *L) {
  lua_settop(L, 1);
  ck_sandbox_check_plain(L, 1);
  ck_sandbox_mark_array(L, 1);
  return 1;
}

/* An answer with a text of its own, {WORD = text}. */
static int make_answer(lua_State *L, const char *word) {
  luaL_checkstring(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, word);
  return 1;
}

static int refuse_resume(lua_State *L) { return make_answer(L, "refuse"); }
static int deny_effect(lua_State *L) { return make_answer(L, "deny"); }
static int ask_person(lua_State *L) { return make_answer(L, "ask"); }

/* An answer of a redact hook: an address that nothing else has. */
static const char drop;
/* Key of the registry: the metatable of references. */
static const char ref_key;

bool ck_sandbox_is_verdict(int *out, lua_State *L, int index) {
  const void *value = lua_islightuserdata(L, index) ? lua_touserdata(L, index) : NULL;
  *out = value == &drop ? 1 : ck_sandbox_is_mask(L, index) ? 2 : 0;
  return *out != 0;
}

bool ck_sandbox_is_ref(lua_State *L, int index) {
  if (!lua_istable(L, index) || !lua_getmetatable(L, index)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &ref_key);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

void ck_sandbox_check_ref(lua_State *L, const char *text, size_t len) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  bool named =
      len > 4 && len <= 128 && strncmp(text, "env:", 4) == 0 && !(text[4] >= '0' && text[4] <= '9');
  if (named && strspn(text + 4, letters) == len - 4) return;
  ck_vm_raise(L, CK_OK, "ck.ref: \"env:NAME\" expected, got '%.40s'", text);
}

static int make_ref(lua_State *L) {
  size_t len;
  const char *text = luaL_checklstring(L, 1, &len);
  ck_sandbox_check_ref(L, text, len);
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "ref");
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &ref_key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &ref_key);
  }
  lua_setmetatable(L, -2);
  return 1;
}

static const luaL_Reg ck_functions[] = {{"array", mark_array},     {"ask", ask_person},
                                        {"deny", deny_effect},     {"ref", make_ref},
                                        {"refuse", refuse_resume}, {NULL, NULL}};

void ck_sandbox_push_ck(lua_State *L) {
  luaL_newlib(L, ck_functions);
  ck_sandbox_add_patterns(L);
  ck_sandbox_push_null(L);
  lua_setfield(L, -2, "null");
  lua_pushlightuserdata(L, (void *)&drop);
  lua_setfield(L, -2, "drop");
  ck_sandbox_push_mask(L);
  lua_setfield(L, -2, "mask");
  ck_sandbox_push_mask_personal(L);
  lua_setfield(L, -2, "mask_personal");
}
