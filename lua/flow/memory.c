/* memory.c - ctx.memory, ctx.outputs, ctx.scratch, ctx.rounds: keys of the state, with the writes
 * of the coroutine over them. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/json.h"
#include "lua/flow/coroutine.h"

/* Upvalues of every function here. */
enum { UP_BOX = 1, UP_AREA, UP_APPEND };

static void push_box_value(lua_State *L, int which) {
  lua_getiuservalue(L, lua_upvalueindex(UP_BOX), which);
}

static void reset_box_value(lua_State *L, int which) {
  lua_newtable(L);
  lua_setiuservalue(L, lua_upvalueindex(UP_BOX), which);
}

/* The writes of a child scope are stored under a prefix, which must leave room for the key. */
static ck_status check_key(const ck_coroutine *self, const char *key, ck_error *err) {
  char whole[CK_STATE_KEY_MAX + 2];
  const char *prefix = self->overlays ? self->overlays[0] : "";
  snprintf(whole, sizeof whole, "%s%s", prefix, key);
  ck_status status = ck_state_check_key(whole, err);
  if (status != CK_OK && *prefix) ck_error_prefix(err, "in scope %s", self->name);
  return status;
}

/* Pushes the key of the state for the name at `index`: "memory.topic". */
static const char *push_key(lua_State *L, const ck_coroutine *self, int index) {
  const char *area = lua_tostring(L, lua_upvalueindex(UP_AREA));
  if (lua_type(L, index) != LUA_TSTRING) {
    luaL_error(L, "ctx.%s takes strings as keys, not a %s", area, luaL_typename(L, index));
  }
  size_t len;
  const char *name = lua_tolstring(L, index, &len);
  if (len == 0 || strlen(name) != len)
    luaL_error(L, "ctx.%s: a key must not be empty or hold a NUL", area);
  const char *key = lua_pushfstring(L, "%s.%s", area, name);
  ck_error err = CK_ERROR_INIT;
  if (check_key(self, key, &err) != CK_OK) ck_coroutine_raise(L, &err);
  return key;
}

/* Null under a prefix: the scope removed the key. */
static ck_bytes read_state(const ck_coroutine *self, const char *key) {
  if (!self->state) return (ck_bytes){0};
  for (char **overlay = self->overlays; overlay && *overlay; overlay++) {
    char whole[CK_STATE_KEY_MAX + 2];
    int len = snprintf(whole, sizeof whole, "%s%s", *overlay, key);
    const ck_value *found = len <= CK_STATE_KEY_MAX ? ck_state_get(self->state, whole) : NULL;
    if (found)
      return ck_json_type_of(ck_value_bytes(found)) == CK_JSON_NULL ? (ck_bytes){0}
                                                                    : ck_value_bytes(found);
  }
  return ck_value_bytes(ck_state_get(self->state, key));
}

/* The JSON of the key on top, which stays there; the value pushed above it anchors the bytes. No
 * bytes: absent. */
static ck_bytes push_raw(lua_State *L, const ck_coroutine *self) {
  push_box_value(L, CK_BOX_OVERLAY);
  lua_pushvalue(L, -2);
  lua_rawget(L, -2);
  lua_remove(L, -2);
  if (lua_isnil(L, -1)) return read_state(self, lua_tostring(L, -2));
  ck_bytes raw = {0};
  if (lua_type(L, -1) == LUA_TSTRING) raw.data = lua_tolstring(L, -1, &raw.len);
  return raw;
}

/* The key on top is among the changes of the next yield. */
static void mark_written(lua_State *L) {
  int key = lua_gettop(L);
  push_box_value(L, CK_BOX_SEEN);
  lua_pushvalue(L, key);
  if (lua_rawget(L, key + 1) == LUA_TNIL) {
    push_box_value(L, CK_BOX_ORDER);
    lua_pushvalue(L, key);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pushvalue(L, key);
    lua_pushboolean(L, true);
    lua_rawset(L, key + 1);
  }
  lua_settop(L, key);
}

/* Lays the value on top (JSON text, or false) over the key below it. Pops both. */
static void write_raw(lua_State *L) {
  lua_insert(L, -2);
  mark_written(L);
  push_box_value(L, CK_BOX_OVERLAY);
  lua_insert(L, -3);
  lua_insert(L, -2);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

static int area_read(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "append") == 0) {
    lua_pushvalue(L, lua_upvalueindex(UP_APPEND));
    return 1;
  }
  push_key(L, self, 2);
  ck_bytes raw = push_raw(L, self);
  ck_coroutine_push_value(L, raw);
  return 1;
}

