/* test_compiled.c - what the build compiled of the shipped Lua is what the library makes of the
 * texts, to the byte, with all that errors name; and nothing else is taken for it. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/vm/sandbox.h"
#include "tests/tap.h"

extern const char lua_ident[];

static int append(lua_State *L, const void *data, size_t len, void *to) {
  (void)L;
  ck_buffer_append(to, data, len);
  return 0;
}

/* By a state of its own, apart from the program's. */
static bool is_compiled_text(lua_State *L, const ck_embedded *row, size_t *compiled) {
  char name[300];
  ck_buffer wanted = {0};
  ck_bytes text = ck_embedded_get(row->name), code = ck_embedded_get_code(row->name, text);
  snprintf(name, sizeof name, "@%s", row->name);
  size_t len = strlen(row->name);
  bool script = len > 4 && strcmp(row->name + len - 4, ".lua") == 0;
  if (script && luaL_loadbufferx(L, text.data, text.len, name, "t") == LUA_OK)
    lua_dump(L, append, &wanted, 0);
  lua_settop(L, 0);
  bool same = wanted.len == code.len && (!code.len || !memcmp(wanted.data, code.data, code.len));
  if (!same) tap_diag("%s: %zu bytes, not %zu", row->name, code.len, wanted.len);
  *compiled += code.len > 0;
  ck_buffer_clear(&wanted);
  return same;
}

static void test_code(void) {
  lua_State *L = luaL_newstate();
  size_t compiled = 0, same = 0, count = 0;
  for (const ck_embedded *row = ck_embedded_table; row->name; row++, count++)
    same += is_compiled_text(L, row, &compiled);
  tap_is_int((int64_t)same, (int64_t)count,
             "what the build compiled is what Lua makes of the text");
  tap_ok(compiled > 60, "%zu texts are compiled", compiled);
  tap_is_text(ck_embedded_compiler, lua_ident, "by the library that is here");
  lua_close(L);
}

/* ---- only the program's own bytes ---- */

static void test_only_shipped(void) {
  const char *name = "lua/ck/flow.lua";
  ck_bytes text = ck_embedded_get(name);
  char *copy = malloc(text.len);
  memcpy(copy, text.data, text.len);
  tap_ok(ck_embedded_get_code(name, text).len > 0, "a shipped text has a compiled form");
  tap_is_int((int64_t)ck_embedded_get_code(name, (ck_bytes){copy, text.len}).len, 0,
             "the same text of somebody else's has none");
  tap_is_int((int64_t)ck_embedded_get_code("policies/smart.lua", text).len, 0,
             "nor has it under another name");
  tap_is_int((int64_t)ck_embedded_get_code(name, (ck_bytes){text.data, text.len - 1}).len, 0,
             "nor a part of it");
  free(copy);
}

typedef struct chunk {
  const char *name;
  ck_bytes text;
} chunk;

static int push(lua_State *L) {
  const chunk *self = lua_touserdata(L, 1);
  ck_vm_push_chunk(L, self->name, self->text);
  return 0;
}

static void test_text_only(void) {
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  const char *name = "lua/ck/flow.lua";
  chunk code = {name, ck_embedded_get_code(name, ck_embedded_get(name))};
  tap_must(ck_vm_new(&vm, &ck_vm_flow_limits, NULL, &err) == CK_OK, "%s", err.text);
  tap_is_status(ck_vm_call(vm, push, &code, &err), CK_E_PARSE, &err,
                "compiled bytes are no script, even the program's own");
  chunk broken = {"policies/smart.lua", ck_bytes_text("return {\n\n")};
  tap_is_status(ck_vm_call(vm, push, &broken, &err), CK_E_PARSE, &err,
                "a file of a shipped one's name is compiled from its text");
  tap_ok(strstr(err.text, "policies/smart.lua:3:") != NULL, "with its lines: %s", err.text);
  ck_vm_free(vm);
}

int main(void) {
  test_code();
  test_only_shipped();
  test_text_only();
  return tap_done();
}
