/* sandbox_mask.c - ck.mask: the verdict that masks an item whole, and the function that masks what
 * a pattern matches in a text, or in all texts of a value, or the words of a list;
 * ck.mask_personal: the same for what tells who somebody is. */
#include <lauxlib.h>
#include <string.h>

#include "core/personal/personal.h"
#include "core/personal/word_list.h"
#include "lua/vm/json.h"
#include "lua/vm/json_texts.h"
#include "lua/vm/pattern.h"
#include "lua/vm/sandbox.h"

enum {
  MASK_DEPTH_MAX = 256,
  UNITS_PER_MASK = 8, /* of a fingerprint */
  BYTES_PER_UNIT = 16
};

/* What all calls of ck.mask for one item have in common. */
typedef struct item {
  ck_sandbox_item of;
  const void *list; /* of kinds that was read last: one that does not change */
  unsigned kinds;
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

void ck_sandbox_set_item(lua_State *L, const ck_sandbox_item *of) {
  item *self = get_item(L);
  self->of = *of;
  self->answers = true;
  self->grown = 0;
}

/* A text that is being masked. The result is in `out`, which takes the stack's top. */
typedef struct masking {
  luaL_Buffer out;
  item *item;
  ck_bytes text;
  const char *kind;   /* of the placeholders */
  size_t read;        /* up to here the text is written */
  ck_bytes protected; /* the first placeholder of the text that ends behind `read` */
} masking;

static void add_mask(masking *self, ck_bytes part) {
  char placeholder[CK_PLACEHOLDER_SIZE];
  ck_vm_charge(self->out.L, UNITS_PER_MASK + (int64_t)(part.len / BYTES_PER_UNIT));
  ck_placeholder_write(placeholder, self->item->of.key, self->kind, part);
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

/* ---- one text ---- */

/* The result takes the stack's top. */
static void begin_text(masking *self, lua_State *L, const char *text, size_t len) {
  *self = (masking){.item = get_item(L), .text = {text, len}, .kind = "policy"};
  if (!ck_placeholder_find(&self->protected, NULL, self->text)) self->protected.len = 0;
  luaL_buffinit(L, &self->out);
}

/* False when the placeholders would be too much. */
static bool mask_part(masking *self, size_t begin, size_t end) {
  if (begin > self->read)
    luaL_addlstring(&self->out, self->text.data + self->read, begin - self->read);
  if (begin > self->read) self->read = begin;
  mask_span(self, end);
  return !is_outgrown(self);
}

/* Pushes the text: masked whole where the placeholders would be too much. */
static int end_text(masking *self, bool outgrown) {
  if (outgrown) {
    luaL_buffsub(&self->out, luaL_bufflen(&self->out));
    add_mask(self, self->text);
  } else {
    size_t written = luaL_bufflen(&self->out);
    self->item->grown += written > self->read ? written - self->read : 0;
    luaL_addlstring(&self->out, self->text.data + self->read, self->text.len - self->read);
  }
  luaL_pushresult(&self->out);
  return 1;
}

/* Arguments: text, pattern. */
static int mask_pattern(lua_State *L) {
  lua_settop(L, 2);
  ck_pattern_search in = ck_pattern_read(L);
  ck_pattern_match found;
  masking self;
  bool moved = false, outgrown = false;
  if (in.empty)
    luaL_error(L, "ck.mask: the pattern '%s' can match the empty text, which has nothing to mask",
               lua_tostring(L, 2));
  begin_text(&self, L, in.text, in.len);
  while (!outgrown && ck_pattern_find(&found, L, &in, self.read, moved)) {
    outgrown = !mask_part(&self, found.begin[0], found.end[0]);
    moved = true;
  }
  return end_text(&self, outgrown);
}

/* Pushes the text at `index` without the words of the list, a light userdata. */
static void push_without_words(lua_State *L, int index) {
  ck_word_places found;
  ck_error failure = CK_ERROR_INIT;
  ck_bytes text;
  masking self;
  bool outgrown;
  text.data = lua_tolstring(L, index, &text.len);
  ck_vm_charge(L, 1 + (int64_t)(text.len / BYTES_PER_UNIT));
  ck_status status = ck_word_list_find(&found, lua_touserdata(L, 2), text, &failure);
  if (status == CK_E_NO_MEMORY) ck_vm_raise(L, status, "no memory for a list of words");
  if (status != CK_OK) luaL_error(L, "ck.mask: %s", failure.text);
  ck_vm_charge(L, (int64_t)(found.work / BYTES_PER_UNIT));
  if (found.count == 0) {
    lua_pushvalue(L, index);
    return;
  }
  begin_text(&self, L, text.data, text.len);
  outgrown = found.too_many;
  for (size_t i = 0; !outgrown && i < found.count; i++)
    outgrown = !mask_part(&self, found.list[i].begin, found.list[i].end);
  end_text(&self, outgrown);
}

/* Arguments: text, bits of kinds, the name of the member that it is the value of, or nil. */
static int mask_kinds(lua_State *L) {
  size_t len, label_len = 0, at = 0;
  const char *text = luaL_checklstring(L, 1, &len);
  const char *label = lua_type(L, 3) == LUA_TSTRING ? lua_tolstring(L, 3, &label_len) : "";
  unsigned kinds = (unsigned)lua_tointeger(L, 2);
  ck_personal_hit hit;
  masking self;
  bool outgrown = false;
  ck_vm_charge(L, 1 + (int64_t)(len / BYTES_PER_UNIT));
  begin_text(&self, L, text, len);
  while (!outgrown && ck_personal_next(&hit, &at, kinds, (ck_bytes){label, label_len}, self.text)) {
    self.kind = ck_personal_name(hit.kind);
    outgrown = !mask_part(&self, hit.start, hit.end);
  }
  self.kind = outgrown ? "policy" : self.kind;
  return end_text(&self, outgrown);
}

/* ---- all texts of a value ---- */

/* Pushes the value at `index`, which is no text and no table: a placeholder for a number that is
 * one of the kinds as a whole. */
static void push_masked_number(lua_State *L, int index, int name) {
  size_t len;
  lua_pushvalue(L, index);
  if (lua_type(L, 2) != LUA_TNUMBER || !lua_isinteger(L, index)) return;
  lua_pushcfunction(L, mask_kinds);
  ck_sandbox_push_text(L, index);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, name);
  lua_call(L, 3, 1);
  const char *text = lua_tolstring(L, -1, &len);
  lua_remove(L, ck_placeholder_is((ck_bytes){text, len}) ? -2 : -1);
}

/* Pushes the value at `index`, which has the name at `name`, with its texts masked: by a pattern, a
 * list of words or kinds, as argument 2 says. */
static void push_masked(lua_State *L, int index, int name, int depth) {
  luaL_checkstack(L, 8, "ck.mask");
  ck_vm_charge(L, 1);
  if (lua_type(L, index) == LUA_TSTRING && lua_type(L, 2) == LUA_TLIGHTUSERDATA) {
    push_without_words(L, index);
    return;
  }
  if (lua_type(L, index) == LUA_TSTRING) {
    lua_pushcfunction(L, lua_type(L, 2) == LUA_TSTRING ? mask_pattern : mask_kinds);
    lua_pushvalue(L, index);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, name);
    lua_call(L, 3, 1);
    return;
  }
  if (!ck_sandbox_push_table(L, index)) {
    push_masked_number(L, index, name);
    return;
  }
  if (depth == MASK_DEPTH_MAX) luaL_error(L, "ck.mask: a table that contains itself");
  int from = lua_gettop(L);
  bool array = ck_sandbox_is_array(L, from);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, from);) {
    push_masked(L, from + 3, lua_type(L, from + 2) == LUA_TSTRING ? from + 2 : name, depth + 1);
    lua_replace(L, from + 3);
    lua_pushvalue(L, from + 2);
    lua_insert(L, from + 3);
    lua_rawset(L, from + 1);
  }
  if (array) ck_sandbox_mark_array(L, from + 1);
  lua_remove(L, from);
}

