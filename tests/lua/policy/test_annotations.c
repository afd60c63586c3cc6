/* test_annotations.c - lua/ck/meta.lua has exactly the functions and values of ck; generated.t is
 * about the rest of it. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/vm/sandbox.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

enum { NAME_SIZE = 64 };

static ck_bytes next_line(ck_bytes *rest) {
  const char *end = memchr(rest->data, '\n', rest->len);
  size_t len = end ? (size_t)(end - rest->data) : rest->len;
  ck_bytes line = {rest->data, len};
  size_t step = end ? len + 1 : len;
  *rest = (ck_bytes){rest->data + step, rest->len - step};
  return line;
}

/* The word behind `before` at the begin of the line; false when it does not begin so. */
static bool read_word(char out[NAME_SIZE], ck_bytes line, const char *before) {
  size_t skip = strlen(before), len = 0;
  if (line.len <= skip || memcmp(line.data, before, skip) != 0) return false;
  while (skip + len < line.len && len < NAME_SIZE - 1 && !strchr(" (=:\"[", line.data[skip + len]))
    len++;
  memcpy(out, line.data + skip, len);
  out[len] = '\0';
  return len > 0;
}

static int library_body(lua_State *L) {
  ck_buffer *out = lua_touserdata(L, 1);
  size_t count;
  ck_sandbox_push_env(L);
  lua_getfield(L, -1, "ck");
  luaL_getmetafield(L, -1, "__index");
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, -1);
  for (size_t i = 0; i < count; i++) ck_buffer_append_format(out, "%s\n", keys[i].text);
  return 0;
}

static int compare_texts(const void *a, const void *b) { return strcmp(a, b); }

static void test_library(void) {
  ck_buffer want = {0}, got = {0};
  ck_vm *vm;
  ck_error err = CK_ERROR_INIT;
  char names[32][NAME_SIZE];
  size_t count = 0;
  tap_must(ck_vm_new(&vm, &ck_vm_policy_limits, NULL, &err) == CK_OK &&
               ck_vm_call(vm, library_body, &want, &err) == CK_OK,
           "the library: %s", err.text);
  ck_bytes rest = ck_embedded_get("lua/ck/meta.lua");
  while (rest.len > 0 && count < 32) {
    ck_bytes line = next_line(&rest);
    if (read_word(names[count], line, "function ck.") || read_word(names[count], line, "ck."))
      count++;
  }
  qsort(names, count, NAME_SIZE, compare_texts);
  for (size_t i = 0; i < count; i++) ck_buffer_append_format(&got, "%s\n", names[i]);
  tap_is_bytes(ck_buffer_bytes(&got), ck_buffer_bytes(&want), "the functions and values of ck");
  ck_buffer_clear(&got);
  ck_buffer_clear(&want);
  ck_vm_free(vm);
}

int main(void) {
  tap_must(ck_embedded_get("lua/ck/meta.lua").data != NULL, "the annotations are there");
  test_library();
  return tap_done();
}
