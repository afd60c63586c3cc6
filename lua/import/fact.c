/* fact.c - emit: one fact as a Lua table, checked and passed to the sink; and the helper that
 * reads times. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/text.h"
#include "lua/import/bridge.h"
#include "lua/vm/names.h"
#include "lua/vm/sandbox.h"

static const double COST_MAX = 1e9;   /* dollars */
static const double COUNT_MAX = 1e15; /* tokens; milliseconds since 1970 */

/* ---- the fields ---- */

static const char *const text_fields[] = {"agent", "id",     "name",   "child", "parent",
                                          "role",  "target", "status", "reason"};
static const char *const other_fields[] = {"kind",  "at",   "source",       "message",
                                           "error", "cost", "input_tokens", "output_tokens"};
static const char *const value_fields[] = {"arguments", "content", "data", "about"};

enum {
  TEXTS = sizeof text_fields / sizeof *text_fields,
  OTHERS = sizeof other_fields / sizeof *other_fields,
  VALUES = sizeof value_fields / sizeof *value_fields,
  FIELDS = TEXTS + OTHERS + VALUES
};

static bool is_field(const char *name) {
  for (size_t i = 0; i < TEXTS; i++)
    if (strcmp(name, text_fields[i]) == 0) return true;
  for (size_t i = 0; i < OTHERS; i++)
    if (strcmp(name, other_fields[i]) == 0) return true;
  for (size_t i = 0; i < VALUES; i++)
    if (strcmp(name, value_fields[i]) == 0) return true;
  return false;
}

static void refuse_field(lua_State *L, const char *name) {
  const char *all[FIELDS + 1];
  char hint[CK_NAMES_HINT_SIZE];
  memcpy(all, text_fields, sizeof text_fields);
  memcpy(all + TEXTS, other_fields, sizeof other_fields);
  memcpy(all + TEXTS + OTHERS, value_fields, sizeof value_fields);
  all[FIELDS] = NULL;
  ck_names_hint(hint, name, all);
  luaL_error(L, "emit: unknown field '%s'%s", name, hint);
}

static void check_fields(lua_State *L) {
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) != LUA_TSTRING) luaL_error(L, "emit: takes fields by name");
    if (!is_field(lua_tostring(L, -1))) refuse_field(L, lua_tostring(L, -1));
  }
}

/* False: the field is absent or null. True: it is on top. */
static bool push_field(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  if (!lua_isnil(L, -1) && !ck_sandbox_is_null(L, -1)) return true;
  lua_pop(L, 1);
  return false;
}

/* Stays on the stack, which anchors the text. */
static const char *read_text(lua_State *L, const char *name) {
  luaL_checkstack(L, 2, NULL);
  if (!push_field(L, name)) return NULL;
  if (lua_type(L, -1) == LUA_TNUMBER) return lua_tostring(L, -1);
  if (lua_type(L, -1) != LUA_TSTRING)
    luaL_error(L, "emit: '%s' must be a text, not a %s", name, ck_sandbox_type(L, -1));
  return lua_tostring(L, -1);
}

static ck_bytes read_json(lua_State *L, const char *name, ck_buffer *into) {
  ck_buffer_reset(into);
  if (!push_field(L, name)) return (ck_bytes){0};
  ck_import_value_append(into, L, -1);
  lua_pop(L, 1);
  return ck_buffer_bytes(into);
}

/* False: it is absent. */
static bool read_number(double *out, lua_State *L, const char *name, double most) {
  *out = 0;
  if (!push_field(L, name)) return false;
  if (lua_type(L, -1) != LUA_TNUMBER)
    luaL_error(L, "emit: '%s' must be a number, not a %s", name, ck_sandbox_type(L, -1));
  *out = lua_tonumber(L, -1);
  if (!(*out >= 0 && *out <= most)) luaL_error(L, "emit: '%s' is out of range", name);
  lua_pop(L, 1);
  return true;
}

static int64_t read_count(lua_State *L, const char *name) {
  double number;
  read_number(&number, L, name, COUNT_MAX);
  return llround(number);
}

static int64_t read_cost(lua_State *L, ck_import_emitter *self, ck_import_kind kind) {
  double dollars;
  if (kind == CK_IMPORT_SESSION) self->cost_rest = 0;
  if (!read_number(&dollars, L, "cost", COST_MAX)) return -1;
  if (kind != CK_IMPORT_MODEL) return llround(dollars * 1e6);
  double exact = dollars * 1e6 + self->cost_rest;
  int64_t micros = exact > 0 ? llround(exact) : 0;
  self->cost_rest = exact - (double)micros;
  return micros;
}

static void read_error(ck_import_fact *out, lua_State *L) {
  if (!push_field(L, "error")) return;
  out->failed = lua_toboolean(L, -1);
  if (lua_type(L, -1) == LUA_TSTRING) {
    out->error = lua_tostring(L, -1);
    return; /* it stays on the stack */
  }
  if (!lua_isboolean(L, -1))
    luaL_error(L, "emit: 'error' must be a text or a boolean, not a %s", ck_sandbox_type(L, -1));
  lua_pop(L, 1);
}

static ck_import_kind read_kind(lua_State *L) {
  const char *name = read_text(L, "kind");
  ck_import_kind kind = ck_import_kind_of(name);
  if (kind != CK_IMPORT_KIND_COUNT) return kind;
  const char *names[CK_IMPORT_KIND_COUNT + 1] = {NULL};
  for (int i = 0; i < CK_IMPORT_KIND_COUNT; i++) names[i] = ck_import_kind_name((ck_import_kind)i);
  char hint[CK_NAMES_HINT_SIZE] = "";
  if (name) ck_names_hint(hint, name, names);
  luaL_error(L, "emit: '%s' is no kind of fact%s", name ? name : "nil", hint);
  return kind;
}

