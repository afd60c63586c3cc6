/* sandbox_value.c - values that scripts can read but not write, the mark of arrays, null, and keys
 * in order. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/sandbox.h"

static const char face_key, array_key;

enum { FREEZE_DEPTH_MAX = 256 };

/* ---- null and arrays ---- */

void ck_sandbox_push_null(lua_State *L) { lua_pushlightuserdata(L, NULL); }

bool ck_sandbox_is_null(lua_State *L, int index) {
  return lua_islightuserdata(L, index) && lua_touserdata(L, index) == NULL;
}

/* True when the value's metatable is the one kept in the registry under `key`. */
static bool has_metatable(lua_State *L, int index, const char *key) {
  if (!lua_getmetatable(L, index)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

void ck_sandbox_mark_array(lua_State *L, int index) {
  index = lua_absindex(L, index);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &array_key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &array_key);
  }
  lua_setmetatable(L, index);
}

bool ck_sandbox_is_array(lua_State *L, int index) {
  if (!ck_sandbox_push_table(L, index)) return false;
  bool marked = has_metatable(L, -1, &array_key);
  lua_pop(L, 1);
  return marked;
}

/* ---- faces: a userdata that holds the table as its user value ---- */

static int face_index(lua_State *L) {
  lua_getiuservalue(L, 1, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  return 1;
}

static int face_newindex(lua_State *L) { return ck_vm_raise(L, CK_OK, "the table is read-only"); }

static int face_len(lua_State *L) {
  lua_getiuservalue(L, 1, 1);
  lua_pushinteger(L, (lua_Integer)lua_rawlen(L, -1));
  return 1;
}

static const luaL_Reg face_methods[] = {
    {"__index", face_index}, {"__newindex", face_newindex}, {"__len", face_len}, {NULL, NULL}};

/* All metatables of faces have a field whose key is the address of face_key. */
static void make_face_metatable(lua_State *L) {
  luaL_newlib(L, face_methods);
  lua_pushliteral(L, "read-only table");
  lua_setfield(L, -2, "__name");
  lua_pushboolean(L, true);
  lua_rawsetp(L, -2, &face_key);
}

/* Stack: … the table. One for all faces; or, `lasting`, one of this face alone, through which Lua
 * reads the table without a call of a function. */
static void push_face_metatable(lua_State *L, bool lasting) {
  if (lasting) {
    make_face_metatable(L);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, "__index");
    return;
  }
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &face_key) != LUA_TNIL) return;
  lua_pop(L, 1);
  make_face_metatable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &face_key);
}

bool ck_sandbox_is_face(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return false;
  bool face = lua_rawgetp(L, -1, &face_key) != LUA_TNIL;
  lua_pop(L, 2);
  return face;
}

static void freeze(lua_State *L, int depth, bool lasting) {
  if (!lua_istable(L, -1)) return;
  if (depth > FREEZE_DEPTH_MAX)
    ck_vm_raise(L, CK_OK, "a table that contains itself cannot be made read-only");
  luaL_checkstack(L, 6, NULL);
  lua_pushnil(L);
  while (lua_next(L, -2)) {
    ck_vm_charge(L, 1);
    if (lua_istable(L, -1)) {
      freeze(L, depth + 1, lasting);
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -4);
    } else {
      lua_pop(L, 1);
    }
  }
  push_face_metatable(L, lasting);
  lua_newuserdatauv(L, 0, 1);
  lua_rotate(L, -3, 1); /* the face, its table, the metatable */
  lua_setmetatable(L, -3);
  lua_setiuservalue(L, -2, 1);
}

void ck_sandbox_freeze(lua_State *L) { freeze(L, 0, false); }
void ck_sandbox_freeze_lasting(lua_State *L) { freeze(L, 0, true); }

bool ck_sandbox_is_lasting(lua_State *L, int index) {
  if (!ck_sandbox_is_face(L, index) || !luaL_getmetafield(L, index, "__index")) return false;
  bool lasting = lua_istable(L, -1);
  lua_pop(L, 1);
  return lasting;
}

/* ---- faces of tables that are made when they are looked into ---- */

typedef struct lazy_face {
  ck_sandbox_fill fill;
  const void *of;
  uint64_t call;
  size_t count;
} lazy_face;

/* Pushes the table. */
static void push_filled(lua_State *L, int face) {
  if (lua_getiuservalue(L, face, 1) != LUA_TNIL || lua_rawlen(L, face) == 0) return;
  const lazy_face *self = lua_touserdata(L, face);
  face = lua_absindex(L, face);
  lua_pop(L, 1);
  self->fill(L, self->of, self->call);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, face, 1);
}

static int lazy_index(lua_State *L) {
  push_filled(L, 1);
  lua_pushvalue(L, 2);
  lua_rawget(L, -2);
  return 1;
}

