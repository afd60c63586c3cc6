/* view.c - userdata that read a struct of the core through the table of their kind. */
#include "lua/policy/view.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/vm/names.h"
#include "lua/policy/view_fields.h"
#include "lua/vm/vm.h"

enum { PLACES = 64 }; /* a power of two, more than twice VIEW_FIELDS_MAX */

/* The fields of a kind by the address of their names in the state (lua_topointer), where equal
 * short texts are one: open addressing. */
typedef struct field_map {
  ck_view_kind kind;
  struct {
    const void *name;
    const view_field *field;
  } places[PLACES];
} field_map;

typedef struct {
  const ck_view_slot *slot;
  const field_map *fields;
  uint64_t call; /* 0: of every call */
  size_t offset; /* of the element in the slot's array, bytes */
} view;

/* The place of the name, or the free one that it would get. */
static size_t find_place(const field_map *self, const void *name) {
  uintptr_t address = (uintptr_t)name;
  size_t at = (address >> 4 ^ address >> 10) & (PLACES - 1);
  while (self->places[at].name && self->places[at].name != name) at = (at + 1) & (PLACES - 1);
  return at;
}

/* A boundary holds where the last checkpoint was, so the counts since then follow from the
 * boundaries alone. */
void ck_view_count(ck_view_counts *self, const ck_boundary *at) {
  int64_t last_checkpoint = at->seq - 1 - at->since.events;
  if (last_checkpoint != self->last_checkpoint) *self = (ck_view_counts){0};
  self->last_checkpoint = last_checkpoint;
  ck_boundary_count counted = ck_boundary_kind_counted(at->kind);
  self->boundaries += counted != CK_COUNT_NONE;
  self->iterations += counted == CK_COUNT_ITERATION;
}

ck_view_counts ck_view_counts_between(const ck_boundary *at) {
  return (ck_view_counts){.boundaries = at->since.boundaries, .iterations = at->since.iterations};
}

/* Addresses of its elements are keys of the registry: one metatable per kind. */
static const char kind_keys[CK_VIEW_COUNT];
/* Of each metatable: the field_map. */
static const char map_key;

static int refuse_field(lua_State *L, ck_view_kind kind) {
  const char *names[VIEW_FIELDS_MAX + 1] = {NULL};
  char hint[CK_NAMES_HINT_SIZE] = "";
  for (size_t i = 0; i < VIEW_FIELDS_MAX; i++) names[i] = ck_view_fields[kind][i].name;
  const char *name =
      lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : lua_typename(L, lua_type(L, 2));
  ck_names_hint(hint, name, names);
  return ck_vm_raise(L, CK_OK, "%s has no field '%s'%s", ck_view_types[kind].name, name, hint);
}

/* "effect.request" is that field, "effect" all of the view. */
static bool covers(const char *watched, const char *name, const char *field) {
  size_t len = strlen(name);
  if (strncmp(watched, name, len) != 0) return false;
  return !watched[len] || (watched[len] == '.' && strcmp(watched + len + 1, field) == 0);
}

static void note_read(const ck_view_watch *self, ck_view_kind kind, const char *field) {
  for (const char *const *at = self->fields; *at && !*self->read; at++)
    if (covers(*at, ck_view_types[kind].name, field)) *self->read = *at;
}

void ck_view_check_call(lua_State *L, const ck_view_slot *slot, uint64_t call) {
  if (!slot->subject || (call && call != slot->call))
    ck_vm_raise(L, CK_OK, "the view is only valid during the call");
}

static int view_index(lua_State *L) {
  const view *self = lua_touserdata(L, 1);
  const ck_view_slot *slot = self->slot;
  ck_view_check_call(L, slot, self->call);
  const field_map *fields = self->fields;
  const view_field *found = fields->places[find_place(fields, lua_topointer(L, 2))].field;
  if (!found) return refuse_field(L, fields->kind);
  if (slot->watch) note_read(slot->watch, fields->kind, found->name);
  if (found->push)
    found->push(L, (const char *)slot->subject + self->offset, slot);
  else
    lua_getiuservalue(L, 1, found->child);
  return 1;
}

