/* sandbox_mask.c - ck.mask: the verdict that masks an item whole, and the function that masks what
 * a pattern matches in a text, or in all texts of a value. */
#include <lauxlib.h>

#include "lua/vm/pattern.h"
#include "lua/vm/sandbox.h"

enum { MASK_DEPTH_MAX = 256 };

/* Key of the registry: a userdata with the key of the fingerprints. */
static const char fingerprint_key;

void ck_sandbox_set_fingerprint(lua_State *L, const ck_fingerprint_key *key) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &fingerprint_key);
  *(const ck_fingerprint_key **)lua_touserdata(L, -1) = key;
  lua_pop(L, 1);
}

static const ck_fingerprint_key *get_fingerprint(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &fingerprint_key);
  const ck_fingerprint_key *key = *(const ck_fingerprint_key **)lua_touserdata(L, -1);
  lua_pop(L, 1);
  return key;
}

/* A text that is being masked. The result is in `out`, which takes the stack's top. */
typedef struct masking {
  lua_State *L;
  luaL_Buffer out;
  const ck_fingerprint_key *key;
  size_t masked; /* placeholders that were written */
} masking;

static void add(masking *self, const char *text, size_t len) {
  if (luaL_bufflen(&self->out) + len > CK_SANDBOX_TEXT_MAX)
    luaL_error(self->L, "ck.mask: the result is longer than %d bytes", CK_SANDBOX_TEXT_MAX);
  luaL_addlstring(&self->out, text, len);
}

static void add_mask(masking *self, ck_bytes part) {
  char placeholder[CK_PLACEHOLDER_SIZE];
  if (part.len == 0) return;
  ck_placeholder_write(placeholder, self->key, "policy", part);
  ck_bytes text = ck_bytes_text(placeholder);
  add(self, text.data, text.len);
  self->masked++;
}

/* The first placeholder of `text` that ends behind `at`; its length, 0: none. */
static size_t find_placeholder(size_t *begin, ck_bytes text, size_t at) {
  ck_bytes found, rest = text;
  while (ck_placeholder_find(&found, NULL, rest)) {
    *begin = (size_t)(found.data - text.data);
    size_t end = *begin + found.len;
    if (end > at) return found.len;
    rest = (ck_bytes){text.data + end, text.len - end};
  }
  return 0;
}

/* Masks from `at` to `end`, all but placeholders: what is masked stays as it is. */
static void mask_span(masking *self, ck_bytes text, size_t at, size_t end) {
  while (at < end) {
    size_t begin, len = find_placeholder(&begin, text, at);
    if (len == 0 || begin >= end) {
      add_mask(self, (ck_bytes){text.data + at, end - at});
      return;
    }
    if (begin > at) add_mask(self, (ck_bytes){text.data + at, begin - at});
    size_t from = begin > at ? begin : at, to = begin + len < end ? begin + len : end;
    add(self, text.data + from, to - from);
    at = to;
  }
}

/* Arguments: text, pattern. Pushes the text masked. */
static int mask_text(lua_State *L) {
  lua_settop(L, 2);
  ck_pattern_search in = ck_pattern_read(L);
  ck_pattern_match found;
  ck_bytes text = {in.text, in.len};
  masking self = {.L = L, .key = get_fingerprint(L)};
  size_t from = 0;
  bool moved = false;
  luaL_buffinit(L, &self.out);
  while (ck_pattern_find(&found, L, &in, from, moved)) {
    add(&self, in.text + from, found.begin[0] - from);
    mask_span(&self, text, found.begin[0], found.end[0]);
    from = found.end[0];
    moved = true;
  }
  add(&self, in.text + from, in.len - from);
  luaL_pushresult(&self.out);
  return 1;
}

/* Pushes the value at `index` with its texts masked by the pattern, argument 2. */
static void push_masked(lua_State *L, int index, int depth) {
  luaL_checkstack(L, 8, "ck.mask");
  ck_vm_charge(L, 1);
  if (lua_type(L, index) == LUA_TSTRING) {
    lua_pushcfunction(L, mask_text);
    lua_pushvalue(L, index);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    return;
  }
  if (!ck_sandbox_push_table(L, index)) {
    lua_pushvalue(L, index);
    return;
  }
  if (depth == MASK_DEPTH_MAX) luaL_error(L, "ck.mask: a table that contains itself");
  int from = lua_gettop(L);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, from);) {
    push_masked(L, from + 3, depth + 1);
    lua_replace(L, from + 3);
    lua_pushvalue(L, from + 2);
    lua_insert(L, from + 3);
    lua_rawset(L, from + 1);
  }
  if (ck_sandbox_is_array(L, from)) ck_sandbox_mark_array(L, from + 1);
  lua_remove(L, from);
}

/* mask(value, pattern) */
static int mask(lua_State *L) {
  luaL_checkany(L, 1);
  luaL_checkstring(L, 2);
  lua_settop(L, 2);
  if (lua_isnil(L, 1)) return luaL_argerror(L, 1, "a text, or a value with texts expected");
  push_masked(L, 1, 0);
  return 1;
}

bool ck_sandbox_is_mask(lua_State *L, int index) { return lua_tocfunction(L, index) == mask; }

void ck_sandbox_push_mask(lua_State *L) {
  *(const ck_fingerprint_key **)lua_newuserdatauv(L, sizeof(const ck_fingerprint_key *), 0) = NULL;
  lua_rawsetp(L, LUA_REGISTRYINDEX, &fingerprint_key);
  lua_pushcfunction(L, mask);
}