static int lazy_len(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)((const lazy_face *)lua_touserdata(L, 1))->count);
  return 1;
}

void ck_sandbox_push_lazy(lua_State *L, size_t count, ck_sandbox_fill fill, const void *of,
                          uint64_t call) {
  static const luaL_Reg methods[] = {{"__index", lazy_index}, {"__len", lazy_len}, {NULL, NULL}};
  static const char lazy_key;
  lazy_face *self = lua_newuserdatauv(L, sizeof *self, 1);
  *self = (lazy_face){fill, of, call, count};
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lazy_key) == LUA_TNIL) {
    lua_pop(L, 1);
    make_face_metatable(L);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &lazy_key);
  }
  lua_setmetatable(L, -2);
}

bool ck_sandbox_push_table(lua_State *L, int index) {
  if (lua_istable(L, index)) {
    lua_pushvalue(L, index);
    return true;
  }
  if (!ck_sandbox_is_face(L, index)) return false;
  push_filled(L, index);
  return true;
}

const char *ck_sandbox_type(lua_State *L, int index) {
  if (ck_sandbox_is_null(L, index)) return "null";
  if (ck_sandbox_is_face(L, index)) return "table";
  return luaL_typename(L, index);
}

void ck_sandbox_check_plain(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  if (!lua_getmetatable(L, index)) return;
  lua_pop(L, 1);
  luaL_argcheck(L, has_metatable(L, index, &array_key), index, "the table is read-only");
}

/* ---- keys in order ---- */

static int rank(const ck_sandbox_key *key) {
  return key->type == LUA_TNUMBER ? 0 : key->type == LUA_TSTRING ? 1 : 2;
}

/* Float keys are never whole numbers within int64: Lua keeps those as integers, so no comparison
 * here can tie. */
static int compare_numbers(const ck_sandbox_key *a, const ck_sandbox_key *b) {
  if (a->is_integer && b->is_integer) return (a->integer > b->integer) - (a->integer < b->integer);
  lua_Number x = a->is_integer ? (lua_Number)a->integer : a->number;
  lua_Number y = b->is_integer ? (lua_Number)b->integer : b->number;
  return (x > y) - (x < y);
}

int ck_sandbox_compare_keys(const void *left, const void *right) {
  const ck_sandbox_key *a = left, *b = right;
  if (a->type != b->type) return rank(a) - rank(b);
  if (a->type == LUA_TNUMBER) return compare_numbers(a, b);
  if (a->type == LUA_TBOOLEAN) return a->truth - b->truth;
  int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
  return order ? order : (a->len > b->len) - (a->len < b->len);
}

void ck_sandbox_read_key(ck_sandbox_key *out, lua_State *L, int index) {
  *out = (ck_sandbox_key){.type = lua_type(L, index)};
  switch (out->type) {
    case LUA_TSTRING:
      out->text = lua_tolstring(L, index, &out->len);
      return;
    case LUA_TNUMBER:
      out->is_integer = lua_isinteger(L, index);
      if (out->is_integer)
        out->integer = lua_tointeger(L, index);
      else
        out->number = lua_tonumber(L, index);
      return;
    case LUA_TBOOLEAN:
      out->truth = lua_toboolean(L, index);
      return;
    default:
      ck_vm_raise(L, CK_OK, "a key that is a %s has no order", ck_sandbox_type(L, index));
  }
}

static size_t count_keys(lua_State *L, int index) {
  size_t count = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    count++;
  }
  ck_vm_charge(L, (int64_t)count);
  return count;
}

const ck_sandbox_key *ck_sandbox_push_keys(size_t *count, lua_State *L, int index) {
  index = lua_absindex(L, index);
  luaL_checkstack(L, 4, NULL);
  *count = count_keys(L, index);
  ck_sandbox_key *keys = lua_newuserdatauv(L, (*count + 1) * sizeof *keys, 0);
  bool sorted = true;
  size_t filled = 0;
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    ck_sandbox_read_key(&keys[filled], L, -1);
    if (filled > 0 && ck_sandbox_compare_keys(&keys[filled - 1], &keys[filled]) > 0) sorted = false;
    filled++;
  }
  if (!sorted) {
    ck_vm_charge(L, (int64_t)filled * 4);
    qsort(keys, filled, sizeof *keys, ck_sandbox_compare_keys);
  }
  return keys;
}

void ck_sandbox_push_key(lua_State *L, const ck_sandbox_key *key) {
  if (key->type == LUA_TSTRING)
    lua_pushlstring(L, key->text, key->len);
  else if (key->type == LUA_TBOOLEAN)
    lua_pushboolean(L, key->truth);
  else if (key->is_integer)
    lua_pushinteger(L, key->integer);
  else
    lua_pushnumber(L, key->number);
}
