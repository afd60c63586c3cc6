/* sandbox_mask.c - ck.mask: the verdict that masks an item whole, and the function that masks what
 * a pattern matches in a text, or in all texts of a value. */
#include <lauxlib.h>

#include "lua/vm/pattern.h"
#include "lua/vm/sandbox.h"

enum {
  MASK_DEPTH_MAX = 256,
  UNITS_PER_MASK = 8, /* of a fingerprint */
  BYTES_PER_UNIT = 16
};

/* What all calls of ck.mask for one item have in common. */
typedef struct item {
  const ck_fingerprint_key *key;
  bool answers; /* an item's answer is being made; else each call stands for itself */
  size_t grown; /* bytes that placeholders have over what they stand for, so far */
} item;

/* Key of the registry: a userdata with the item. */
static const char item_key;

static item *get_item(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &item_key);
  item *self = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return self;
}

void ck_sandbox_set_fingerprint(lua_State *L, const ck_fingerprint_key *key) {
  *get_item(L) = (item){.key = key, .answers = true};
}

/* A text that is being masked. The result is in `out`, which takes the stack's top. */
typedef struct masking {
  luaL_Buffer out;
  item *item;
  ck_bytes text;
  size_t read;        /* up to here the text is written */
  ck_bytes protected; /* the first placeholder of the text that ends behind `read` */
} masking;

static void add_mask(masking *self, ck_bytes part) {
  char placeholder[CK_PLACEHOLDER_SIZE];
  ck_vm_charge(self->out.L, UNITS_PER_MASK + (int64_t)(part.len / BYTES_PER_UNIT));
  ck_placeholder_write(placeholder, self->item->key, "policy", part);
  luaL_addstring(&self->out, placeholder);
}

/* Searches on from the end of the placeholder before: the text is read once. */
static void find_protected(masking *self) {
  const char *end = self->text.data + self->text.len;
  while (self->protected.len > 0 &&
         self->protected.data + self->protected.len <= self->text.data + self->read) {
    const char *from = self->protected.data + self->protected.len;
    if (!ck_placeholder_find(&self->protected, NULL, (ck_bytes){from, (size_t)(end - from)}))
      self->protected.len = 0;
  }
}

/* Masks up to `end`, all but placeholders: what is masked stays as it is. */
static void mask_span(masking *self, size_t end) {
  while (self->read < end) {
    find_protected(self);
    size_t begin = end, close = end;
    if (self->protected.len > 0) {
      begin = (size_t)(self->protected.data - self->text.data);
      close = begin + self->protected.len;
    }
    if (begin > end) begin = end;
    if (close > end) close = end;
    if (begin > self->read)
      add_mask(self, (ck_bytes){self->text.data + self->read, begin - self->read});
    else
      begin = self->read;
    luaL_addlstring(&self->out, self->text.data + begin, close - begin);
    self->read = close;
  }
}

/* What is written is longer than what was read by more than an answer may grow. */
static bool is_outgrown(const masking *self) {
  size_t written = luaL_bufflen(&self->out);
  return written > self->read && written - self->read + self->item->grown > CK_SANDBOX_TEXT_MAX;
}

/* Arguments: text, pattern. Pushes the text masked: whole, where the placeholders would be too
 * much. */
static int mask_text(lua_State *L) {
  lua_settop(L, 2);
  ck_pattern_search in = ck_pattern_read(L);
  ck_pattern_match found;
  masking self = {.item = get_item(L), .text = {in.text, in.len}};
  bool moved = false, outgrown = false;
  if (in.empty)
    luaL_error(L, "ck.mask: the pattern '%s' can match the empty text, which has nothing to mask",
               lua_tostring(L, 2));
  if (!ck_placeholder_find(&self.protected, NULL, self.text)) self.protected.len = 0;
  luaL_buffinit(L, &self.out);
  while (!outgrown && ck_pattern_find(&found, L, &in, self.read, moved)) {
    luaL_addlstring(&self.out, in.text + self.read, found.begin[0] - self.read);
    self.read = found.begin[0];
    mask_span(&self, found.end[0]);
    moved = true;
    outgrown = is_outgrown(&self);
  }
  if (outgrown) {
    luaL_buffsub(&self.out, luaL_bufflen(&self.out));
    add_mask(&self, self.text);
  } else {
    size_t written = luaL_bufflen(&self.out);
    self.item->grown += written > self.read ? written - self.read : 0;
    luaL_addlstring(&self.out, in.text + self.read, in.len - self.read);
  }
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
  item *of = get_item(L);
  if (!of->answers) of->grown = 0;
  push_masked(L, 1, 0);
  return 1;
}

bool ck_sandbox_is_mask(lua_State *L, int index) { return lua_tocfunction(L, index) == mask; }

void ck_sandbox_push_mask(lua_State *L) {
  *(item *)lua_newuserdatauv(L, sizeof(item), 0) = (item){0};
  lua_rawsetp(L, LUA_REGISTRYINDEX, &item_key);
  lua_pushcfunction(L, mask);
}
