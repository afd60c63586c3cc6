/* compile.c - a program of the build: compiles the shipped Lua, with what errors and tracebacks
 * name, for lua/vm/chunk.c. */
#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

extern const char lua_ident[]; /* of the library: "$LuaVersion: Lua 5.4.4 …" */

static int append(lua_State *L, const void *data, size_t len, void *to) {
  (void)L;
  return fwrite(data, 1, len, to) != len;
}

static FILE *create(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
    *slash = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return NULL;
    *slash = '/';
  }
  return fopen(path, "w");
}

/* What is no script is left empty: it has no compiled form. */
static int compile(lua_State *L, const char *folder, const char *name) {
  FILE *out = create(folder, name);
  if (!out) return 0;
  size_t len = strlen(name);
  int good = 1, script = len > 4 && strcmp(name + len - 4, ".lua") == 0;
  /* The chunk's name is "@NAME", as it is of the text. */
  if (script && luaL_loadfilex(L, name, "t") == LUA_OK) good = lua_dump(L, append, out, 0) == 0;
  lua_settop(L, 0);
  return fclose(out) == 0 && good;
}

/* compile FOLDER NAME…: FOLDER/NAME for each, and at last FOLDER/compiler: all of it is there. */
int main(int argc, char **argv) {
  lua_State *L = argc > 1 ? luaL_newstate() : NULL;
  int good = L != NULL;
  for (int i = 2; i < argc && good; i++) good = compile(L, argv[1], argv[i]);
  if (L) lua_close(L);
  FILE *compiler = good ? create(argv[1], "compiler") : NULL;
  good = compiler && fputs(lua_ident, compiler) >= 0;
  if (compiler) good &= fclose(compiler) == 0;
  if (!good) fprintf(stderr, "compile: the compiled Lua cannot be written\n");
  return !good;
}
