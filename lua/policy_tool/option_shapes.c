/* option_shapes.c - the types of a policy's options, from their values. */
#include "lua/policy_tool/option_shapes.h"

#include <lauxlib.h>
#include <stdio.h>

#include <string.h>

#include "lua/vm/json.h"

enum { NAME_SIZE = 96 };

static const char *type_of(ck_bytes value) {
  switch (ck_json_type_of(value)) {
    case CK_JSON_STRING:
      return "text";
    case CK_JSON_NUMBER:
      return "number";
    case CK_JSON_TRUE:
    case CK_JSON_FALSE:
      return "boolean";
    case CK_JSON_ARRAY:
      return ck_json_count(value) ? "list" : NULL;
    case CK_JSON_OBJECT:
      return ck_json_count(value) ? "names" : NULL;
    default:
      return NULL;
  }
}

static void push_typed(lua_State *L, const char *type, const char *name) {
  lua_newtable(L);
  lua_pushstring(L, type);
  lua_setfield(L, -2, "type");
  lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
}

/* What all elements of a list are; false: tables, or of several types. */
static void push_element(lua_State *L, ck_bytes list, const char *name) {
  ck_json_iterator it = ck_json_iterate(list);
  const char *type = NULL;
  char own[NAME_SIZE + 4];
  bool same = true;
  for (bool first = true; ck_json_next(&it); first = false) {
    const char *of = type_of(it.value);
    same = same && of && (first || strcmp(of, type) == 0) &&
           ck_json_type_of(it.value) != CK_JSON_ARRAY &&
           ck_json_type_of(it.value) != CK_JSON_OBJECT;
    type = of;
  }
  snprintf(own, sizeof own, "%s[i]", name);
  if (same && type)
    push_typed(L, type, own);
  else
    lua_pushboolean(L, false);
}

static void push_option(lua_State *L, ck_bytes value, const char *name) {
  const char *type = type_of(value);
  if (!type) {
    lua_pushboolean(L, false);
    return;
  }
  push_typed(L, type, name);
  if (ck_json_type_of(value) != CK_JSON_ARRAY) return;
  push_element(L, value, name);
  lua_setfield(L, -2, "element");
}

void ck_policy_push_options(lua_State *L, ck_bytes options) {
  luaL_checkstack(L, 8, "options");
  push_typed(L, "table", "opt");
  lua_newtable(L);
  for (ck_json_iterator it = ck_json_iterate(options); ck_json_next(&it);) {
    char name[NAME_SIZE];
    ck_json_push(L, it.name);
    snprintf(name, sizeof name, "opt.%.80s", lua_tostring(L, -1));
    push_option(L, it.value, name);
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "fields");
}
