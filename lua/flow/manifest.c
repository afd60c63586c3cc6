/* manifest.c - checks and copies the declarations of a flow. */
#include "lua/flow/manifest.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "lua/vm/json.h"
#include "lua/vm/vm.h"

enum { SECONDS_MAX = 1000000, JSON_MAX = 1 << 20 };

__attribute__((noreturn)) static void raise_no_memory(lua_State *L) {
  ck_vm_raise_plain(L, CK_E_NO_MEMORY, "%s", ck_status_text(CK_E_NO_MEMORY));
}

static void *own(ck_manifest *self, lua_State *L, size_t count, size_t size) {
  void **owned = ck_array_grow(self->owned, self->count, &self->cap, sizeof *owned);
  if (!owned) raise_no_memory(L);
  self->owned = owned;
  void *block = calloc(count, size);
  if (!block) raise_no_memory(L);
  self->owned[self->count++] = block;
  return block;
}

static const char *own_text(ck_manifest *self, lua_State *L, const char *text, size_t len) {
  char *copy = own(self, L, len + 1, 1);
  memcpy(copy, text, len);
  return copy;
}

/* The string on top; it must have no NUL. */
static const char *own_top(ck_manifest *self, lua_State *L, const char *what) {
  if (lua_type(L, -1) != LUA_TSTRING) {
    ck_vm_raise_plain(L, CK_E_TYPE, "%s must be a string, not a %s", what, luaL_typename(L, -1));
  }
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  if (len == 0 || strlen(text) != len)
    ck_vm_raise_plain(L, CK_E_TYPE, "%s must not be empty or hold a NUL", what);
  return own_text(self, L, text, len);
}

/* NULL when the field is nil. */
static const char *read_text(ck_manifest *self, lua_State *L, int table, const char *field) {
  const char *text = NULL;
  if (lua_getfield(L, table, field) != LUA_TNIL) text = own_top(self, L, field);
  lua_pop(L, 1);
  return text;
}

/* A list of strings, NULL-terminated; NULL when the field is nil. */
static const char *const *read_texts(ck_manifest *self, lua_State *L, int table,
                                     const char *field) {
  const char **texts = NULL;
  int type = lua_getfield(L, table, field);
  if (type == LUA_TTABLE) {
    size_t count = (size_t)luaL_len(L, -1);
    texts = own(self, L, count + 1, sizeof *texts);
    for (size_t i = 0; i < count; i++) {
      lua_rawgeti(L, -1, (lua_Integer)i + 1);
      texts[i] = own_top(self, L, field);
      lua_pop(L, 1);
    }
  } else if (type != LUA_TNIL) {
    ck_vm_raise_plain(L, CK_E_TYPE, "%s must be a list of strings, not a %s", field,
                      luaL_typename(L, -1));
  }
  lua_pop(L, 1);
  return texts;
}

/* The key of the state that `key` names: one without an area is a key of memory. */
static const char *own_key(ck_manifest *self, lua_State *L, const char *key) {
  static const char *const areas[] = {"memory.", "outputs.", "scratch.", "rounds."};
  for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
    if (strncmp(key, areas[i], strlen(areas[i])) == 0) return key;
  size_t len = strlen(areas[0]) + strlen(key) + 1;
  char *full = own(self, L, len, 1);
  snprintf(full, len, "%s%s", areas[0], key);
  return full;
}

static const char *const *read_names(ck_manifest *self, lua_State *L, int table,
                                     const char *field) {
  const char *const *names = read_texts(self, L, table, field);
  return names ? names : own(self, L, 1, sizeof *names);
}

static const char *const *read_keys(ck_manifest *self, lua_State *L, int table, const char *field) {
  const char *const *names = read_names(self, L, table, field);
  size_t count = 0;
  while (names[count]) count++;
  const char **keys = own(self, L, count + 1, sizeof *keys);
  for (size_t i = 0; i < count; i++) keys[i] = own_key(self, L, names[i]);
  return keys;
}

static int64_t read_seconds(lua_State *L, int table, const char *field) {
  int is_number = true;
  double seconds = 0;
  if (lua_getfield(L, table, field) != LUA_TNIL) seconds = lua_tonumberx(L, -1, &is_number);
  lua_pop(L, 1);
  if (!is_number || !(seconds >= 0 && seconds <= SECONDS_MAX)) {
    ck_vm_raise_plain(L, CK_E_TYPE, "%s must be a number of seconds from 0 to %d", field,
                      SECONDS_MAX);
  }
  return (int64_t)ceil(seconds * 1000);
}

/* The JSON of a table; NULL when the field is nil. */
static const char *read_json(ck_manifest *self, lua_State *L, int table, const char *field) {
  const char *json = NULL;
  int type = lua_getfield(L, table, field);
  if (type == LUA_TTABLE) {
    ck_buffer *text = ck_vm_scratch(L);
    ck_json_append_lua(text, L, -1, JSON_MAX);
    if (text->failed) raise_no_memory(L);
    json = own_text(self, L, text->data, text->len);
  } else if (type != LUA_TNIL) {
    ck_vm_raise_plain(L, CK_E_TYPE, "%s must be a table, not a %s", field, luaL_typename(L, -1));
  }
  lua_pop(L, 1);
  return json;
}

