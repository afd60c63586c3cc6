/* value.c - JSON of a source in Lua: read-only tables that keep their original bytes. */
#include <lauxlib.h>
#include <string.h>

#include "lua/import/bridge.h"
#include "lua/vm/json.h"

enum { VALUE_MAX = 256 << 20, DEPTH_MAX = 64 };

static const char face_key; /* in the registry: the metatable of read-only faces */
static const char text_key; /* and the texts that values were made of, which point into them */

void ck_import_value_open(lua_State *L) {
  lua_newtable(L);
  ck_sandbox_freeze(L);
  if (!lua_getmetatable(L, -1)) luaL_error(L, "faces have no metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &face_key);
  lua_pop(L, 1);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &text_key);
}

/* ---- from the source ---- */

static void push_container(lua_State *L, ck_bytes json, bool object) {
  luaL_checkstack(L, 6, "JSON");
  ck_bytes *span = lua_newuserdatauv(L, sizeof *span, 1);
  *span = json;
  lua_newtable(L);
  ck_json_iterator it = ck_json_iterate(json);
  for (lua_Integer i = 1; ck_json_next(&it); i++) {
    if (object) ck_json_push(L, it.name);
    ck_import_value_push(L, it.value);
    if (object)
      lua_rawset(L, -3);
    else
      lua_rawseti(L, -2, i);
  }
  if (!object) ck_sandbox_mark_array(L, -1);
  lua_setiuservalue(L, -2, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &face_key);
  lua_setmetatable(L, -2);
}

/* Spans inside a document carry no spaces around them; a document may. */
static ck_bytes trim(ck_bytes json) {
  while (json.len > 0 && memchr(" \t\r\n", json.data[0], 4))
    json = (ck_bytes){json.data + 1, json.len - 1};
  while (json.len > 0 && memchr(" \t\r\n", json.data[json.len - 1], 4)) json.len--;
  return json;
}

void ck_import_value_push(lua_State *L, ck_bytes json) {
  json = trim(json);
  ck_json_type type = ck_json_type_of(json);
  ck_vm_charge(L, 1);
  if (type == CK_JSON_OBJECT || type == CK_JSON_ARRAY)
    push_container(L, json, type == CK_JSON_OBJECT);
  else
    ck_json_push(L, json);
}

int ck_import_value_parse(lua_State *L) {
  ck_error err = CK_ERROR_INIT;
  ck_bytes text = {0};
  text.data = luaL_checklstring(L, 1, &text.len);
  lua_settop(L, 1);
  if (ck_import_source_check(text, &err) != CK_OK) {
    lua_pushnil(L);
    lua_pushstring(L, err.text);
    return 2;
  }
  lua_rawgetp(L, LUA_REGISTRYINDEX, &text_key);
  lua_pushvalue(L, 1);
  lua_pushboolean(L, true);
  lua_rawset(L, -3);
  ck_import_value_push(L, text);
  return 1;
}

/* ---- to JSON ---- */

/* The bytes of a table of the source; none for any other value. */
static ck_bytes span_of(lua_State *L, int index) {
  ck_bytes none = {0};
  if (lua_type(L, index) != LUA_TUSERDATA || lua_rawlen(L, index) != sizeof(ck_bytes)) return none;
  if (!lua_getmetatable(L, index)) return none;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &face_key);
  bool ours = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return ours ? *(const ck_bytes *)lua_touserdata(L, index) : none;
}

static void append(ck_buffer *out, lua_State *L, int index, int depth);

/* `index` is the plain table. An array when it is marked or its keys are 1 … n. */
static void append_table(ck_buffer *out, lua_State *L, int index, int depth) {
  size_t count, in_order = 0;
  bool marked = ck_sandbox_is_array(L, index);
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, index);
  for (size_t i = 0; i < count; i++)
    in_order += keys[i].is_integer && keys[i].integer == (lua_Integer)i + 1;
  bool array = (marked || count > 0) && in_order == count;
  ck_buffer_append_char(out, array ? '[' : '{');
  for (size_t i = 0; i < count; i++) {
    if (!array && keys[i].type != LUA_TSTRING)
      luaL_error(L, "a table with other keys than texts or 1, 2, 3, … cannot be stored");
    if (i > 0) ck_buffer_append_char(out, ',');
    if (!array) ck_json_append_string(out, (ck_bytes){keys[i].text, keys[i].len});
    if (!array) ck_buffer_append_char(out, ':');
    ck_sandbox_push_key(L, &keys[i]);
    lua_rawget(L, index);
    append(out, L, lua_gettop(L), depth + 1);
    lua_pop(L, 1);
  }
  ck_buffer_append_char(out, array ? ']' : '}');
  lua_pop(L, 1);
}

static void append(ck_buffer *out, lua_State *L, int index, int depth) {
  luaL_checkstack(L, 8, "JSON");
  ck_vm_charge(L, 1);
  ck_bytes span = span_of(L, index);
  if (depth > DEPTH_MAX) luaL_error(L, "nested too deeply, or it contains itself");
  if (span.len) {
    ck_buffer_append_bytes(out, span);
  } else if (ck_sandbox_push_table(L, index)) {
    append_table(out, L, lua_gettop(L), depth);
    lua_pop(L, 1);
  } else {
    ck_json_append_lua(out, L, index, VALUE_MAX);
  }
  if (out->failed) ck_vm_raise(L, CK_E_NO_MEMORY, "out of memory");
  if (out->len > VALUE_MAX) luaL_error(L, "the value is larger than %d bytes", VALUE_MAX);
}

void ck_import_value_append(ck_buffer *out, lua_State *L, int index) {
  append(out, L, lua_absindex(L, index), 0);
}