static void begin_value(lua_State *L, item *of) {
  bool other = lua_type(L, 1) == LUA_TUSERDATA && !ck_sandbox_is_face(L, 1);
  if (lua_isnil(L, 1) || other)
    luaL_argerror(L, 1, "a text, a value with texts, or the item that is asked about, expected");
  if (!of->answers) of->grown = 0;
}

/* ---- the item itself ---- */

typedef struct looking {
  lua_State *L;
  ck_word_list *list; /* NULL: for kinds */
  unsigned kinds;
} looking;

static bool is_wanted(void *to, ck_bytes label, ck_bytes text, bool number) {
  const looking *self = to;
  ck_personal_hit hit;
  ck_word_places found;
  ck_error failure = CK_ERROR_INIT;
  size_t at = 0;
  ck_vm_charge(self->L, 1 + (int64_t)(text.len / BYTES_PER_UNIT));
  if (!self->list) return ck_personal_next(&hit, &at, self->kinds, label, text);
  if (number) return false;
  if (ck_word_list_find(&found, self->list, text, &failure) != CK_OK) return true;
  ck_vm_charge(self->L, (int64_t)(found.work / BYTES_PER_UNIT));
  return found.count > 0;
}

static ck_bytes last_part(const char *name) {
  const char *dot = name ? strrchr(name, '.') : NULL;
  return ck_bytes_text(dot ? dot + 1 : name);
}