static int area_write(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  const char *area = lua_tostring(L, lua_upvalueindex(UP_AREA));
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "append") == 0) {
    return luaL_error(L, "ctx.%s.append is a function: the key 'append' cannot be used", area);
  }
  lua_settop(L, 3);
  push_key(L, self, 2);
  if (lua_isnil(L, 3)) {
    lua_pushboolean(L, false);
  } else {
    ck_coroutine_encode(L, self, 3);
    ck_coroutine_push_scratch(L, self);
  }
  write_raw(L);
  return 0;
}

static ck_bytes trim_end(ck_bytes json) {
  while (json.len > 0 && strchr(" \t\r\n", json.data[json.len - 1])) json.len--;
  return json;
}

/* ctx.memory:append(key, value): the list's bytes stay unchanged, the value's are appended. */
static int area_append(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  lua_settop(L, 3);
  if (lua_isnil(L, 3)) return luaL_error(L, "append needs a key and a value");
  const char *key = push_key(L, self, 2);
  ck_bytes list = trim_end(push_raw(L, self));
  bool absent = list.len == 0;
  if (!absent && ck_json_type_of(list) != CK_JSON_ARRAY)
    return luaL_error(L, "%s is not a list: append cannot be used", key);
  ck_buffer *joined = &self->scratch;
  ck_buffer_reset(joined);
  ck_buffer_append_bytes(joined, absent ? ck_bytes_text("[") : (ck_bytes){list.data, list.len - 1});
  if (!absent && ck_json_count(list) > 0) ck_buffer_append_char(joined, ',');
  ck_json_append_lua(joined, L, 3, CK_COROUTINE_VALUE_MAX);
  ck_buffer_append_char(joined, ']');
  lua_pop(L, 1);
  ck_coroutine_push_scratch(L, self);
  write_raw(L);
  return 0;
}

void ck_coroutine_clear_changes(ck_coroutine *self) {
  for (size_t i = 0; i < self->change_count; i++) {
    free(self->changes[i].key);
    ck_value_free(self->changes[i].value);
  }
  free(self->changes);
  self->changes = NULL;
  self->change_count = 0;
}

/* The key is on top; above it its JSON text, false, or nil: its earlier value is restored, see
 * ctx.discard. */
static void collect_change(lua_State *L, ck_coroutine *self) {
  ck_change *change = &self->changes[self->change_count++];
  ck_error err = CK_ERROR_INIT;
  ck_bytes json = {0};
  if (lua_isnil(L, -1))
    json = read_state(self, lua_tostring(L, -2));
  else if (lua_isstring(L, -1))
    json.data = lua_tolstring(L, -1, &json.len);
  change->key = strdup(lua_tostring(L, -2));
  if (!change->key) ck_error_no_memory(&err);
  if (err.status == CK_OK && json.data) err.status = ck_value_copy(&change->value, json, &err);
  if (err.status != CK_OK) ck_coroutine_raise(L, &err);
}

void ck_coroutine_collect_changes(lua_State *L, ck_coroutine *self) {
  ck_coroutine_clear_changes(self);
  push_box_value(L, CK_BOX_ORDER);
  push_box_value(L, CK_BOX_OVERLAY);
  size_t count = lua_rawlen(L, -2);
  if (count > 0 && !(self->changes = calloc(count, sizeof *self->changes))) {
    ck_error err = CK_ERROR_INIT;
    ck_error_no_memory(&err);
    ck_coroutine_raise(L, &err);
  }
  for (size_t i = 1; i <= count; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i);
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    collect_change(L, self);
    lua_pop(L, 2);
  }
  lua_pop(L, 2);
  if (count == 0) return;
  reset_box_value(L, CK_BOX_SEEN);
  reset_box_value(L, CK_BOX_ORDER);
}

void ck_coroutine_settle_changes(lua_State *L) { reset_box_value(L, CK_BOX_OVERLAY); }

/* ---- areas that take no writes, or nothing ---- */

/* The second upvalue is the text. */
static int refuse(lua_State *L) {
  return ck_vm_raise(L, CK_E_FLOW, "%s", lua_tostring(L, lua_upvalueindex(2)));
}

