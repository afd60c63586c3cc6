/* json.c - pushes JSON as Lua tables, and writes Lua values as JSON in a canonical form. */
#include "lua/vm/json.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json_scan.h"
#include "core/base/utf8.h"

enum { LOCATION_STEPS = 8 }; /* of a path shown in an error */

/* ---- JSON to Lua ---- */

static void push_value(lua_State *L, ck_bytes json);

static void push_string(lua_State *L, ck_bytes json) {
  if (!memchr(json.data, '\\', json.len)) {
    lua_pushlstring(L, json.data + 1, json.len - 2);
    return;
  }
  ck_buffer *text = ck_vm_scratch(L);
  ck_json_read_string(text, json);
  if (text->failed) ck_vm_raise(L, CK_E_NO_MEMORY, "out of memory");
  lua_pushlstring(L, text->data ? text->data : "", text->len);
}

static void push_number(lua_State *L, ck_bytes json) {
  int64_t integer;
  double number = 0;
  if (ck_json_read_int(&integer, json)) {
    lua_pushinteger(L, integer);
    return;
  }
  ck_json_read_double(&number, json);
  lua_pushnumber(L, number);
}

static void push_array(lua_State *L, ck_bytes json) {
  lua_newtable(L);
  ck_json_iterator it = ck_json_iterate(json);
  for (lua_Integer i = 1; ck_json_next(&it); i++) {
    push_value(L, it.value);
    lua_rawseti(L, -2, i);
  }
  ck_sandbox_mark_array(L, -1);
}

static void push_object(lua_State *L, ck_bytes json) {
  lua_newtable(L);
  ck_json_iterator it = ck_json_iterate(json);
  while (ck_json_next(&it)) {
    push_string(L, it.name);
    push_value(L, it.value);
    lua_rawset(L, -3);
  }
}

static void push_value(lua_State *L, ck_bytes json) {
  luaL_checkstack(L, 4, "JSON");
  ck_vm_charge(L, 1);
  switch (ck_json_type_of(json)) {
    case CK_JSON_FALSE:
      lua_pushboolean(L, false);
      return;
    case CK_JSON_TRUE:
      lua_pushboolean(L, true);
      return;
    case CK_JSON_NUMBER:
      push_number(L, json);
      return;
    case CK_JSON_STRING:
      push_string(L, json);
      return;
    case CK_JSON_ARRAY:
      push_array(L, json);
      return;
    case CK_JSON_OBJECT:
      push_object(L, json);
      return;
    default:
      ck_sandbox_push_null(L);
  }
}

/* Spans inside a document have no spaces around them; a document may. */
static ck_bytes trim(ck_bytes json) {
  while (json.len > 0 && memchr(" \t\r\n", json.data[0], 4))
    json = (ck_bytes){json.data + 1, json.len - 1};
  while (json.len > 0 && memchr(" \t\r\n", json.data[json.len - 1], 4)) json.len--;
  return json;
}

void ck_json_push(lua_State *L, ck_bytes json) { push_value(L, trim(json)); }

void ck_json_push_frozen(lua_State *L, ck_bytes json) {
  ck_json_push(L, json);
  ck_sandbox_freeze(L);
}

/* ---- Lua to JSON ---- */

typedef struct {
  const char *text; /* NULL: an index */
  size_t len;
  lua_Integer index;
} step;

typedef struct {
  lua_State *L;
  ck_buffer *out;
  size_t limit; /* of out->len */
  size_t max;
  int depth;
  step path[CK_JSON_LUA_DEPTH_MAX]; /* where in the value the writer is */
} writer;

static void write_value(writer *w, int index);

/* Raises "value.key[3]: what is wrong". */
static void refuse(writer *w, const char *what, const char *detail) {
  char location[256] = "value";
  size_t len = strlen(location);
  for (int i = 0; i < w->depth && i < LOCATION_STEPS && len < sizeof location - 1; i++) {
    const step *at = &w->path[i];
    int room = (int)(sizeof location - len);
    int put = at->text ? snprintf(location + len, (size_t)room, ".%.*s",
                                  (int)(at->len < 64 ? at->len : 64), at->text)
                       : snprintf(location + len, (size_t)room, "[%lld]", (long long)at->index);
    len += put < room ? (size_t)put : (size_t)room - 1;
  }
  ck_vm_raise(w->L, CK_OK, "%s: %s%s", location, what, detail);
}

/* `more`: bytes about to be written. */
static void check_size(writer *w, size_t more) {
  if (w->out->failed) ck_vm_raise(w->L, CK_E_NO_MEMORY, "out of memory");
  if (w->out->len + more <= w->limit) return;
  char detail[32];
  snprintf(detail, sizeof detail, "%zu bytes", w->max);
  refuse(w, "the value is larger than ", detail);
}

static void check_text(writer *w, const char *at, size_t len) {
  const char *end = at + len;
  while ((at = ck_json_skip_plain(at, end)) < end) {
    size_t size = ck_utf8_length(at, (size_t)(end - at));
    if (size == 0) refuse(w, "text that is not UTF-8", "");
    if (*at == '\0') refuse(w, "text with a NUL byte", "");
    at += size;
  }
}

