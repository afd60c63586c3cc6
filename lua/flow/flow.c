/* flow.c - loads flow files and gives them to the runtime as an engine. */
#include "lua/flow/flow.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/script.h"
#include "lua/flow/manifest.h"
#include "lua/flow/coroutine.h"
#include "lua/vm/modules.h"

typedef struct engine {
  ck_flow_engine shown;
  const ck_clock *clock;
  ck_scripts *scripts; /* NULL: none */
} engine;

struct ck_flow {
  ck_vm *vm;
  int definition; /* the returned table in the registry */
  ck_manifest manifest;
};

typedef struct loading {
  ck_flow *flow;
  const char *path;
  ck_bytes source;
  ck_modules modules;
} loading;

/* The table on top is a flow when it has `kind` and `run`. */
static void check_definition(lua_State *L) {
  bool is_flow = lua_istable(L, -1);
  if (is_flow) {
    is_flow = lua_getfield(L, -1, "run") == LUA_TFUNCTION;
    is_flow = lua_getfield(L, -2, "kind") == LUA_TSTRING && is_flow;
    lua_pop(L, 2);
  }
  if (!is_flow) {
    ck_vm_raise_plain(L, CK_E_TYPE,
                      "returns %s, not a flow: end it with 'return flow.agent{…}', where flow = "
                      "require \"ck.flow\"",
                      lua_isnil(L, -1) ? "nothing" : luaL_typename(L, -1));
  }
}

/* What only a graph or a step does for a node would be passed over in silence. */
static void check_fields(lua_State *L) {
  static const char *const fields[] = {"retry", "on_error"};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    bool given = lua_getfield(L, -1, fields[i]) != LUA_TNIL;
    lua_pop(L, 1);
    if (!given) continue;
    lua_getfield(L, -1, "kind");
    ck_vm_raise_plain(
        L, CK_E_TYPE,
        "returns a node (%s) with '%s', which has a meaning for a node of a graph "
        "only: return flow.graph { start = \"it\", nodes = { it = … }, edges = { it = "
        "flow.done } }",
        lua_tostring(L, -1), fields[i]);
  }
}

static int load_body(lua_State *L) {
  loading *load = lua_touserdata(L, 1);
  ck_modules_open(&load->modules, L);
  ck_vm_push_chunk(L, load->path, load->source);
  lua_call(L, 0, 1);
  ck_modules_close(L);
  check_definition(L);
  check_fields(L);
  ck_manifest_read(&load->flow->manifest, L, -1, load->path);
  load->flow->definition = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static void unload(ck_flow *flow) {
  if (!flow) return;
  ck_vm_free(flow->vm);
  ck_manifest_clear(&flow->manifest);
  free(flow);
}

/* Of a file that is kept the path is the real one that it had. */
static char *find_real_path(const engine *from, const char *path) {
  bool closed = from->scripts && from->scripts->closed;
  char *real = closed ? NULL : realpath(path, NULL);
  return real ? real : strdup(path);
}

static ck_status run_text(ck_flow *flow, loading *load, const ck_clock *clock, ck_error *err) {
  ck_digest text = ck_digest_of(load->source);
  ck_status status = ck_vm_new(&flow->vm, &ck_vm_flow_limits, clock, err);
  if (status == CK_OK) status = ck_vm_call(flow->vm, load_body, load, err);
  if (status == CK_OK) flow->manifest.shown.digest = ck_modules_digest(&load->modules, &text);
  ck_modules_clear(&load->modules);
  return status;
}

static ck_status run_file(ck_flow *flow, const char *path, ck_bytes source, const engine *from,
                          ck_error *err) {
  char *real = find_real_path(from, path);
  if (!real) return ck_error_no_memory(err);
  loading load = {.flow = flow, .path = path, .source = source};
  load.modules =
      (ck_modules){.kind = "flow_module", .chunk = path, .path = real, .scripts = from->scripts};
  ck_status status = run_text(flow, &load, from->clock, err);
  free(real);
  /* 'return flow.agent{…}' is a tail call: its line is lost in Lua. */
  if (status != CK_OK && err && strncmp(err->text, path, strlen(path)) != 0)
    ck_error_prefix(err, "%s", path);
  if (status != CK_E_FLOW) return status;
  if (err) err->status = CK_E_PARSE; /* no session has begun: the error is the file's */
  return CK_E_PARSE;
}

static ck_status read_kept(ck_buffer *out, const ck_scripts *scripts, const char *path,
                           ck_error *err) {
  const ck_script *kept = ck_scripts_get(scripts, "flow", path);
  if (!kept) return ck_error_set(err, CK_E_NOT_FOUND, "flow %s: the store has not kept it", path);
  ck_buffer_append_bytes(out, ck_buffer_bytes(&kept->text));
  return ck_buffer_check(out, err);
}

static ck_status read_text(ck_buffer *out, const engine *from, const char *path, ck_error *err) {
  ck_scripts *scripts = from->scripts;
  if (scripts && scripts->closed) return read_kept(out, scripts, path, err);
  ck_status status = ck_vm_read_file(out, path, err);
  if (status != CK_OK || !scripts) return status;
  char *real = realpath(path, NULL);
  status = ck_scripts_put(scripts, "flow", path, real ? real : path, ck_buffer_bytes(out), err);
  free(real);
  return status;
}

static ck_status load(ck_flow **out, void *self, const char *path, ck_error *err) {
  *out = NULL;
  const engine *from = self;
  ck_buffer source = {0};
  ck_status status = read_text(&source, from, path, err);
  ck_flow *flow = status == CK_OK ? calloc(1, sizeof *flow) : NULL;
  if (status == CK_OK && !flow) status = ck_error_no_memory(err);
  if (status == CK_OK) status = run_file(flow, path, ck_buffer_bytes(&source), from, err);
  if (status == CK_OK)
    *out = flow;
  else
    unload(flow);
  ck_buffer_clear(&source);
  return status;
}

static void use(void *self, ck_scripts *scripts) { ((engine *)self)->scripts = scripts; }

static const ck_flow_manifest *manifest(const ck_flow *flow) { return &flow->manifest.shown; }

static ck_status open_coroutine(ck_coroutine **out, ck_flow *flow,
                                const ck_coroutine_options *options, ck_error *err) {
  return ck_coroutine_open(out, flow->vm, flow->definition, options, err);
}

static void free_engine(void *self) { free(self); }

ck_status ck_flow_engine_new(ck_flow_engine **out, const ck_clock *clock, ck_error *err) {
  *out = NULL;
  engine *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->clock = clock;
  self->shown = (ck_flow_engine){
      .self = self,
      .load = load,
      .manifest = manifest,
      .use = use,
      .open = open_coroutine,
      .resume = ck_coroutine_resume,
      .close = ck_coroutine_close,
      .unload = unload,
      .free = free_engine,
  };
  *out = &self->shown;
  return CK_OK;
}
