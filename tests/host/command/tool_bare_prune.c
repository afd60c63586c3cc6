/* tool_bare_prune.c - asks the prune function of a policy's file by Lua alone, without ckrun: of
 * standard input, a line "SEQ ID" for each checkpoint, it prints "drop ID" and "keep ID". */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

enum { CANNOT = 9 };

/* history = { {seq =, id =}, … }, on the stack. */
static void push_history(lua_State *L) {
  long long seq;
  char id[100];
  lua_newtable(L);
  for (lua_Integer i = 1; scanf("%lld %99s", &seq, id) == 2; i++) {
    lua_newtable(L);
    lua_pushinteger(L, seq);
    lua_setfield(L, -2, "seq");
    lua_pushstring(L, id);
    lua_setfield(L, -2, "id");
    lua_rawseti(L, -2, i);
  }
}

static void print_list(lua_State *L, const char *name) {
  if (lua_getfield(L, -1, name) == LUA_TTABLE) {
    for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
      printf("%s %s\n", name, lua_tostring(L, -1));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (argc != 2 || !L) return CANNOT;
  luaL_openlibs(L);
  if (luaL_dofile(L, argv[1]) != LUA_OK) return CANNOT;
  lua_getfield(L, -1, "prune");
  push_history(L);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) return CANNOT;
  if (lua_istable(L, -1)) print_list(L, "drop");
  if (lua_istable(L, -1)) print_list(L, "keep");
  lua_close(L);
  return 0;
}
