/* test_annotations.c - lua/ck/meta.lua tells an editor exactly what a policy can see, name by
 * name. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/policy/policy.h"
#include "lua/vm/sandbox.h"
#include "lua/policy/view.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

enum { NAME_SIZE = 64 };

/* ---- what the file says ---- */

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

/* Appends "name name …\n" for what stands in the section that begins with `head`. */
static void append_section(ck_buffer *out, const char *head, const char *row) {
  ck_bytes rest = ck_embedded_get("lua/ck/meta.lua");
  char word[NAME_SIZE];
  bool inside = false;
  while (rest.len > 0) {
    ck_bytes line = next_line(&rest);
    bool is_head = line.len == strlen(head) && memcmp(line.data, head, line.len) == 0;
    if (is_head)
      inside = true;
    else if (inside && line.len == 0)
      break;
    else if (inside && read_word(word, line, row))
      ck_buffer_append_format(out, "%s ", word);
  }
  ck_buffer_append_char(out, '\n');
}

static void check(const char *head, const char *row, const ck_buffer *want) {
  ck_buffer got = {0};
  append_section(&got, head, row);
  tap_is_bytes(ck_buffer_bytes(&got), ck_buffer_bytes(want), "%s", head);
  ck_buffer_clear(&got);
}

/* ---- what the code says ---- */

static void test_views(void) {
  for (int kind = 0; kind < CK_VIEW_COUNT; kind++) {
    ck_buffer want = {0}, head = {0};
    ck_buffer_append_format(&head, "---@class %s", ck_view_class((ck_view_kind)kind));
    for (size_t i = 0; ck_view_field((ck_view_kind)kind, i); i++)
      ck_buffer_append_format(&want, "%s ", ck_view_field((ck_view_kind)kind, i));
    ck_buffer_append_char(&want, '\n');
    check(head.data, "---@field ", &want);
    ck_buffer_clear(&head);
    ck_buffer_clear(&want);
  }
}

static void test_policy(void) {
  ck_buffer want = {0};
  ck_buffer_append_text(&want, "name version options ");
#define X(name, view) ck_buffer_append_text(&want, #name " ");
  CK_POLICY_HOOK_TABLE(X)
#undef X
  ck_buffer_append_char(&want, '\n');
  check("---@class ck.Policy", "---@field ", &want);
  ck_buffer_clear(&want);
}

#define NAME_3(name, number, text, ...) ck_buffer_append_text(&want, text " ");
#define NAME_2(name, text) ck_buffer_append_text(&want, text " ");
#define TEST_ALIAS(alias, table, column)              \
  do {                                                \
    ck_buffer want = {0};                             \
    table(column) ck_buffer_append_char(&want, '\n'); \
    check_alias("---@alias " alias " ", &want);       \
    ck_buffer_clear(&want);                           \
  } while (0)

static void check_alias(const char *head, const ck_buffer *want) {
  ck_buffer got = {0};
  ck_bytes rest = ck_embedded_get("lua/ck/meta.lua");
  size_t skip = strlen(head);
  char word[NAME_SIZE];
  while (rest.len > 0) {
    ck_bytes line = next_line(&rest);
    if (line.len <= skip || memcmp(line.data, head, skip) != 0) continue;
    for (line.data += skip, line.len -= skip; read_word(word, line, "\"");) {
      size_t step = strlen(word) + 2;
      step += line.len > step && line.data[step] == '|';
      line = (ck_bytes){line.data + step, line.len - step};
      ck_buffer_append_format(&got, "%s ", word);
    }
  }
  ck_buffer_append_char(&got, '\n');
  tap_is_bytes(ck_buffer_bytes(&got), ck_buffer_bytes(want), "%s", head);
  ck_buffer_clear(&got);
}

static void test_words(void) {
  TEST_ALIAS("ck.BoundaryKind", CK_BOUNDARY_TABLE, NAME_3);
  TEST_ALIAS("ck.EventKind", CK_EVENT_TABLE, NAME_3);
  TEST_ALIAS("ck.SessionStatus", CK_SESSION_STATUS_TABLE, NAME_3);
  TEST_ALIAS("ck.EffectKind", CK_EFFECT_KIND_TABLE, NAME_2);
  TEST_ALIAS("ck.EffectClass", CK_EFFECT_CLASS_TABLE, NAME_2);
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
  test_views();
  test_policy();
  test_words();
  test_library();
  return tap_done();
}
