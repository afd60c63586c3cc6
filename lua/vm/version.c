/* version.c - which Lua is loaded. */
#include <stdio.h>
#include <string.h>

#include "lua/vm/vm.h"

const char *ck_vm_version(void) {
  static char version[16];
  const char *digits = lua_ident + strcspn(lua_ident, "0123456789"); /* "$LuaVersion: Lua 5.4.4 " */
  snprintf(version, sizeof version, "%.*s", (int)strspn(digits, "0123456789."), digits);
  return version;
}
