/* sandbox_print.c - print: a line of the log, bounded, with the place that it comes from. */
#include <lauxlib.h>
#include <stdatomic.h>

#include "core/base/log.h"
#include "lua/vm/sandbox.h"

enum { LINES_MAX = 1000, LINE_BYTES_MAX = 2000 };

static _Atomic bool quiet;

void ck_sandbox_quiet_print(bool is_quiet) { atomic_store(&quiet, is_quiet); }

/* How many lines this state has printed, the next one included. */
static lua_Integer count_line(lua_State *L) {
  static const char counter = 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &counter);
  lua_Integer count = lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  lua_pushinteger(L, count);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &counter);
  return count;
}

/* The arguments as tostring shows them, two spaces between two, cut. */
static void append_line(ck_buffer *to, lua_State *L, int count) {
  for (int i = 1; i <= count && to->len <= LINE_BYTES_MAX; i++) {
    size_t len;
    if (i > 1) ck_buffer_append_text(to, "  ");
    ck_sandbox_push_text(L, i);
    const char *text = lua_tolstring(L, -1, &len);
    ck_buffer_append(to, text, len < LINE_BYTES_MAX ? len : LINE_BYTES_MAX + 1);
    lua_pop(L, 1);
  }
  if (to->len <= LINE_BYTES_MAX) return;
  to->len = LINE_BYTES_MAX;
  ck_buffer_append_text(to, "…");
}

int ck_sandbox_print(lua_State *L) {
  int count = lua_gettop(L);
  lua_Integer line = count_line(L);
  ck_vm_charge(L, LINE_BYTES_MAX / 16);
  if (line > LINES_MAX + 1 || atomic_load_explicit(&quiet, memory_order_relaxed)) return 0;
  ck_buffer *text = ck_vm_scratch(L);
  luaL_where(L, 1);
  const char *where = lua_tostring(L, -1);
  if (line <= LINES_MAX)
    append_line(text, L, count);
  else
    ck_buffer_append_format(text, "print: %d lines were shown, more are not", LINES_MAX);
  if (text->failed) return luaL_error(L, "out of memory");
  ck_log_line(CK_LOG_WARN, "%s%.*s", where, (int)text->len, text->data ? text->data : "");
  return 0;
}
