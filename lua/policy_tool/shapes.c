/* shapes.c - the shapes of the parameters of hooks, from their annotations and the tables of views.
 */
#include "lua/policy_tool/shapes.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/policy/hooks.h"
#include "lua/policy/view_fields.h"
#include "lua/policy/words.h"
#include "lua/vm/json.h"

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

/* The last message is a table, whose text is there under some profiles alone. */
static void push_message(lua_State *L) {
  static const char *const fields[] = {"role", "length", "text", "calls"};
  lua_newtable(L);
  set_name(L, "at.message");
  lua_newtable(L);
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    lua_pushboolean(L, false);
    lua_setfield(L, -2, fields[i]);
  }
  lua_setfield(L, -2, "fields");
  lua_newtable(L);
  lua_newtable(L);
  lua_pushliteral(L, "message_text");
  lua_setfield(L, -2, "needs");
  lua_pushliteral(L, "'at.message.text' is nil unless the profile has message_text = true");
  lua_setfield(L, -2, "text");
  lua_setfield(L, -2, "text");
  lua_setfield(L, -2, "notes");
}

/* When a number is not there, as its text says it: "; nil: no limit". NULL: it always is, or it is
 * none. */
static const char *absent_when(const view_field *field) {
  static const char *const numbers[] = {"number|nil", "integer|nil"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    const char *when = strstr(field->meaning, "nil: ");
    if (strcmp(field->type, numbers[i]) == 0) return when ? when + strlen("nil: ") : "";
  }
  return NULL;
}

static void push_number(lua_State *L, ck_view_kind kind, const view_field *field,
                        const char *when) {
  lua_newtable(L);
  lua_pushlstring(L, when, strcspn(when, ";"));
  lua_setfield(L, -2, "absent_when");
  lua_pushfstring(L, "%s.%s", ck_view_types[kind].name, field->name);
  lua_setfield(L, -2, "name");
}

static void push_field(lua_State *L, ck_view_kind kind, const view_field *field) {
  const char *const *words = ck_view_words_of(field->type);
  if (field->child) {
    push_view(L, (ck_view_kind)(kind + field->child));
  } else if (strncmp(field->type, "ck.Message", strlen("ck.Message")) == 0) {
    push_message(L);
  } else if (words) {
    lua_newtable(L);
    push_words(L, words);
    lua_setfield(L, -2, "words");
    lua_pushfstring(L, "%s.%s", ck_view_types[kind].name, field->name);
    lua_setfield(L, -2, "name");
  } else if (absent_when(field)) {
    push_number(L, kind, field, absent_when(field));
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

static void push_options(lua_State *L, ck_bytes options) {
  lua_newtable(L);
  set_name(L, "opt");
  lua_newtable(L);
  ck_json_push(L, options);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    lua_pushboolean(L, false);
    lua_rawset(L, -6);
  }
  lua_pop(L, 1);
  lua_setfield(L, -2, "fields");
}

/* "session: ck.Session, checkpoint: ck.Checkpoint|nil"; behind them comes opt. */
static void push_parameters(lua_State *L, const char *parameters, ck_bytes options) {
  int count = 0;
  lua_newtable(L);
  for (const char *at = strstr(parameters, ": "); at; at = strstr(at, ": ")) {
    at += 2;
    push_shape(L, at);
    lua_rawseti(L, -2, ++count);
  }
  if (options.len == 0) return;
  push_options(L, options);
  lua_rawseti(L, -2, ++count);
}

/* What a parameter's view has elsewhere, and not in this hook. */
static const struct {
  policy_hook hook;
  int parameter;
  const char *field, *where;
} absent[] = {{POLICY_permit, 2, "kind", "permit, between boundaries"},
              {POLICY_permit, 2, "calls", "permit, between boundaries"}};

/* Of the parameters on the stack. */
static void set_absent(lua_State *L, int hook) {
  for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
    if ((int)absent[i].hook != hook) continue;
    lua_rawgeti(L, -1, absent[i].parameter);
    if (lua_getfield(L, -1, "absent") == LUA_TNIL) {
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_setfield(L, -4, "absent");
      lua_remove(L, -2);
    }
    lua_pushstring(L, absent[i].where);
    lua_setfield(L, -2, absent[i].field);
    lua_pop(L, 2);
  }
}

void ck_policy_push_shapes(lua_State *L, ck_bytes options) {
  luaL_checkstack(L, 8, "hooks");
  lua_newtable(L);
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    push_parameters(L, ck_policy_hooks[i].parameters, options);
    set_absent(L, i);
    lua_setfield(L, -2, ck_policy_hooks[i].name);
  }
  push_parameters(L, "", options); /* check(opt) is no hook, and has none but these */
  lua_setfield(L, -2, "check");
}
