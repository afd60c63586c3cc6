/* modules.c - finds, reads and runs the files that a script requires, each once. */
#include "lua/vm/modules.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/vm/sandbox.h"

/* Keys of the registry: the modules that can be loaded now, and what the loaded ones returned. */
static const char open_key, loaded_key;

void ck_modules_open(ck_modules *self, lua_State *L) {
  self->count = 0;
  ck_digester_init(&self->digester);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &loaded_key);
  lua_pushlightuserdata(L, self);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &open_key);
}

void ck_modules_close(lua_State *L) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &open_key);
}

void ck_modules_clear(ck_modules *self) {
  ck_source_clear(&self->reading);
  ck_buffer_clear(&self->key);
}

ck_digest ck_modules_digest(const ck_modules *self, const ck_digest *text) {
  if (self->count == 0) return *text;
  ck_digester whole, modules = self->digester;
  ck_digest required = ck_digester_final(&modules);
  ck_digester_init(&whole);
  ck_digester_update(&whole, text->bytes, sizeof text->bytes);
  ck_digester_update(&whole, required.bytes, sizeof required.bytes);
  return ck_digester_final(&whole);
}

bool ck_modules_is_path(const char *name) {
  return strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0;
}

/* ---- which file ---- */

/* The real path of the file whose code calls `require`. */
static const char *find_caller(const ck_modules *self, lua_State *L, lua_Debug *about) {
  for (int level = 1; lua_getstack(L, level, about); level++) {
    lua_getinfo(L, "S", about);
    if (about->source[0] != '@') continue;
    return strcmp(about->source + 1, self->chunk) == 0 ? self->path : about->source + 1;
  }
  return self->path;
}

/* Takes the last part off the folder in `path`; "" or "../" has none. */
static void leave_folder(ck_buffer *path) {
  size_t end = path->len - 1; /* before its slash */
  while (end > 0 && path->data[end - 1] != '/') end--;
  path->data[end] = '\0';
  path->len = end;
}

static bool is_in_folder(const ck_buffer *path) {
  return path->len > 1 && (path->len < 3 || memcmp(path->data + path->len - 3, "../", 3) != 0);
}

/* The path of the file, without "./" and "..", so that each file has one; .lua may be left out. */
static void write_key(ck_buffer *out, const char *caller, const char *name) {
  const char *slash = strrchr(caller, '/');
  ck_buffer_reset(out);
  if (slash) ck_buffer_append(out, caller, (size_t)(slash - caller) + 1);
  for (const char *end; (end = strchr(name, '/')); name = end + 1) {
    size_t part = (size_t)(end - name);
    if (part == 0 || (part == 1 && name[0] == '.')) continue;
    if (part == 2 && memcmp(name, "..", 2) == 0 && is_in_folder(out))
      leave_folder(out);
    else
      ck_buffer_append(out, name, part + 1);
  }
  ck_buffer_append_text(out, name);
  size_t len = strlen(name);
  if (len < 4 || strcmp(name + len - 4, ".lua") != 0) ck_buffer_append_text(out, ".lua");
}

/* ---- once ---- */

/* Without the kind in front: the script's line stands there. */
static const char *skip_kind(const ck_modules *self, const char *text) {
  size_t len = strlen(self->kind);
  bool named = strncmp(text, self->kind, len) == 0 && strncmp(text + len, ": ", 2) == 0;
  return named ? text + len + 2 : text;
}

static void read_module(ck_modules *self, lua_State *L, const char *name) {
  ck_error err = CK_ERROR_INIT;
  if (self->count == CK_MODULES_MAX)
    ck_vm_raise(L, CK_OK, "'%s': a script requires at most %d files", name, CK_MODULES_MAX);
  ck_source_clear(&self->reading);
  ck_status status =
      ck_source_read_for(&self->reading, self->kind, self->key.data, self->scripts, &err);
  if (status == CK_E_NO_MEMORY) ck_vm_raise_plain(L, status, "%s", err.text);
  if (status != CK_OK) ck_vm_raise(L, CK_OK, "require \"%s\": %s", name, skip_kind(self, err.text));
  self->count++;
  ck_digester_update_field(&self->digester, ck_bytes_text(name));
  ck_digester_update(&self->digester, self->reading.digest.bytes, CK_DIGEST_SIZE);
}

/* Stack: … the loaded ones, the key. Pushes what the module returns. */
static void run_module(ck_modules *self, lua_State *L, const char *name) {
  read_module(self, L, name);
  ck_vm_push_chunk(L, self->reading.name, self->reading.text);
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) ck_vm_raise(L, CK_OK, "module '%s' returns nothing", name);
  ck_sandbox_freeze(L);
}

void ck_modules_require(lua_State *L, const char *name) {
  lua_Debug about;
  luaL_checkstack(L, 8, NULL);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &open_key);
  ck_modules *self = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (!self)
    ck_vm_raise(L, CK_OK,
                "require \"%s\": files are required while a flow or a policy is loaded: say so at "
                "the top of the file, outside of functions",
                name);
  write_key(&self->key, find_caller(self, L, &about), name);
  if (self->key.failed) ck_vm_raise_plain(L, CK_E_NO_MEMORY, "out of memory");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &loaded_key);
  const char *key = lua_pushstring(L, self->key.data);
  if (lua_getfield(L, -2, key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushboolean(L, false);
    lua_setfield(L, -3, key);
    run_module(self, L, name);
    lua_pushvalue(L, -1);
    lua_setfield(L, -4, key);
  } else if (lua_isboolean(L, -1)) {
    ck_vm_raise(L, CK_OK, "module '%s' requires itself, or failed to load before", name);
  }
}