/* The field `trust`, which the library has checked. */
static bool read_distrust(lua_State *L, int table) {
  lua_getfield(L, table, "trust");
  const char *trust = lua_tostring(L, -1);
  bool untrusted = trust && strcmp(trust, "untrusted") == 0;
  lua_pop(L, 1);
  return untrusted;
}

static void read_tool(ck_flow_tool *tool, ck_manifest *self, lua_State *L) {
  int table = lua_gettop(L);
  tool->name = read_text(self, L, table, "name");
  if (!tool->name) ck_vm_raise_plain(L, CK_E_TYPE, "a tool needs a name");
  const char *class = read_text(self, L, table, "class");
  tool->class = CK_EFFECT_ONCE;
  if (class && !ck_effect_class_of(&tool->class, class)) {
    ck_vm_raise_plain(L, CK_E_TYPE, "tool '%s': '%s' is not a class", tool->name, class);
  }
  tool->argv = read_texts(self, L, table, "argv");
  tool->probe = read_texts(self, L, table, "probe");
  tool->timeout_ms = read_seconds(L, table, "timeout_s");
  tool->untrusted = read_distrust(L, table);
  tool->description = read_text(self, L, table, "description");
  tool->parameters = read_json(self, L, table, "parameters");
}

static void read_tools(ck_manifest *self, lua_State *L, int table) {
  int type = lua_getfield(L, table, "tools");
  if (type == LUA_TTABLE) {
    size_t count = (size_t)luaL_len(L, -1);
    ck_flow_tool *tools = own(self, L, count + 1, sizeof *tools);
    for (size_t i = 0; i < count; i++) {
      if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TTABLE) {
        ck_vm_raise_plain(L, CK_E_TYPE, "tools must be a list of {name=, class=, argv=, probe=}");
      }
      read_tool(&tools[i], self, L);
      lua_pop(L, 1);
    }
    self->shown.tools = tools;
    self->shown.tool_count = count;
  } else if (type != LUA_TNIL) {
    ck_vm_raise_plain(L, CK_E_TYPE, "tools must be a list, not a %s", luaL_typename(L, -1));
  }
  lua_pop(L, 1);
}

static const char *const *read_threes(ck_manifest *self, lua_State *L, int table,
                                      const char *field) {
  size_t count = 0;
  const char *const *texts = read_names(self, L, table, field);
  while (texts && texts[count]) count++;
  if (count % 3) ck_vm_raise_plain(L, CK_E_TYPE, "%s must have three texts for each", field);
  return texts;
}

/* A table of settings sets it, too. */
static bool is_set(lua_State *L, int table, const char *field) {
  lua_getfield(L, table, field);
  bool set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

static void read_process(ck_flow_process *process, ck_manifest *self, lua_State *L) {
  int table = lua_gettop(L);
  process->name = read_text(self, L, table, "name");
  if (!process->name) ck_vm_raise_plain(L, CK_E_TYPE, "a process needs a name");
  const char *protocol = read_text(self, L, table, "protocol");
  bool is_acp = protocol && strcmp(protocol, "acp") == 0;
  if (!is_acp && (!protocol || strcmp(protocol, "mcp") != 0)) {
    ck_vm_raise_plain(L, CK_E_TYPE,
                      "process '%s': protocol must be mcp or acp: use flow.mcp{…} or flow.acp{…}",
                      process->name);
  }
  process->protocol = is_acp ? CK_FLOW_ACP : CK_FLOW_MCP;
  process->argv = read_texts(self, L, table, "argv");
  process->url = is_acp ? NULL : read_text(self, L, table, "url");
  process->headers = read_threes(self, L, table, "headers");
  if (!process->url && (!process->argv || !process->argv[0]))
    ck_vm_raise_plain(L, CK_E_TYPE, "process '%s' needs argv, its program and arguments",
                      process->name);
  process->environment = read_names(self, L, table, "env");
  process->probes = read_names(self, L, table, "probes");
  process->timeout_ms = read_seconds(L, table, "timeout_s");
  process->total_ms = read_seconds(L, table, "total_s");
  process->untrusted = read_distrust(L, table);
  process->roots = is_set(L, table, "roots");
  process->elicitation = is_set(L, table, "elicitation");
  process->sampling = is_set(L, table, "sampling");
}

static void read_processes(ck_manifest *self, lua_State *L, int table) {
  int type = lua_getfield(L, table, "processes");
  if (type == LUA_TTABLE) {
    size_t count = (size_t)luaL_len(L, -1);
    ck_flow_process *processes = own(self, L, count + 1, sizeof *processes);
    for (size_t i = 0; i < count; i++) {
      if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TTABLE) {
        ck_vm_raise_plain(
            L, CK_E_TYPE,
            "processes must be a list of {name=, protocol=, argv=, env=, timeout_s=, total_s=}");
      }
      read_process(&processes[i], self, L);
      lua_pop(L, 1);
    }
    self->shown.processes = processes;
    self->shown.process_count = count;
  } else if (type != LUA_TNIL) {
    ck_vm_raise_plain(L, CK_E_TYPE, "processes must be a list, not a %s", luaL_typename(L, -1));
  }
  lua_pop(L, 1);
}