static void write_text(writer *w, const char *text, size_t len) {
  check_size(w, len);
  ck_vm_charge(w->L, 1 + (int64_t)(len / 64));
  check_text(w, text, len);
  ck_json_append_string(w->out, (ck_bytes){text, len});
  check_size(w, 0);
}

static void write_float(writer *w, double number) {
  if (!isfinite(number)) refuse(w, isnan(number) ? "NaN" : "an infinity", " cannot be stored");
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  ck_buffer_append_text(w->out, text);
  if (!strpbrk(text, ".e")) ck_buffer_append_text(w->out, ".0");
}

static void enter(writer *w, step at) {
  if (w->depth == CK_JSON_LUA_DEPTH_MAX) refuse(w, "nested too deeply, or it contains itself", "");
  w->path[w->depth++] = at;
}

static void write_array(writer *w, int index, size_t count) {
  ck_buffer_append_char(w->out, '[');
  for (size_t i = 1; i <= count; i++) {
    enter(w, (step){.index = (lua_Integer)i});
    if (i > 1) ck_buffer_append_char(w->out, ',');
    lua_rawgeti(w->L, index, (lua_Integer)i);
    write_value(w, lua_gettop(w->L));
    lua_pop(w->L, 1);
    w->depth--;
  }
  ck_buffer_append_char(w->out, ']');
}

static void write_object(writer *w, int index, const ck_sandbox_key *keys, size_t count) {
  ck_buffer_append_char(w->out, '{');
  for (size_t i = 0; i < count; i++) {
    const ck_sandbox_key *key = &keys[i];
    enter(w, (step){.text = key->text, .len = key->len});
    if (i > 0) ck_buffer_append_char(w->out, ',');
    write_text(w, key->text, key->len);
    ck_buffer_append_char(w->out, ':');
    ck_sandbox_push_key(w->L, key);
    lua_rawget(w->L, index);
    write_value(w, lua_gettop(w->L));
    lua_pop(w->L, 1);
    w->depth--;
  }
  ck_buffer_append_char(w->out, '}');
}

/* `index` holds the plain table; two values above it are used. */
static void write_table(writer *w, int index) {
  size_t count, numbers = 0, texts = 0;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, w->L, index);
  bool sequence = true;
  for (size_t i = 0; i < count; i++) {
    numbers += keys[i].type == LUA_TNUMBER;
    texts += keys[i].type == LUA_TSTRING;
    if (keys[i].type == LUA_TNUMBER &&
        !(keys[i].is_integer && keys[i].integer == (lua_Integer)i + 1))
      sequence = false;
  }
  bool array = ck_sandbox_is_array(w->L, index);
  if (numbers + texts < count) refuse(w, "a table with a boolean as key", " cannot be stored");
  if (numbers && texts) refuse(w, "a table with both a list part and names", " cannot be stored");
  if (!sequence)
    refuse(w, "a list with gaps, or with keys other than 1, 2, 3, …,", " cannot be stored");
  if (array && texts) refuse(w, "a list with names in it", " cannot be stored");
  if (array || numbers)
    write_array(w, index, count);
  else
    write_object(w, index, keys, count);
  lua_pop(w->L, 1);
}

static void write_number(writer *w, int index) {
  if (lua_isinteger(w->L, index))
    ck_buffer_append_int(w->out, lua_tointeger(w->L, index));
  else
    write_float(w, lua_tonumber(w->L, index));
}

static void write_value(writer *w, int index) {
  lua_State *L = w->L;
  luaL_checkstack(L, 8, "JSON");
  ck_vm_charge(L, 1);
  size_t len;
  if (lua_isnoneornil(L, index) || ck_sandbox_is_null(L, index)) {
    ck_buffer_append_text(w->out, "null");
  } else if (lua_isboolean(L, index)) {
    ck_buffer_append_text(w->out, lua_toboolean(L, index) ? "true" : "false");
  } else if (lua_type(L, index) == LUA_TNUMBER) {
    write_number(w, index);
  } else if (lua_type(L, index) == LUA_TSTRING) {
    const char *text = lua_tolstring(L, index, &len);
    write_text(w, text, len);
  } else if (ck_sandbox_push_table(L, index)) {
    write_table(w, lua_gettop(L));
    lua_pop(L, 1);
  } else {
    refuse(w, "a value that cannot be stored: a ", ck_sandbox_type(L, index));
  }
  check_size(w, 0);
}

void ck_json_append_lua(ck_buffer *out, lua_State *L, int index, size_t max) {
  writer w = {.L = L, .out = out, .limit = out->len + max, .max = max};
  write_value(&w, lua_absindex(L, index));
}

void ck_json_read_lua(ck_value **out, lua_State *L, int index, size_t max) {
  ck_buffer *text = ck_vm_scratch(L);
  ck_json_append_lua(text, L, index, max);
  ck_error err = CK_ERROR_INIT;
  if (ck_value_from(out, text, &err) != CK_OK) ck_vm_raise_plain(L, err.status, "%s", err.text);
}
