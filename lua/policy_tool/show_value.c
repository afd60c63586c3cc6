/* show_value.c - values with the views in them: Lua's notation, or JSON. */
#include "lua/policy_tool/show_value.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "core/base/json.h"
#include "lua/policy/view_fields.h"
#include "lua/vm/sandbox.h"

enum { DEPTH_MAX = 16, SIZE_MAX_SHOWN = 256 * 1024, LINE_MAX_SHOWN = 78 };

typedef struct showing {
  lua_State *L;
  ck_buffer *out;
  size_t begin; /* of the value in `out` */
  bool json;
  bool lines; /* the fields of the outermost table stand on lines of their own */
} showing;

static void show(showing *self, int index, int depth);

/* ---- what is no table ---- */

static void show_text(showing *self, int index, int depth) {
  size_t len;
  const char *text = lua_tolstring(self->L, index, &len);
  ck_vm_charge(self->L, (int64_t)(len / 16));
  if (!self->json && depth == 0)
    ck_buffer_append(self->out, text, len);
  else
    ck_json_append_string(self->out, (ck_bytes){text, len});
}

static void show_word(showing *self, const char *word) {
  ck_buffer_append_format(self->out, self->json ? "\"%s\"" : "%s", word);
}

static void show_other(showing *self, int index) {
  lua_State *L = self->L;
  int type = lua_type(L, index), verdict;
  if (ck_sandbox_is_null(L, index) || (type == LUA_TNIL && self->json)) {
    ck_buffer_append_text(self->out, self->json ? "null" : "ck.null");
  } else if (ck_sandbox_is_verdict(&verdict, L, index)) {
    show_word(self, verdict == 1 ? "ck.drop" : "ck.mask");
  } else if (type == LUA_TNIL || type == LUA_TBOOLEAN || type == LUA_TNUMBER) {
    bool none = self->json && type == LUA_TNUMBER && !isfinite(lua_tonumber(L, index));
    ck_sandbox_push_text(L, index);
    ck_buffer_append_text(self->out, none ? "null" : lua_tostring(L, -1));
    lua_pop(L, 1);
  } else {
    show_word(self, ck_sandbox_type(L, index));
  }
}

/* ---- tables and views ---- */

static bool is_name(const char *text, size_t len) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  return len > 0 && strspn(text, letters) == len && !(text[0] >= '0' && text[0] <= '9');
}

/* Before each element; `first` is cleared. */
static void show_between(const showing *self, bool *first, int depth) {
  bool line = self->lines && depth == 0;
  ck_buffer_append_text(self->out, *first       ? line         ? "\n  "
                                                  : self->json ? ""
                                                               : " "
                                   : line       ? ",\n  "
                                   : self->json ? ","
                                                : ", ");
  *first = false;
}

static void show_end(const showing *self, bool empty, int depth, char closer) {
  if (!empty && !self->json)
    ck_buffer_append_char(self->out, self->lines && depth == 0 ? '\n' : ' ');
  ck_buffer_append_char(self->out, closer);
}

static void show_key(showing *self, const ck_sandbox_key *key) {
  lua_State *L = self->L;
  ck_sandbox_push_key(L, key);
  ck_sandbox_push_text(L, -1);
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  if (self->json) {
    show_text(self, lua_gettop(L), 1);
    ck_buffer_append_char(self->out, ':');
  } else if (key->type == LUA_TSTRING && is_name(text, len)) {
    ck_buffer_append_format(self->out, "%s = ", text);
  } else {
    ck_buffer_append_char(self->out, '[');
    show(self, lua_gettop(L) - 1, 1);
    ck_buffer_append_text(self->out, "] = ");
  }
  lua_pop(L, 2);
}

static bool is_spent(const showing *self) { return self->out->len - self->begin > SIZE_MAX_SHOWN; }

/* The plain table on top of the stack. */
static void show_table(showing *self, int depth) {
  lua_State *L = self->L;
  size_t count;
  int table = lua_gettop(L);
  bool first = true;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, table);
  bool list = count == lua_rawlen(L, table) && (count > 0 || ck_sandbox_is_array(L, table));
  ck_buffer_append_char(self->out, self->json && list ? '[' : '{');
  for (size_t i = 0; i < count && !is_spent(self); i++) {
    show_between(self, &first, depth);
    bool in_order =
        keys[i].type == LUA_TNUMBER && keys[i].is_integer && keys[i].integer == (lua_Integer)i + 1;
    if (self->json ? !list : !in_order) show_key(self, &keys[i]);
    ck_sandbox_push_key(L, &keys[i]);
    lua_rawget(L, table);
    show(self, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
  show_end(self, first, depth, self->json && list ? ']' : '}');
}

static void show_view(showing *self, int index, ck_view_kind kind, int depth) {
  lua_State *L = self->L;
  bool first = true;
  ck_buffer_append_char(self->out, '{');
  for (const view_field *field = ck_view_fields[kind]; field->name; field++) {
    if (lua_getfield(L, index, field->name) != LUA_TNIL) {
      show_between(self, &first, depth);
      ck_buffer_append_format(self->out, self->json ? "\"%s\":" : "%s = ", field->name);
      show(self, lua_gettop(L), depth + 1);
    }
    lua_pop(L, 1);
  }
  show_end(self, first, depth, '}');
}

static void show(showing *self, int index, int depth) {
  lua_State *L = self->L;
  ck_view_kind kind;
  luaL_checkstack(L, 10, "a value");
  ck_vm_charge(L, 4);
  if (depth > DEPTH_MAX || is_spent(self)) {
    if (self->json && depth <= DEPTH_MAX)
      ck_vm_raise_plain(L, CK_OK, "the value is longer than %d bytes", SIZE_MAX_SHOWN);
    show_word(self, "…");
  } else if (ck_view_get_kind(&kind, L, index)) {
    show_view(self, index, kind, depth);
  } else if (ck_sandbox_push_table(L, index)) {
    int top = lua_gettop(L) - 1;
    show_table(self, depth);
    lua_settop(L, top);
  } else if (lua_type(L, index) == LUA_TSTRING) {
    show_text(self, index, depth);
  } else {
    show_other(self, index);
  }
}

void ck_show_value(ck_buffer *out, lua_State *L, int index, bool json) {
  showing self = {.L = L, .out = out, .begin = out->len, .json = json};
  bool table = lua_type(L, index) == LUA_TTABLE || lua_type(L, index) == LUA_TUSERDATA;
  show(&self, index, 0);
  if (json || !table || out->len - self.begin <= LINE_MAX_SHOWN) return;
  out->len = self.begin;
  self.lines = true;
  show(&self, index, 0);
}
