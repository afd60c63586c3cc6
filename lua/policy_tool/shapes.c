/* shapes.c - the shapes of the parameters of hooks, from their annotations and the tables of views.
 */
#include "lua/policy_tool/shapes.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "lua/policy/hook_limits.h"
#include "lua/policy/plain_fields.h"
#include "lua/policy/view_fields.h"
#include "lua/policy/words.h"
#include "lua/policy_tool/option_shapes.h"

enum { NAME_SIZE = 64 };

/* One place in a view: "at.tools[i].class". */
typedef struct place {
  char name[NAME_SIZE];
} place;

static place place_of(const char *above, const char *between, const char *name) {
  place made;
  snprintf(made.name, sizeof made.name, "%s%s%s", above, between, name);
  return made;
}

static void set_text(lua_State *L, const char *field, const char *text) {
  lua_pushstring(L, text);
  lua_setfield(L, -2, field);
}

static void push_words(lua_State *L, const char *const *words) {
  lua_newtable(L);
  for (int i = 0; words[i]; i++) {
    lua_pushstring(L, words[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static bool is_type(const char *type, const char *name) {
  size_t len = strlen(name);
  return strncmp(type, name, len) == 0 && (!type[len] || type[len] == '|');
}

/* ---- types ---- */

static void push_type(lua_State *L, const char *type, const char *name);

/* "string", a list of words, a key. */
static bool set_text_type(lua_State *L, const char *type) {
  const char *const *words = ck_view_words_of(type);
  const view_forms *forms = ck_view_forms_of(type);
  if (!words && !forms && !is_type(type, "string")) return false;
  set_text(L, "type", "text");
  if (words) push_words(L, words);
  if (words) lua_setfield(L, -2, "words");
  if (forms) push_words(L, forms->forms);
  if (forms) lua_setfield(L, -2, "forms");
  return true;
}

static bool set_scalar_type(lua_State *L, const char *type) {
  bool integer = is_type(type, "integer");
  if (set_text_type(L, type)) return true;
  if (!integer && !is_type(type, "number") && !is_type(type, "boolean")) return false;
  set_text(L, "type", is_type(type, "boolean") ? "boolean" : "number");
  lua_pushboolean(L, integer);
  lua_setfield(L, -2, "integer");
  return true;
}

static void set_plain_fields(lua_State *L, const plain_class *of, const char *name) {
  lua_newtable(L);
  for (const plain_field *field = of->fields; field->name; field++) {
    push_type(L, field->type, place_of(name, ".", field->name).name);
    lua_setfield(L, -2, field->name);
  }
  lua_setfield(L, -2, "fields");
}

/* The last message is a table, whose text is there under some profiles alone. */
static void set_notes(lua_State *L) {
  lua_newtable(L);
  lua_newtable(L);
  set_text(L, "needs", "message_text");
  set_text(L, "text", "'at.message.text' is nil unless the profile has message_text = true");
  lua_setfield(L, -2, "text");
  lua_setfield(L, -2, "notes");
}

static bool set_plain_type(lua_State *L, const char *type, const char *name) {
  const plain_class *of = ck_plain_class_of(type);
  if (!of) return false;
  set_text(L, "type", "table");
  set_plain_fields(L, of, name);
  if (strcmp(of->class, "ck.Message") == 0) set_notes(L);
  return true;
}

/* "string[]", "ck.Call[]|nil". */
static bool set_list_type(lua_State *L, const char *type, const char *name) {
  const char *brackets = strstr(type, "[]");
  char element[NAME_SIZE];
  if (!brackets || (size_t)(brackets - type) >= sizeof element) return false;
  snprintf(element, sizeof element, "%.*s", (int)(brackets - type), type);
  set_text(L, "type", "list");
  push_type(L, element, place_of(name, "", "[i]").name);
  lua_setfield(L, -2, "element");
  return true;
}

/* "table<ck.ChangedKey, true>". */
static bool set_keyed_type(lua_State *L, const char *type) {
  static const char begin[] = "table<";
  if (strncmp(type, begin, sizeof begin - 1) != 0) return false;
  const view_forms *forms = ck_view_forms_of(type + sizeof begin - 1);
  set_text(L, "type", "names");
  if (forms) push_words(L, forms->forms);
  if (forms) lua_setfield(L, -2, "keys");
  return true;
}

static void push_type(lua_State *L, const char *type, const char *name) {
  luaL_checkstack(L, 12, "shapes");
  lua_newtable(L);
  if (set_list_type(L, type, name) || set_keyed_type(L, type) || set_scalar_type(L, type) ||
      set_plain_type(L, type, name)) {
    set_text(L, "name", name);
    lua_pushboolean(L, strstr(type, "|nil") != NULL);
    lua_setfield(L, -2, "optional");
    return;
  }
  lua_pop(L, 1);
  lua_pushboolean(L, false);
}

/* ---- views ---- */

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

/* Amounts, times and numbers of things are not below 0; some count from 1, as their text says. */
static void set_least(lua_State *L, const view_field *field) {
  if (strcmp(field->name, "utc_offset_s") == 0) return;
  lua_pushinteger(L, strncmp(field->meaning, "from 1", strlen("from 1")) == 0);
  lua_setfield(L, -2, "least");
}

static void push_view(lua_State *L, ck_view_kind kind);

static void push_field(lua_State *L, ck_view_kind kind, const view_field *field) {
  const char *when = absent_when(field);
  if (field->child) {
    push_view(L, (ck_view_kind)(kind + field->child));
    return;
  }
  push_type(L, field->type, place_of(ck_view_types[kind].name, ".", field->name).name);
  if (is_type(field->type, "integer") || is_type(field->type, "number")) set_least(L, field);
  if (!when) return;
  lua_pushlstring(L, when, strcspn(when, ";"));
  lua_setfield(L, -2, "absent_when");
}

/* Of a key of the state nothing else is told. */
static void set_excludes(lua_State *L) {
  static const char *const pairs[][2] = {
      {"key", "kind"}, {"key", "agent"}, {"kind", "key"}, {"agent", "key"}};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (lua_getfield(L, -1, pairs[i][0]) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_newtable(L);
    }
    lua_pushboolean(L, true);
    lua_setfield(L, -2, pairs[i][1]);
    lua_setfield(L, -2, pairs[i][0]);
  }
  lua_setfield(L, -2, "excludes");
}

/* Views hold views one deep. */
static void push_view(lua_State *L, ck_view_kind kind) {
  luaL_checkstack(L, 8, "views");
  lua_newtable(L);
  set_text(L, "name", ck_view_types[kind].name);
  set_text(L, "type", "table");
  lua_newtable(L);
  for (const view_field *field = ck_view_fields[kind]; field->name; field++) {
    push_field(L, kind, field);
    lua_setfield(L, -2, field->name);
  }
  lua_setfield(L, -2, "fields");
  if (kind == CK_VIEW_ITEM) set_excludes(L);
}

/* All checkpoints, with the time. */
static void push_history(lua_State *L) {
  lua_newtable(L);
  set_text(L, "name", "history");
  set_text(L, "type", "list");
  push_view(L, CK_VIEW_CHECKPOINT);
  lua_setfield(L, -2, "element");
  lua_newtable(L);
  push_type(L, "integer", "history.now");
  lua_setfield(L, -2, "now");
  lua_setfield(L, -2, "fields");
}

/* ---- parameters ---- */

/* Of an annotation that begins with a view's class, such as "ck.Checkpoint|nil, …". */
static void push_shape(lua_State *L, const char *type) {
  if (strcmp(type, "ck.History") == 0) {
    push_history(L);
    return;
  }
  for (int kind = 0; kind < CK_VIEW_COUNT; kind++) {
    size_t len = strlen(ck_view_types[kind].class);
    if (strncmp(type, ck_view_types[kind].class, len) != 0) continue;
    if (type[len] && !strchr("|,", type[len])) continue;
    push_view(L, (ck_view_kind)kind);
    return;
  }
  lua_pushboolean(L, false);
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
  ck_policy_push_options(L, options);
  lua_rawseti(L, -2, ++count);
}

/* Stack: … the shape of a parameter. */
static void set_absent(lua_State *L, const hook_limit *limit) {
  if (lua_getfield(L, -1, "absent") == LUA_TNIL) {
    lua_pop(L, 1);
    lua_newtable(L);
  }
  set_text(L, limit->field, limit->where);
  lua_setfield(L, -2, "absent");
}

/* Stack: … the shape of a field. */
static void limit_words(lua_State *L, const hook_limit *limit) {
  lua_Integer count = 0;
  lua_getfield(L, -1, "words");
  lua_newtable(L);
  for (lua_Integer i = 1; lua_rawgeti(L, -2, i) == LUA_TSTRING; i++) {
    if (limit->meets(lua_tostring(L, -1)))
      lua_rawseti(L, -2, ++count);
    else
      lua_pop(L, 1);
  }
  lua_pop(L, 1);
  lua_setfield(L, -3, "words");
  lua_setfield(L, -2, "elsewhere");
  set_text(L, "where", limit->where);
}

/* Of the parameters on the stack. */
static void set_limits(lua_State *L, int hook) {
  for (const hook_limit *limit = ck_hook_limits; limit->field; limit++) {
    if ((int)limit->hook != hook) continue;
    lua_rawgeti(L, -1, limit->parameter);
    if (!limit->meets) {
      set_absent(L, limit);
      lua_pop(L, 1);
      continue;
    }
    lua_getfield(L, -1, "fields");
    lua_getfield(L, -1, limit->field);
    limit_words(L, limit);
    lua_pop(L, 3);
  }
}

void ck_policy_push_shapes(lua_State *L, ck_bytes options) {
  luaL_checkstack(L, 8, "hooks");
  lua_newtable(L);
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    push_parameters(L, ck_policy_hooks[i].parameters, options);
    set_limits(L, i);
    lua_setfield(L, -2, ck_policy_hooks[i].name);
  }
  push_parameters(L, "", options); /* check(opt) is no hook, and has none but these */
  lua_setfield(L, -2, "check");
}