static ck_bytes read_value(lua_State *L, ck_import_emitter *self) {
  for (size_t i = 0; i < VALUES; i++) {
    ck_bytes value = read_json(L, value_fields[i], &self->value);
    if (value.len) return value;
  }
  return (ck_bytes){0};
}

/* ---- what is left out ---- */

/* Of a source that names its line or element, or several, each perhaps behind the name of its file:
 * the first of both. */
static void read_place(char *file, size_t size, int64_t *line, ck_bytes source) {
  if (*line || ck_json_read_int(line, source)) return;
  ck_buffer name = {0};
  if (ck_json_read_string(&name, source) && !*file && name.data)
    snprintf(file, size, "%.*s: ", ck_text_fits(name.data, size - 3), name.data);
  ck_buffer_clear(&name);
  if (ck_json_type_of(source) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(source); !*line && ck_json_next(&it);)
    read_place(file, size, line, it.value);
}

/* What stands for a message in the file and is none is left out by its place, as a line that is no
 * JSON. */
static bool is_left_out(const ck_import_emitter *self, const ck_import_fact *fact) {
  static const char *const kinds[] = {
      [CK_JSON_FALSE] = "a boolean", [CK_JSON_TRUE] = "a boolean", [CK_JSON_NUMBER] = "a number",
      [CK_JSON_STRING] = "a text",   [CK_JSON_ARRAY] = "a list",   [CK_JSON_OBJECT] = NULL};
  char file[120] = "", text[200];
  int64_t line = 0;
  const char *kind = kinds[ck_json_type_of(fact->message)];
  if (!kind) return false;
  read_place(file, sizeof file, &line, fact->source);
  snprintf(text, sizeof text, "%sits message is %s, not an object", file, kind);
  self->sink->problem(self->sink->self, self->path, line, text, true);
  return true;
}

/* ---- emit ---- */

static int emit(lua_State *L) {
  ck_import_emitter *self = lua_touserdata(L, lua_upvalueindex(1));
  ck_sandbox_check_plain(L, 1);
  lua_settop(L, 1);
  check_fields(L);
  ck_import_fact fact = {.kind = read_kind(L)};
  const char **texts[TEXTS] = {&fact.agent, &fact.id,     &fact.name,   &fact.child, &fact.parent,
                               &fact.role,  &fact.target, &fact.status, &fact.reason};
  for (size_t i = 0; i < TEXTS; i++) *texts[i] = read_text(L, text_fields[i]);
  read_error(&fact, L);
  fact.at_ms = read_count(L, "at");
  fact.cost_micros = read_cost(L, self, fact.kind);
  fact.input_tokens = read_count(L, "input_tokens");
  fact.output_tokens = read_count(L, "output_tokens");
  fact.source = read_json(L, "source", &self->source);
  fact.message = read_json(L, "message", &self->message);
  fact.value = read_value(L, self);
  if (fact.kind == CK_IMPORT_SESSION && !(fact.id && *fact.id))
    return luaL_error(L, "emit: a session needs an 'id'");
  if (fact.kind != CK_IMPORT_SESSION && !self->in_session)
    return luaL_error(L, "emit: the first fact must be a session");
  self->in_session = true;
  self->sessions += fact.kind == CK_IMPORT_SESSION;
  if (is_left_out(self, &fact)) return 0;
  ck_error err = CK_ERROR_INIT;
  ck_status status = self->sink->put(self->sink->self, &fact, &err);
  if (status == CK_E_TYPE) return luaL_error(L, "emit: %s", err.text);
  if (status != CK_OK) return ck_vm_raise_plain(L, status, "%s", err.text);
  return 0;
}

void ck_import_fact_push_emit(lua_State *L, ck_import_emitter *emitter) {
  lua_pushlightuserdata(L, emitter);
  lua_pushcclosure(L, emit, 1);
}

/* ---- times ---- */

/* "+01:30", "-0800", "Z" or nothing, in minutes; false for anything else. */
static bool read_zone(int *minutes, const char *at) {
  int hours, rest = 0;
  char sign;
  *minutes = 0;
  if (!*at || ((*at == 'Z' || *at == 'z') && !at[1])) return true;
  if (sscanf(at, "%c%2d:%2d", &sign, &hours, &rest) < 2 &&
      sscanf(at, "%c%2d%2d", &sign, &hours, &rest) < 2)
    return false;
  if ((sign != '+' && sign != '-') || hours > 23 || rest > 59) return false;
  *minutes = (sign == '-' ? -1 : 1) * (hours * 60 + rest);
  return true;
}

static bool read_time(int64_t *out, const char *text) {
  struct tm tm = {0};
  const char *at = strptime(text, "%Y-%m-%d", &tm);
  int minutes;
  if (!at || (*at != 'T' && *at != ' ')) return false;
  at = strptime(at + 1, "%H:%M:%S", &tm);
  if (!at) return false;
  int64_t ms = 0, digit = 100;
  if (*at == '.' || *at == ',')
    for (at++; *at >= '0' && *at <= '9'; at++, digit /= 10) ms += (*at - '0') * digit;
  if (!read_zone(&minutes, at)) return false;
  *out = ((int64_t)timegm(&tm) - minutes * 60) * 1000 + ms;
  return *out > 0;
}

int ck_import_fact_time(lua_State *L) {
  int64_t ms;
  bool is_time = lua_type(L, 1) == LUA_TSTRING && read_time(&ms, lua_tostring(L, 1));
  if (is_time)
    lua_pushinteger(L, ms);
  else
    lua_pushnil(L);
  return 1;
}
