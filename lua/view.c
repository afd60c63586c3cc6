/* view.c - four userdata that read the boundary of the moment: at, at.since, at.next, at.budget. */
#include "lua/view.h"

#include <lauxlib.h>

#include "lua/names.h"
#include "lua/vm.h"

typedef const ck_boundary *const *slot;

/* One field: either a number, text or truth of the boundary, or the part kept as user value `part`. */
typedef struct {
  const char *name;
  void (*push)(lua_State *L, const ck_boundary *at);
  int part;
} field;

static void push_text(lua_State *L, const char *text) {
  if (text) lua_pushstring(L, text);
  else lua_pushnil(L);
}
static void push_dollars(lua_State *L, int64_t micros) { lua_pushnumber(L, (lua_Number)micros / 1e6); }

#define INTEGER(name, expression) \
  static void name(lua_State *L, const ck_boundary *at) { lua_pushinteger(L, (expression)); }
#define TEXT(name, expression) \
  static void name(lua_State *L, const ck_boundary *at) { push_text(L, (expression)); }
#define DOLLARS(name, expression) \
  static void name(lua_State *L, const ck_boundary *at) { push_dollars(L, (expression)); }

TEXT(at_kind, ck_boundary_kind_name(at->kind))
TEXT(at_scope, at->scope)
TEXT(at_node, at->node)
TEXT(at_agent, at->agent)
TEXT(at_last_error, at->last_error)
INTEGER(at_depth, at->depth)
INTEGER(at_seq, at->seq)
INTEGER(at_now, at->now_ms)
INTEGER(at_latency, at->node_latency_ms)
static void at_random(lua_State *L, const ck_boundary *at) {
  lua_pushnumber(L, (lua_Number)(at->random & ((UINT64_C(1) << 53) - 1)) / 9007199254740992.0);
}
static void at_is_clean(lua_State *L, const ck_boundary *at) { lua_pushboolean(L, at->clean); }
static void at_checkpoint_cost(lua_State *L, const ck_boundary *at) {
  lua_pushnumber(L, (lua_Number)at->checkpoint_cost_us / 1000);
}

INTEGER(since_ms, at->since.ms)
INTEGER(since_events, at->since.events)
DOLLARS(since_cost, at->since.cost_micros)
INTEGER(since_tokens, at->since.tokens)
INTEGER(since_keys, at->since.changed_keys)
INTEGER(since_bytes, at->since.changed_bytes)

TEXT(next_node, at->next.node)
TEXT(next_tool, at->next.tool)
TEXT(next_class, at->next.has_class ? ck_effect_class_name(at->next.class) : NULL)

DOLLARS(budget_spent, at->budget.spent_micros)
static void budget_limit(lua_State *L, const ck_boundary *at) {
  if (at->budget.limit_micros < 0) lua_pushnil(L);
  else push_dollars(L, at->budget.limit_micros);
}
static void budget_left(lua_State *L, const ck_boundary *at) {
  int64_t left = at->budget.limit_micros - at->budget.spent_micros;
  if (at->budget.limit_micros < 0) lua_pushnil(L);
  else push_dollars(L, left > 0 ? left : 0);
}
static void budget_approaching(lua_State *L, const ck_boundary *at) {
  bool limited = at->budget.limit_micros >= 0;
  lua_pushboolean(L, limited && (double)at->budget.spent_micros >= 0.8 * (double)at->budget.limit_micros);
}

enum { FIELD_MAX = 16, PART_COUNT = 4 };
static const struct {
  const char *name;
  field fields[FIELD_MAX];
} parts[PART_COUNT] = {
    {"at",
     {{"kind", at_kind, 0}, {"scope", at_scope, 0}, {"node", at_node, 0}, {"agent", at_agent, 0}, {"depth", at_depth, 0},
      {"seq", at_seq, 0}, {"now", at_now, 0}, {"random", at_random, 0}, {"latency_ms", at_latency, 0},
      {"is_clean", at_is_clean, 0}, {"checkpoint_cost_ms", at_checkpoint_cost, 0}, {"last_error", at_last_error, 0},
      {"since", NULL, 1}, {"next", NULL, 2}, {"budget", NULL, 3}}},
    {"at.since",
     {{"ms", since_ms, 0}, {"events", since_events, 0}, {"cost_usd", since_cost, 0}, {"tokens", since_tokens, 0},
      {"changed_keys", since_keys, 0}, {"changed_bytes", since_bytes, 0}}},
    {"at.next", {{"node", next_node, 0}, {"tool", next_tool, 0}, {"class", next_class, 0}}},
    {"at.budget",
     {{"spent", budget_spent, 0}, {"limit", budget_limit, 0}, {"left", budget_left, 0}, {"approaching", budget_approaching, 0}}},
};

static int refuse_field(lua_State *L, int part) {
  const char *names[FIELD_MAX + 1] = {NULL};
  char hint[CK_NAMES_HINT_SIZE] = "";
  for (int i = 0; i < FIELD_MAX; i++) names[i] = parts[part].fields[i].name;
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : lua_typename(L, lua_type(L, 2));
  ck_names_hint(hint, name, names);
  return ck_vm_raise(L, CK_OK, "%s has no field '%s'%s", parts[part].name, name, hint);
}

/* Upvalues: the fields by name, the number of the part. */
static int view_index(lua_State *L) {
  const ck_boundary *at = **(slot *)lua_touserdata(L, 1);
  if (!at) return ck_vm_raise(L, CK_OK, "the view is only valid during the call");
  lua_pushvalue(L, 2);
  lua_rawget(L, lua_upvalueindex(1));
  const field *found = lua_touserdata(L, -1);
  if (!found) return refuse_field(L, (int)lua_tointeger(L, lua_upvalueindex(2)));
  if (found->push) found->push(L, at);
  else lua_getiuservalue(L, 1, found->part);
  return 1;
}

static int view_newindex(lua_State *L) { return ck_vm_raise(L, CK_OK, "the view of a boundary is read-only"); }

static void set_view_metatable(lua_State *L, int part) {
  lua_createtable(L, 0, 3);
  lua_newtable(L);
  for (const field *row = parts[part].fields; row < parts[part].fields + FIELD_MAX && row->name; row++) {
    lua_pushlightuserdata(L, (void *)row);
    lua_setfield(L, -2, row->name);
  }
  lua_pushinteger(L, part);
  lua_pushcclosure(L, view_index, 2);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, view_newindex);
  lua_setfield(L, -2, "__newindex");
  lua_pushliteral(L, "view");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
}

static void push_part(lua_State *L, slot of, int part, int children) {
  slot *view = lua_newuserdatauv(L, sizeof *view, children);
  *view = of;
  set_view_metatable(L, part);
}

void ck_view_push_boundary(lua_State *L, const ck_boundary *const *of) {
  luaL_checkstack(L, 8, NULL);
  push_part(L, of, 0, PART_COUNT - 1);
  for (int part = 1; part < PART_COUNT; part++) {
    push_part(L, of, part, 0);
    lua_setiuservalue(L, -2, part);
  }
}
