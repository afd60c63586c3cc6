/* view.c - userdata that read a struct of the core through the table of their kind. */
#include "lua/policy/view.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/vm/names.h"
#include "lua/policy/view_fields.h"
#include "lua/vm/vm.h"

typedef struct {
  const ck_view_slot *slot;
  uint64_t call; /* 0: of every call */
  size_t offset; /* of the element in the slot's array, bytes */
} view;

/* A boundary holds where the last checkpoint was, so the counts since then follow from the
 * boundaries alone. */
void ck_view_count(ck_view_counts *self, const ck_boundary *at) {
  int64_t last_checkpoint = at->seq - 1 - at->since.events;
  if (last_checkpoint != self->last_checkpoint) *self = (ck_view_counts){0};
  self->last_checkpoint = last_checkpoint;
  self->boundaries += at->kind != CK_BOUNDARY_BEFORE_CALL;
  self->iterations += at->kind == CK_BOUNDARY_LOOP_ITERATION || at->kind == CK_BOUNDARY_TOOL_ROUND;
}

/* Addresses of its elements are keys of the registry: one metatable per kind. */
static const char kind_keys[CK_VIEW_COUNT];

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

/* Upvalues: the fields by name, the kind. */
static int view_index(lua_State *L) {
  const view *self = lua_touserdata(L, 1);
  const ck_view_slot *slot = self->slot;
  if (!slot->subject || (self->call && self->call != slot->call)) {
    return ck_vm_raise(L, CK_OK, "the view is only valid during the call");
  }
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  const view_field *found = lua_touserdata(L, -1);
  ck_view_kind kind = (ck_view_kind)lua_tointeger(L, lua_upvalueindex(2));
  if (!found) return refuse_field(L, kind);
  if (slot->watch) note_read(slot->watch, kind, found->name);
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

static void push_metatable(lua_State *L, ck_view_kind kind) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &kind_keys[kind]) != LUA_TNIL) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 3);
  lua_newtable(L);
  for (const view_field *row = ck_view_fields[kind]; row->name; row++) {
    lua_pushlightuserdata(L, (void *)row);
    lua_setfield(L, -2, row->name);
  }
  lua_pushinteger(L, kind);
  lua_pushcclosure(L, view_index, 2);
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

void ck_view_push_element(lua_State *L, ck_view_kind kind, const ck_view_slot *slot, size_t index) {
  luaL_checkstack(L, 8, NULL);
  push_view(L, kind, (view){slot, slot->call, index * ck_view_types[kind].size});
}
