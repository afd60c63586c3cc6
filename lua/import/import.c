/* import.c - finds the module for the format of a file, and runs it. */
#include "lua/import/import.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "lua/import/bridge.h"
#include "lua/import/formats.h"
#include "lua/vm/names.h"
#include "lua/vm/sandbox.h"
#include "lua/vm/source.h"

static const ck_vm_limits limits = {.time_us = 120 * 1000000LL,
                                    .memory = (size_t)3 << 30,
                                    .memory_hard = (size_t)4 << 30,
                                    .raised = CK_E_PARSE,
                                    .timed_out = CK_E_PARSE};

enum { HEAD_TEXT_MAX = 256, HEAD_LINES = 20, LIST_SIZE = 512 };

/* One file on its way. */
typedef struct reading {
  ck_vm *vm;
  ck_import_files files;
  ck_import_emitter emitter;
  const char *format;      /* as asked for; NULL */
  ck_buffer script;        /* of a module of the user's */
  char *name;              /* caller's */
  ck_error document_error; /* why the file is no document */
} reading;

static const char *const formats[] = {
#define X(name) name,
    CK_IMPORT_FORMATS(X)
#undef X
        NULL};

/* ---- what a module sees of a file ---- */

static int source_document(lua_State *L) {
  ck_import_source *self = lua_touserdata(L, lua_upvalueindex(1));
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, self) != LUA_TNIL) return 1;
  ck_error err = CK_ERROR_INIT;
  ck_bytes json = ck_import_source_document(self, &err);
  if (!json.len) {
    lua_pushnil(L);
    lua_pushstring(L, err.text);
    return 2;
  }
  ck_import_value_push(L, json);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, self);
  return 1;
}

/* Upvalues: the source, the offset, the number of the line. */
static int next_line(lua_State *L) {
  ck_import_source *self = lua_touserdata(L, lua_upvalueindex(1));
  size_t at = (size_t)lua_tointeger(L, lua_upvalueindex(2));
  int64_t number = lua_tointeger(L, lua_upvalueindex(3));
  ck_bytes json;
  ck_error problem = CK_ERROR_INIT;
  if (!ck_import_source_next(&json, self, &at, &number, &problem)) return 0;
  lua_pushinteger(L, (lua_Integer)at);
  lua_replace(L, lua_upvalueindex(2));
  lua_pushinteger(L, number);
  lua_replace(L, lua_upvalueindex(3));
  lua_pushinteger(L, number);
  if (json.len)
    ck_import_value_push(L, json);
  else
    lua_pushnil(L);
  if (!json.len) lua_pushstring(L, problem.text);
  return json.len ? 2 : 3;
}

static int source_lines(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushinteger(L, 0);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_line, 3);
  return 1;
}

/* The next line unchanged, without its end; false behind the last. */
static bool take_text(ck_bytes *out, const ck_import_source *self, size_t *at) {
  if (*at >= self->text.len) return false;
  const char *begin = self->text.data + *at, *end = memchr(begin, '\n', self->text.len - *at);
  size_t len = end ? (size_t)(end - begin) : self->text.len - *at;
  *at += len + 1;
  if (len > 0 && begin[len - 1] == '\r') len--;
  *out = (ck_bytes){begin, len};
  return true;
}

/* Upvalues: the source, the offset, the number of the line. */
static int next_text(lua_State *L) {
  size_t at = (size_t)lua_tointeger(L, lua_upvalueindex(2));
  ck_bytes text;
  if (!take_text(&text, lua_touserdata(L, lua_upvalueindex(1)), &at)) return 0;
  lua_pushinteger(L, (lua_Integer)at);
  lua_replace(L, lua_upvalueindex(2));
  lua_pushinteger(L, lua_tointeger(L, lua_upvalueindex(3)) + 1);
  lua_pushvalue(L, -1);
  lua_replace(L, lua_upvalueindex(3));
  lua_pushlstring(L, text.data, text.len);
  return 2;
}

static int source_texts(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushinteger(L, 0);
  lua_pushinteger(L, 0);
  lua_pushcclosure(L, next_text, 3);
  return 1;
}

/* skip(n, why): that line or element is left out. */
static int source_skip(lua_State *L) {
  ck_import_source *self = lua_touserdata(L, lua_upvalueindex(1));
  self->sink->problem(self->sink->self, self->path, luaL_checkinteger(L, 1), luaL_checkstring(L, 2),
                      true);
  return 0;
}

static int source_parts(lua_State *L);