static void push_refusal(lua_State *L, int box, const char *text) {
  lua_pushvalue(L, box);
  lua_pushstring(L, text);
  lua_pushcclosure(L, refuse, 2);
}

static void push_area_function(lua_State *L, int box, const char *area, lua_CFunction function) {
  lua_pushvalue(L, box);
  lua_pushstring(L, area);
  lua_pushcclosure(L, function, 2);
}

void ck_coroutine_open_area(lua_State *L, int box, const char *area, const ck_area_limits *limits) {
  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 3);
  if (limits->closed) {
    push_refusal(L, box, limits->closed);
  } else {
    lua_pushvalue(L, box);
    lua_pushstring(L, area);
    if (limits->fixed)
      push_refusal(L, box, limits->fixed);
    else
      push_area_function(L, box, area, area_append);
    lua_pushcclosure(L, area_read, 3);
  }
  lua_setfield(L, -2, "__index");
  const char *refused = limits->closed ? limits->closed : limits->fixed;
  if (refused)
    push_refusal(L, box, refused);
  else
    push_area_function(L, box, area, area_write);
  lua_setfield(L, -2, "__newindex");
  lua_pushfstring(L, "ctx.%s", area);
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, area);
}

/* ---- ctx.put, ctx.saved, ctx.written, ctx.discard ---- */

/* ctx.put(key, json): the exact text, such as the `raw` of an outcome; nil removes the key. */
static int ctx_put(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  const char *key = luaL_checkstring(L, 1);
  ck_error err = CK_ERROR_INIT;
  lua_settop(L, 2);
  bool is_known = strncmp(key, "memory.", 7) == 0 || strncmp(key, "outputs.", 8) == 0 ||
                  strncmp(key, "scratch.", 8) == 0;
  if (!is_known || strlen(key) != lua_rawlen(L, 1) || !strchr(key, '.')[1]) {
    ck_vm_raise(L, CK_E_FLOW, "ctx.put: '%s' must be memory.KEY, outputs.KEY or scratch.AGENT",
                key);
  }
  if (check_key(self, key, &err) != CK_OK) ck_coroutine_raise(L, &err);
  if (lua_isnil(L, 2)) {
    lua_pushboolean(L, false);
    lua_replace(L, 2);
  } else {
    ck_bytes json;
    json.data = luaL_checklstring(L, 2, &json.len);
    if (ck_json_check(json, &err) != CK_OK) {
      ck_error_prefix(&err, "ctx.put");
      ck_coroutine_raise(L, &err);
    }
  }
  write_raw(L);
  return 0;
}

/* ctx.saved(key): the JSON text that the key had at the last boundary; nil: it was absent. */
static int ctx_saved(lua_State *L) {
  ck_coroutine *self = ck_coroutine_check(L);
  ck_bytes raw = read_state(self, luaL_checkstring(L, 1));
  if (raw.len == 0) return 0;
  lua_pushlstring(L, raw.data, raw.len);
  return 1;
}

/* ctx.written(): {KEY = true} for the writes since the last boundary. */
static int ctx_written(lua_State *L) {
  ck_coroutine_check(L);
  lua_newtable(L);
  push_box_value(L, CK_BOX_OVERLAY);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_pushboolean(L, true);
    lua_rawset(L, -5);
  }
  lua_pop(L, 1);
  return 1;
}

/* ctx.discard(): undoes the writes since the last boundary. */
static int ctx_discard(lua_State *L) {
  ck_coroutine_check(L);
  lua_settop(L, 0);
  push_box_value(L, CK_BOX_OVERLAY);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    mark_written(L);
  }
  reset_box_value(L, CK_BOX_OVERLAY);
  return 0;
}

static const luaL_Reg functions[] = {{"put", ctx_put},
                                     {"saved", ctx_saved},
                                     {"written", ctx_written},
                                     {"discard", ctx_discard},
                                     {NULL, NULL}};

void ck_coroutine_open_memory(lua_State *L, int box) {
  ck_coroutine_open_area(L, box, "memory", &(ck_area_limits){0});
  ck_coroutine_open_area(L, box, "outputs", &(ck_area_limits){0});
  ck_coroutine_open_area(L, box, "scratch", &(ck_area_limits){0});
  ck_coroutine_open_area(L, box, "rounds", &(ck_area_limits){0});
  lua_pushvalue(L, box);
  luaL_setfuncs(L, functions, 1);
}