/* Argument 1 is the item: its value takes its place, and what it is called that of argument 3 if
 * there is none. False: nothing in it is wanted, so that it is left as it is. */
static bool take_item(lua_State *L, item *self) {
  looking of = {.L = L};
  ck_bytes label = last_part(self->of.name);
  const ck_json_texts texts = {is_wanted, &of};
  if (lua_type(L, 2) == LUA_TLIGHTUSERDATA) of.list = lua_touserdata(L, 2);
  if (lua_type(L, 2) == LUA_TNUMBER) of.kinds = (unsigned)lua_tointeger(L, 2);
  bool pattern = lua_type(L, 2) == LUA_TSTRING;
  if (lua_gettop(L) > 2 && lua_type(L, 3) == LUA_TSTRING)
    label.data = lua_tolstring(L, 3, &label.len);
  if (self->of.value.len == 0) return false;
  if (!pattern && !ck_json_texts_any(&texts, L, self->of.value, label)) return false;
  lua_pushlstring(L, label.len ? label.data : "", label.len);
  lua_replace(L, 3);
  ck_json_push(L, self->of.value);
  lua_replace(L, 1);
  return true;
}

/* Arguments 1 to 3, the second as push_masked wants it. */
static int mask_argument(lua_State *L) {
  item *of = get_item(L);
  bool is_item =
      of->of.view && lua_type(L, 1) == LUA_TUSERDATA && lua_touserdata(L, 1) == of->of.view;
  if (is_item && !take_item(L, of)) {
    lua_pushnil(L);
    return 1;
  }
  begin_value(L, of);
  push_masked(L, 1, 3, 0);
  return 1;
}

/* mask(value, pattern), mask(value, list [, how]) */
static int mask(lua_State *L) {
  luaL_checkany(L, 1);
  lua_settop(L, 3);
  if (lua_type(L, 2) == LUA_TSTRING) {
    if (!lua_isnil(L, 3))
      luaL_argerror(L, 3, "words and case are said of a list; a pattern has (?i) and \\b");
  } else {
    lua_pushlightuserdata(L, ck_sandbox_read_words(L, 2, 3));
    lua_replace(L, 2);
  }
  lua_settop(L, 3);
  return mask_argument(L);
}

static unsigned read_kind(lua_State *L, int index) {
  size_t len = 0;
  const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &len) : NULL;
  ck_personal kind = name ? ck_personal_of((ck_bytes){name, len}) : 0;
#define X(enumerator, text, what) ", " text
  static const char names[] = CK_PERSONAL_TABLE(X);
#undef X
  if (!kind)
    luaL_error(L, "ck.mask_personal: there is no kind '%.40s': it is one of %s",
               name ? name : luaL_typename(L, index), names + 2);
  return kind;
}

/* Bits of the list at `index`; nil: all. */
static unsigned read_kinds(lua_State *L, int index) {
  unsigned kinds = 0;
  if (lua_isnil(L, index)) return CK_PERSONAL_ALL;
  if (!ck_sandbox_push_table(L, index))
    luaL_argerror(L, index, "a list of kinds such as { \"email\", \"card\" } expected");
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  for (lua_Integer i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);
    kinds |= read_kind(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return kinds;
}

/* One that does not change is read once. */
static unsigned take_kinds(lua_State *L) {
  item *self = get_item(L);
  const void *list = lua_type(L, 2) == LUA_TUSERDATA ? lua_touserdata(L, 2) : NULL;
  if (list && list == self->list) return self->kinds;
  unsigned kinds = read_kinds(L, 2);
  if (!ck_sandbox_is_lasting(L, 2)) return kinds;
  self->list = list;
  return self->kinds = kinds;
}

/* mask_personal(value, kinds, name) */
static int mask_personal(lua_State *L) {
  luaL_checkany(L, 1);
  luaL_optstring(L, 3, NULL);
  lua_settop(L, 3);
  unsigned kinds = take_kinds(L);
  lua_pushinteger(L, kinds);
  lua_replace(L, 2);
  return mask_argument(L);
}

bool ck_sandbox_is_mask(lua_State *L, int index) { return lua_tocfunction(L, index) == mask; }

void ck_sandbox_push_mask_personal(lua_State *L) { lua_pushcfunction(L, mask_personal); }

void ck_sandbox_push_mask(lua_State *L) {
  *(item *)lua_newuserdatauv(L, sizeof(item), 0) = (item){0};
  lua_rawsetp(L, LUA_REGISTRYINDEX, &item_key);
  lua_pushcfunction(L, mask);
}