/* Upvalue: the kind. */
static int view_newindex(lua_State *L) {
  return ck_vm_raise(L, CK_OK, "the view '%s' is read-only",
                     ck_view_types[lua_tointeger(L, lua_upvalueindex(1))].name);
}

/* The names are its user value, so that they stay where they are. */
static void push_map(lua_State *L, ck_view_kind kind) {
  field_map *map = lua_newuserdatauv(L, sizeof *map, 1);
  *map = (field_map){.kind = kind};
  lua_newtable(L);
  int count = 0;
  for (const view_field *row = ck_view_fields[kind]; row->name; row++) {
    lua_pushstring(L, row->name);
    const void *name = lua_topointer(L, -1);
    size_t at = find_place(map, name);
    map->places[at].name = name;
    map->places[at].field = row;
    lua_rawseti(L, -2, ++count);
  }
  lua_setiuservalue(L, -2, 1);
}

static void push_metatable(lua_State *L, ck_view_kind kind) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kind_keys[kind]) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 4);
  push_map(L, kind);
  lua_rawsetp(L, -2, &map_key);
  lua_pushcfunction(L, view_index);
  lua_setfield(L, -2, "__index");
  lua_pushinteger(L, kind);
  lua_pushcclosure(L, view_newindex, 1);
  lua_setfield(L, -2, "__newindex");
  lua_pushliteral(L, "view");
  lua_setfield(L, -2, "__name");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kind_keys[kind]);
}

bool ck_view_get_kind(ck_view_kind *kind, lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return false;
  bool found = false;
  for (int i = 0; !found && i < CK_VIEW_COUNT; i++) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &kind_keys[i]);
    found = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    *kind = (ck_view_kind)i;
  }
  lua_pop(L, 1);
  return found;
}

static void push_view(lua_State *L, ck_view_kind kind, view from) {
  view *self = lua_newuserdatauv(L, sizeof *self, ck_view_types[kind].children);
  *self = from;
  push_metatable(L, kind);
  lua_rawgetp(L, -1, &map_key);
  self->fields = lua_touserdata(L, -1);
  lua_pop(L, 1);
  lua_setmetatable(L, -2);
}

void ck_view_push(lua_State *L, ck_view_kind kind, const ck_view_slot *slot) {
  luaL_checkstack(L, 8, NULL);
  push_view(L, kind, (view){.slot = slot});
  for (int child = 1; child <= ck_view_types[kind].children; child++) {
    push_view(L, (ck_view_kind)((int)kind + child), (view){.slot = slot});
    lua_setiuservalue(L, -2, child);
  }
}

/* Stack: … the metatable. */
static void fill_element(lua_State *L, ck_view_kind kind, const view *from, size_t index) {
  view *self = lua_newuserdatauv(L, sizeof *self, 0);
  *self = *from;
  self->offset = index * ck_view_types[kind].size;
  lua_pushvalue(L, -2);
  lua_setmetatable(L, -2);
}

void ck_view_push_elements(lua_State *L, ck_view_kind kind, const ck_view_slot *slot,
                           size_t count) {
  luaL_checkstack(L, 8, NULL);
  lua_createtable(L, (int)count, 1);
  push_metatable(L, kind);
  lua_rawgetp(L, -1, &map_key);
  const view from = {.slot = slot, .call = slot->call, .fields = lua_touserdata(L, -1)};
  lua_pop(L, 1);
  for (size_t i = 0; i < count; i++) {
    fill_element(L, kind, &from, i);
    lua_rawseti(L, -3, (lua_Integer)i + 1);
  }
  ck_vm_charge(L, (int64_t)count);
  lua_pop(L, 1);
}

void ck_view_push_element(lua_State *L, ck_view_kind kind, const ck_view_slot *slot, size_t index) {
  luaL_checkstack(L, 8, NULL);
  push_view(L, kind,
            (view){.slot = slot, .call = slot->call, .offset = index * ck_view_types[kind].size});
}