static void read_programs(ck_manifest *self, lua_State *L, int table) {
  if (lua_getfield(L, table, "programs") == LUA_TTABLE) {
    size_t count = (size_t)luaL_len(L, -1);
    ck_flow_program *programs = own(self, L, count + 1, sizeof *programs);
    for (size_t i = 0; i < count; i++) {
      if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TTABLE)
        ck_vm_raise_plain(L, CK_E_TYPE, "programs must be a list of {name=, program=, cwd=}");
      int at = lua_gettop(L);
      programs[i].name = read_text(self, L, at, "name");
      programs[i].program = read_text(self, L, at, "program");
      programs[i].directory = read_text(self, L, at, "cwd");
      programs[i].path = read_text(self, L, at, "path");
      programs[i].secrets = read_names(self, L, at, "secrets");
      lua_pop(L, 1);
    }
    self->shown.programs = programs;
    self->shown.program_count = count;
  }
  lua_pop(L, 1);
}

static void read_nodes(ck_manifest *self, lua_State *L, int table) {
  int type = lua_getfield(L, table, "nodes");
  if (type == LUA_TTABLE) {
    size_t count = (size_t)luaL_len(L, -1);
    ck_flow_node *nodes = own(self, L, count + 1, sizeof *nodes);
    for (size_t i = 0; i < count; i++) {
      if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TTABLE)
        ck_vm_raise_plain(L, CK_E_TYPE, "nodes must be a list of {name=, reads=}");
      nodes[i].name = read_text(self, L, lua_gettop(L), "name");
      if (!nodes[i].name) ck_vm_raise_plain(L, CK_E_TYPE, "a node needs a name");
      nodes[i].reads = read_keys(self, L, lua_gettop(L), "reads");
      nodes[i].unwritten = read_keys(self, L, lua_gettop(L), "unwritten");
      lua_pop(L, 1);
    }
    self->shown.nodes = nodes;
    self->shown.node_count = count;
  } else if (type != LUA_TNIL) {
    ck_vm_raise_plain(L, CK_E_TYPE, "nodes must be a list, not a %s", luaL_typename(L, -1));
  }
  lua_pop(L, 1);
}

/* The file's name without its end: "airline" of "flows/airline.lua". */
static const char *own_stem(ck_manifest *self, lua_State *L, const char *path) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  const char *dot = strrchr(base, '.');
  return own_text(self, L, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static int64_t read_version(lua_State *L, int table) {
  int is_integer = true;
  int64_t version = 0;
  if (lua_getfield(L, table, "version") != LUA_TNIL) version = lua_tointegerx(L, -1, &is_integer);
  if (!is_integer || version < 0 || version > INT32_MAX)
    ck_vm_raise_plain(L, CK_E_TYPE, "version must be a whole number from 1");
  lua_pop(L, 1);
  return version;
}

/* NULL when it is none, or is made as the flow runs. */
static const char *read_prompt(ck_manifest *self, lua_State *L, int table) {
  const char *prompt = NULL;
  size_t len;
  if (lua_getfield(L, table, "prompt") == LUA_TSTRING) {
    const char *text = lua_tolstring(L, -1, &len);
    if (len > 0 && strlen(text) == len) prompt = own_text(self, L, text, len);
  }
  lua_pop(L, 1);
  return prompt;
}

void ck_manifest_read(ck_manifest *self, lua_State *L, int index, const char *path) {
  int table = lua_absindex(L, index);
  ck_flow_manifest *shown = &self->shown;
  shown->path = own_text(self, L, path, strlen(path));
  shown->kind = read_text(self, L, table, "kind");
  shown->name = read_text(self, L, table, "name");
  if (!shown->name) shown->name = own_stem(self, L, path);
  shown->lead = read_text(self, L, table, "lead");
  shown->prompt = read_prompt(self, L, table);
  read_tools(self, L, table);
  read_processes(self, L, table);
  read_programs(self, L, table);
  read_nodes(self, L, table);
  shown->version = read_version(L, table);
  shown->reads = read_keys(self, L, table, "reads");
  shown->unwritten = read_keys(self, L, table, "unwritten");
  shown->agents = read_names(self, L, table, "agents");
  shown->secrets = read_names(self, L, table, "secrets");
  shown->models = read_names(self, L, table, "models");
  shown->functions = read_names(self, L, table, "function_names");
}

void ck_manifest_clear(ck_manifest *self) {
  for (size_t i = 0; i < self->count; i++) free(self->owned[i]);
  free(self->owned);
  *self = (ck_manifest){0};
}
