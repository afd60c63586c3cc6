/* shapes.c - the shapes of the parameters of hooks, from their annotations and the tables of views.
 */
#include "lua/policy_tool/shapes.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/policy/hooks.h"
#include "lua/policy/view_fields.h"
#include "lua/policy/words.h"

static void set_name(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
}

static void push_words(lua_State *L, const char *const *words) {
  lua_newtable(L);
  for (int i = 0; words[i]; i++) {
    lua_pushstring(L, words[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_view(lua_State *L, ck_view_kind kind);

static void push_field(lua_State *L, ck_view_kind kind, const view_field *field) {
  const char *const *words = ck_view_words_of(field->type);
  if (field->child) {
    push_view(L, (ck_view_kind)(kind + field->child));
  } else if (words) {
    lua_newtable(L);
    push_words(L, words);
    lua_setfield(L, -2, "words");
    lua_pushfstring(L, "%s.%s", ck_view_types[kind].name, field->name);
    lua_setfield(L, -2, "name");
  } else {
    lua_pushboolean(L, false);
  }
}

/* Views hold views one deep. */
static void push_view(lua_State *L, ck_view_kind kind) {
  luaL_checkstack(L, 8, "views");
  lua_newtable(L);
  set_name(L, ck_view_types[kind].name);
  lua_newtable(L);
  for (const view_field *field = ck_view_fields[kind]; field->name; field++) {
    push_field(L, kind, field);
    lua_setfield(L, -2, field->name);
  }
  lua_setfield(L, -2, "fields");
}

/* Of an annotation that begins with a view's class, such as "ck.Checkpoint|nil, …". */
static void push_shape(lua_State *L, const char *type) {
  for (int kind = 0; kind < CK_VIEW_COUNT; kind++) {
    size_t len = strlen(ck_view_types[kind].class);
    if (strncmp(type, ck_view_types[kind].class, len) != 0) continue;
    if (type[len] && !strchr("|,", type[len])) continue;
    push_view(L, (ck_view_kind)kind);
    return;
  }
  lua_pushboolean(L, false);
}

/* "session: ck.Session, checkpoint: ck.Checkpoint|nil" */
static void push_parameters(lua_State *L, const char *parameters) {
  lua_newtable(L);
  int count = 0;
  for (const char *at = strstr(parameters, ": "); at; at = strstr(at, ": ")) {
    at += 2;
    push_shape(L, at);
    lua_rawseti(L, -2, ++count);
  }
}

void ck_policy_push_shapes(lua_State *L) {
  luaL_checkstack(L, 8, "hooks");
  lua_newtable(L);
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    push_parameters(L, ck_policy_hooks[i].parameters);
    lua_setfield(L, -2, ck_policy_hooks[i].name);
  }
}
