/* answer_texts.c - a value with other texts in it, as a redact hook gives it: the same members,
 * truths and numbers in the same places. A number can be a placeholder. */
#include <lauxlib.h>

#include "core/base/placeholder.h"
#include "core/base/utf8.h"
#include "lua/policy/answer.h"
#include "lua/vm/json.h"
#include "lua/vm/sandbox.h"

enum { BYTES_PER_UNIT = 16 };

typedef struct reading {
  ck_json_writer w;
  lua_State *L;
  size_t most;
  bool changed;
} reading;

static void read_value(reading *self, int index, ck_bytes value);

static void refuse_shape(reading *self, int index, const char *expected) {
  ck_vm_raise_plain(self->L, CK_OK,
                    "the answer: nil, ck.drop, ck.mask, ck.ref \"env:NAME\", or the item's value "
                    "with other texts in it expected; got a %s where it has %s",
                    ck_sandbox_type(self->L, index), expected);
}

static void check_text(reading *self, const char *text, size_t len) {
  for (size_t i = 0, step; i < len; i += step) {
    step = text[i] ? ck_utf8_length(text + i, len - i) : 0;
    if (step == 0)
      ck_vm_raise_plain(self->L, CK_OK,
                        "the answer: UTF-8 without NUL expected, got another byte at %zu", i + 1);
  }
}

static void read_text(reading *self, int index, ck_bytes value) {
  lua_State *L = self->L;
  if (lua_type(L, index) != LUA_TSTRING) refuse_shape(self, index, "a text");
  self->most += CK_PLACEHOLDER_SIZE; /* each can be masked, however short it is */
  size_t len;
  const char *text = lua_tolstring(L, index, &len);
  ck_json_push(L, value);
  bool same = lua_rawequal(L, index, -1);
  lua_pop(L, 1);
  if (same) {
    ck_json_put_raw(&self->w, value);
    return;
  }
  check_text(self, text, len);
  ck_vm_charge(L, (int64_t)(len / BYTES_PER_UNIT));
  ck_json_put_string(&self->w, (ck_bytes){text, len});
  self->changed = true;
}

/* A number that is masked is a placeholder, as under the rules for names. */
static bool read_masked_number(reading *self, int index, ck_bytes value) {
  size_t len;
  bool number = ck_json_type_of(value) == CK_JSON_NUMBER;
  if (!number || lua_type(self->L, index) != LUA_TSTRING) return false;
  const char *text = lua_tolstring(self->L, index, &len);
  if (!ck_placeholder_is((ck_bytes){text, len})) return false;
  self->most += CK_PLACEHOLDER_SIZE;
  ck_json_put_string(&self->w, (ck_bytes){text, len});
  self->changed = true;
  return true;
}

static void read_other(reading *self, int index, ck_bytes value) {
  if (read_masked_number(self, index, value)) return;
  ck_json_push(self->L, value);
  bool same = lua_rawequal(self->L, index, -1);
  lua_pop(self->L, 1);
  if (!same) refuse_shape(self, index, "a number, a truth or null, which stays");
  ck_json_put_raw(&self->w, value);
}

/* How many keys the table on top has. */
static size_t count_keys(lua_State *L) {
  size_t count = 0;
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) count++;
  return count;
}

static void read_container(reading *self, int index, ck_bytes value) {
  lua_State *L = self->L;
  bool object = ck_json_type_of(value) == CK_JSON_OBJECT;
  size_t count = 0;
  if (!ck_sandbox_push_table(L, index)) refuse_shape(self, index, object ? "an object" : "a list");
  ck_json_iterator it = ck_json_iterate(value);
  ck_json_begin(&self->w, object ? '{' : '[');
  for (; ck_json_next(&it); count++) {
    ck_vm_charge(L, 1);
    if (object)
      ck_json_push(L, it.name);
    else
      lua_pushinteger(L, (lua_Integer)count + 1);
    lua_rawget(L, -2);
    if (object) ck_json_raw_name(&self->w, it.name);
    read_value(self, lua_gettop(L), it.value);
    lua_pop(L, 1);
  }
  ck_json_end(&self->w, object ? '}' : ']');
  if (count_keys(L) != count)
    ck_vm_raise_plain(L, CK_OK, "the answer: only texts can be other ones; it has other members");
  lua_pop(L, 1);
}

static void read_value(reading *self, int index, ck_bytes value) {
  ck_json_type type = ck_json_type_of(value);
  luaL_checkstack(self->L, 8, "an answer");
  if (type == CK_JSON_STRING)
    read_text(self, index, value);
  else if (type == CK_JSON_OBJECT || type == CK_JSON_ARRAY)
    read_container(self, index, value);
  else
    read_other(self, index, value);
  if (self->w.out->len > self->most)
    ck_vm_raise_plain(self->L, CK_OK,
                      "the answer is more than %d bytes longer than the item's value",
                      CK_SANDBOX_TEXT_MAX);
}

bool ck_answer_read_texts(ck_buffer *out, lua_State *L, int index, ck_bytes value) {
  reading self = {.w = {.out = out}, .L = L, .most = value.len + CK_SANDBOX_TEXT_MAX};
  read_value(&self, lua_absindex(L, index), value);
  return self.changed;
}