static void push_method(lua_State *L, const char *name, lua_CFunction function, void *of) {
  lua_pushlightuserdata(L, of);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

static void push_source(lua_State *L, reading *self, ck_import_source *source) {
  const char *slash = strrchr(source->path, '/'), *base = slash ? slash + 1 : source->path,
             *dot = strrchr(base, '.');
  luaL_checkstack(L, 6, NULL);
  lua_createtable(L, 0, 8);
  lua_pushstring(L, source->path);
  lua_setfield(L, -2, "path");
  lua_pushstring(L, base);
  lua_setfield(L, -2, "name");
  lua_pushlstring(L, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
  lua_setfield(L, -2, "stem");
  lua_pushstring(L, source->digest);
  lua_setfield(L, -2, "digest");
  push_method(L, "document", source_document, source);
  push_method(L, "lines", source_lines, source);
  push_method(L, "texts", source_texts, source);
  push_method(L, "skip", source_skip, source);
  push_method(L, "parts", source_parts, self);
}

static int source_parts(lua_State *L) {
  reading *self = lua_touserdata(L, lua_upvalueindex(1));
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_import_source_open_parts(&self->files, &err);
  if (status != CK_OK) return ck_vm_raise_plain(L, status, "%s", err.text);
  lua_newtable(L);
  for (size_t i = 1; i < self->files.count; i++) {
    push_source(L, self, self->files.list[i]);
    lua_rawseti(L, -2, (lua_Integer)i);
  }
  return 1;
}

static bool is_one_line(const ck_import_source *self) {
  const char *end = memchr(self->text.data, '\n', self->text.len);
  return !end || end + 1 == self->text.data + self->text.len;
}

/* Pushes the first lines that can be read. Problems of the others are not reported yet. */
static void push_first_lines(lua_State *L, ck_import_source *source) {
  size_t at = 0;
  int64_t number = 0, reported = source->reported_until;
  ck_error problem = CK_ERROR_INIT;
  ck_bytes json;
  lua_Integer count = 0;
  lua_newtable(L);
  source->reported_until = INT64_MAX;
  for (int i = 0; i < HEAD_LINES && ck_import_source_next(&json, source, &at, &number, &problem);
       i++) {
    if (!json.len) continue;
    ck_import_value_push(L, json);
    lua_rawseti(L, -2, ++count);
  }
  source->reported_until = reported;
}

static void push_first_texts(lua_State *L, const ck_import_source *source) {
  size_t at = 0;
  ck_bytes text;
  lua_newtable(L);
  for (lua_Integer i = 1; i <= HEAD_LINES && take_text(&text, source, &at); i++) {
    lua_pushlstring(L, text.data, text.len < HEAD_TEXT_MAX ? text.len : HEAD_TEXT_MAX);
    lua_rawseti(L, -2, i);
  }
}

/* {document =, lines = {…}, texts = {…}}; a document on one line is both. */
static void push_head(lua_State *L, reading *self) {
  ck_import_source *source = self->files.list[0];
  lua_createtable(L, 0, 3);
  push_first_texts(L, source);
  lua_setfield(L, -2, "texts");
  bool is_document = ck_import_source_document(source, &self->document_error).len > 0;
  lua_pushlightuserdata(L, source);
  lua_pushcclosure(L, source_document, 1);
  lua_call(L, 0, 1);
  if (!is_document) {
    push_first_lines(L, source);
  } else {
    lua_newtable(L);
    if (is_one_line(source))
      lua_pushvalue(L, -2);
    else
      lua_pushnil(L);
    lua_rawseti(L, -2, 1);
  }
  lua_setfield(L, -3, "lines");
  lua_setfield(L, -2, "document");
}

/* ---- modules ---- */

/* Pushes the module of a shipped format. */
static void push_shipped(lua_State *L, const char *format) {
  lua_pushfstring(L, "ck.import.%s", format);
  ck_sandbox_require(L, lua_tostring(L, -1));
  lua_remove(L, -2);
}

static void check_module(lua_State *L, const char *name) {
  bool good = lua_istable(L, -1);
  if (good) {
    good = lua_getfield(L, -1, "import") == LUA_TFUNCTION;
    good = lua_getfield(L, -2, "name") == LUA_TSTRING && good;
    lua_pop(L, 2);
  }
  if (!good)
    ck_vm_raise_plain(
        L, CK_E_TYPE,
        "%s: an import module returns {name = \"…\", detect = function, import = function}", name);
}

static void raise_unknown_name(lua_State *L, const char *name) {
  char hint[CK_NAMES_HINT_SIZE], list[LIST_SIZE] = "";
  size_t len = 0;
  for (const char *const *of = formats; *of && len < sizeof list; of++)
    len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", len ? ", " : "", *of);
  ck_names_hint(hint, name, formats);
  ck_vm_raise_plain(L, CK_E_USAGE,
                    "there is no format '%s'%s: there are %s; a module of your own is named by its "
                    "path, such as ./%s.lua",
                    name, hint, list, name);
}

static void push_asked(lua_State *L, reading *self) {
  if (ck_source_is_path(self->format)) {
    ck_vm_push_chunk(L, self->format, ck_buffer_bytes(&self->script));
    lua_call(L, 0, 1);
    check_module(L, self->format);
    return;
  }
  for (const char *const *name = formats; *name; name++) {
    if (strcmp(*name, self->format) != 0) continue;
    push_shipped(L, *name);
    return;
  }
  raise_unknown_name(L, self->format);
}

static lua_Unsigned count(lua_State *L, int head, const char *field) {
  lua_getfield(L, head, field);
  lua_Unsigned found = lua_rawlen(L, -1);
  lua_pop(L, 1);
  return found;
}

/* A file of lines that are JSON is no malformed document. */
static void raise_unknown(lua_State *L, const reading *self, int head) {
  lua_Unsigned lines = count(L, head, "lines");
  bool is_lines = lines > 1 && lines == count(L, head, "texts");
  const char *why = is_lines ? "" : self->document_error.text;
  ck_vm_raise_plain(L, CK_E_UNSUPPORTED,
                    "%s: none of the formats known is its own%s%s%s; name one with --format",
                    self->files.list[0]->path, is_lines ? " (lines of JSON)" : "",
                    *why ? ", and it is no JSON document: " : "", why);
}

static void push_detected(lua_State *L, reading *self) {
  push_head(L, self);
  int head = lua_gettop(L);
  for (const char *const *name = formats; *name; name++) {
    push_shipped(L, *name);
    lua_getfield(L, -1, "detect");
    lua_pushvalue(L, head);
    lua_pushstring(L, self->files.list[0]->path);
    lua_call(L, 2, 1);
    bool known = lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (known) return;
    lua_pop(L, 1);
  }
  raise_unknown(L, self, head);
}

static int read_body(lua_State *L) {
  reading *self = lua_touserdata(L, 1);
  ck_import_value_open(L);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, ck_import_fact_time);
  lua_setfield(L, -2, "time");
  lua_pushcfunction(L, ck_import_value_parse);
  lua_setfield(L, -2, "json");
  ck_sandbox_set_core(L);
  if (self->format)
    push_asked(L, self);
  else
    push_detected(L, self);
  lua_getfield(L, -1, "name");
  snprintf(self->name, CK_IMPORT_FORMAT_SIZE, "%s", luaL_checkstring(L, -1));
  lua_pop(L, 1);
  lua_getfield(L, -1, "import");
  push_source(L, self, self->files.list[0]);
  ck_import_fact_push_emit(L, &self->emitter);
  lua_call(L, 2, 0);
  if (self->emitter.sessions == 0)
    ck_vm_raise_plain(L, CK_E_PARSE, "it holds no session of format %s", self->name);
  return 0;
}

ck_status ck_import_read_file(char name[CK_IMPORT_FORMAT_SIZE], const char *path,
                              const char *format, const ck_import_sink *sink, ck_error *err) {
  reading self = {.files = {.sink = sink},
                  .emitter = {.sink = sink, .path = path},
                  .format = format,
                  .name = name,
                  .document_error = CK_ERROR_INIT};
  ck_import_source *source;
  name[0] = '\0';
  ck_status status = ck_import_source_open(&source, &self.files, path, err);
  if (status == CK_OK && format && ck_source_is_path(format)) {
    status = ck_vm_read_file(&self.script, format, err);
    if (status != CK_OK) status = ck_error_prefix(err, "--format");
  }
  if (status == CK_OK) status = ck_vm_new(&self.vm, &limits, NULL, err);
  if (status == CK_OK) status = ck_vm_call(self.vm, read_body, &self, err);
  if (status != CK_OK && err && status != CK_E_USAGE && !strstr(err->text, path))
    ck_error_prefix(err, "%s", path);
  ck_vm_free(self.vm);
  ck_import_files_clear(&self.files);
  ck_buffer_clear(&self.script);
  ck_buffer_clear(&self.emitter.message);
  ck_buffer_clear(&self.emitter.value);
  ck_buffer_clear(&self.emitter.source);
  return status;
}
