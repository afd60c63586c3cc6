/* test_allow_list.c - the linter allows exactly what scripts can reach, name by name. */
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "lua/vm/sandbox.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

typedef struct {
  ck_buffer lint;  /* text of .luacheckrc as a script */
  ck_buffer names; /* one a line */
} listing;

/* Appends "name" or "library.name" for each text key of the table on top. */
static void append_names(ck_buffer *out, lua_State *L, const char *library) {
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, -1);
  for (size_t i = 0; i < count; i++) {
    if (keys[i].type == LUA_TSTRING) ck_buffer_append_format(out, "%s%s\n", library, keys[i].text);
  }
  lua_pop(L, 1);
}

/* Gives the table that a face or the environment reads from. */
static void push_behind(lua_State *L, int index) {
  if (luaL_getmetafield(L, index, "__index") != LUA_TTABLE) luaL_error(L, "no table is behind it");
}

static int reachable_body(lua_State *L) {
  static const char *const libraries[] = {"ck", "math", "string", "table", "utf8"};
  listing *self = lua_touserdata(L, 1);
  ck_sandbox_push_env(L);
  push_behind(L, -1);
  append_names(&self->names, L, "");
  for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
    char prefix[16];
    snprintf(prefix, sizeof prefix, "%s.", libraries[i]);
    lua_getfield(L, -1, libraries[i]);
    push_behind(L, -1);
    append_names(&self->names, L, prefix);
    lua_pop(L, 2);
  }
  return 0;
}

static const char list_script[] =
    "\nlocal plain, below = {}, {}\n"
    "for key, value in pairs(read_globals) do\n"
    "  plain[#plain + 1] = type(key) == 'number' and value or key\n"
    "  if type(key) == 'string' then for name in pairs(value.fields) do below[#below + 1] = key .. "
    "'.' .. name end end\n"
    "end\n"
    "table.sort(plain)\n"
    "return table.concat(plain, '\\n') .. '\\n' .. table.concat(below, '\\n') .. '\\n'\n";

static int linted_body(lua_State *L) {
  listing *self = lua_touserdata(L, 1);
  ck_vm_push_chunk(L, ".luacheckrc", ck_buffer_bytes(&self->lint));
  lua_call(L, 0, 1);
  ck_buffer_append_text(&self->names, luaL_checkstring(L, -1));
  return 0;
}

int main(void) {
  listing reachable = {0}, linted = {0};
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_vm_new(&vm, &ck_vm_policy_limits, NULL, &err) == CK_OK, "a VM opens");
  ck_buffer_append_text(&linted.lint, "local std, exclude_files, max_line_length, read_globals; ");
  tap_must(ck_vm_read_file(&linted.lint, ".luacheckrc", &err) == CK_OK, ".luacheckrc is read: %s",
           err.text);
  ck_buffer_append_text(&linted.lint, list_script);
  tap_is_status(ck_vm_call(vm, reachable_body, &reachable, &err), CK_OK, &err,
                "what scripts can reach is listed");
  tap_is_status(ck_vm_call(vm, linted_body, &linted, &err), CK_OK, &err,
                "what the linter allows is listed");
  tap_is_bytes(ck_buffer_bytes(&linted.names), ck_buffer_bytes(&reachable.names),
               "and both are the same");
  ck_buffer_clear(&reachable.names);
  ck_buffer_clear(&linted.names);
  ck_buffer_clear(&linted.lint);
  ck_vm_free(vm);
  return tap_done();
}
