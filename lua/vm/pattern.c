/* pattern.c - compiles patterns of PCRE2, caches them, and matches.
 *
 * PCRE2's own limits count per start position, so a pattern that is quadratic would pass under
 * them. Here the matcher stops before each item of the pattern (automatic callouts) and charges the
 * budget for the distance since the last one. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "lua/vm/pattern.h"

#include <lauxlib.h>
#include <pcre2.h>
#include <stddef.h>
#include <string.h>

#include "core/base/utf8.h"

_Static_assert(PCRE2_UNSET == SIZE_MAX, "the offset of a group that took no part");

enum {
  PATTERN_MAX = 4096, /* bytes */
  CACHED_MAX = 64,    /* compiled patterns of a VM */
  HEAP_KIB = 2048,    /* for backtracking */
  UNITS_PER_ITEM = 2,
  BYTES_PER_UNIT = 16, /* that one item of a pattern steps over */
  OWED_MAX = 512       /* units before they are charged */
};

/* One per VM, made at its first pattern. */
typedef struct {
  lua_State *L; /* that matches now */
  int64_t owed;
  size_t at; /* offset at the last callout */
  pcre2_general_context *general;
  pcre2_match_context *context;
  pcre2_match_data *data;
} matcher;

typedef struct pattern {
  pcre2_code *code;
  uint32_t groups; /* with the whole match */
  uint32_t empty;  /* 1: it can match the empty text */
} pattern;

/* Keys of the registry. */
static const char matcher_key, cache_key, count_key;

/* ---- memory: the VM's own, so that it is counted ---- */

typedef union {
  size_t size;
  max_align_t align;
} block_head;

static void *allocate_block(size_t size, void *L) {
  void *ud;
  lua_Alloc allocate = lua_getallocf(L, &ud);
  block_head *head = allocate(ud, NULL, LUA_TUSERDATA, size + sizeof *head);
  if (!head) return NULL;
  head->size = size + sizeof *head;
  return head + 1;
}

static void free_block(void *block, void *L) {
  if (!block) return;
  void *ud;
  lua_Alloc allocate = lua_getallocf(L, &ud);
  block_head *head = (block_head *)block - 1;
  allocate(ud, head, head->size, 0);
}

static int matcher_gc(lua_State *L) {
  matcher *self = lua_touserdata(L, 1);
  pcre2_match_data_free(self->data);
  pcre2_match_context_free(self->context);
  pcre2_general_context_free(self->general);
  return 0;
}

static int pattern_gc(lua_State *L) {
  pcre2_code_free(((pattern *)lua_touserdata(L, 1))->code);
  return 0;
}

static void *push_owner(lua_State *L, size_t size, lua_CFunction on_gc) {
  void *self = lua_newuserdatauv(L, size, 0);
  memset(self, 0, size);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, on_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return self;
}

/* ---- charging the budget ---- */

static int charge(pcre2_callout_block *block, void *to) {
  matcher *self = to;
  size_t now = block->current_position;
  size_t distance = now > self->at ? now - self->at : self->at - now;
  self->at = now;
  self->owed += UNITS_PER_ITEM + (int64_t)(distance / BYTES_PER_UNIT);
  if (self->owed < OWED_MAX) return 0;
  int64_t units = self->owed;
  self->owed = 0;
  return ck_vm_try_charge(self->L, units) ? 0 : PCRE2_ERROR_CALLOUT;
}

static matcher *get_matcher(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &matcher_key) == LUA_TUSERDATA) {
    matcher *found = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return found;
  }
  lua_pop(L, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *main = lua_tothread(L, -1);
  lua_pop(L, 1);
  matcher *self = push_owner(L, sizeof *self, matcher_gc);
  self->general = pcre2_general_context_create(allocate_block, free_block, main);
  if (self->general) self->context = pcre2_match_context_create(self->general);
  if (self->context) self->data = pcre2_match_data_create(CK_PATTERN_GROUPS_MAX, self->general);
  if (!self->data) ck_vm_raise(L, CK_E_NO_MEMORY, "no memory for patterns");
  pcre2_set_callout(self->context, charge, self);
  pcre2_set_heap_limit(self->context, HEAP_KIB);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &matcher_key);
  return self;
}

/* ---- compiling ---- */

static void refuse_length(lua_State *L, const char *text, size_t len) {
  enum { SHOWN = 40 };
  lua_pushlstring(L, text, ck_utf8_cut(text, SHOWN));
  luaL_error(L,
             "the pattern '%s…' has %d bytes, more than %d: divide it, or give ck.mask a list of "
             "texts",
             lua_tostring(L, -1), (int)len, PATTERN_MAX);
}

static void compile(pattern *out, lua_State *L, const char *text, size_t len) {
  if (len > PATTERN_MAX) refuse_length(L, text, len);
  ck_vm_charge(L, 64 + 8 * (int64_t)len);
  pcre2_compile_context *context = pcre2_compile_context_create(get_matcher(L)->general);
  if (!context) ck_vm_raise(L, CK_E_NO_MEMORY, "no memory for a pattern");
  int code;
  size_t offset;
  out->code =
      pcre2_compile((PCRE2_SPTR)text, len, PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT,
                    &code, &offset, context);
  pcre2_compile_context_free(context);
  if (!out->code) {
    unsigned char reason[128];
    pcre2_get_error_message(code, reason, sizeof reason);
    luaL_error(L, "the pattern '%s' has an error at byte %d: %s", text, (int)offset + 1,
               (char *)reason);
  }
  pcre2_pattern_info(out->code, PCRE2_INFO_CAPTURECOUNT, &out->groups);
  pcre2_pattern_info(out->code, PCRE2_INFO_MATCHEMPTY, &out->empty);
  if (++out->groups > CK_PATTERN_GROUPS_MAX)
    luaL_error(L, "a pattern with %d groups, more than %d", (int)out->groups - 1,
               CK_PATTERN_GROUPS_MAX - 1);
}

/* Pushes the table of compiled patterns; an empty one when there is none, or it is full. */
static void push_cache(lua_State *L, bool full) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key) == LUA_TTABLE && !full) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
  lua_pushinteger(L, 0);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &count_key);
}

/* Pushes the compiled form of the text at `index`, and gives it. */
static const pattern *push_pattern(lua_State *L, int index) {
  size_t len;
  const char *text = luaL_checklstring(L, index, &len);
  push_cache(L, false);
  lua_pushvalue(L, index);
  if (lua_rawget(L, -2) == LUA_TUSERDATA) {
    lua_remove(L, -2);
    return lua_touserdata(L, -1);
  }
  lua_pop(L, 2);
  pattern *made = push_owner(L, sizeof *made, pattern_gc);
  compile(made, L, text, len);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &count_key);
  lua_Integer count = lua_tointeger(L, -1) + 1;
  lua_pop(L, 1);
  push_cache(L, count > CACHED_MAX);
  lua_pushvalue(L, index);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 1);
  lua_pushinteger(L, count > CACHED_MAX ? 1 : count);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &count_key);
  return made;
}

/* ---- matching ---- */

static void check_text(lua_State *L, const char *text, size_t len) {
  ck_vm_charge(L, 1 + (int64_t)(len / BYTES_PER_UNIT));
  for (size_t i = 0, step; i < len; i += step) {
    step = (unsigned char)text[i] < 0x80 ? 1 : ck_utf8_length(text + i, len - i);
    if (step == 0)
      luaL_error(L, "a text that is not UTF-8 (at byte %d) cannot be searched by a pattern",
                 (int)i + 1);
  }
}

ck_pattern_search ck_pattern_read(lua_State *L) {
  ck_pattern_search self;
  self.text = luaL_checklstring(L, 1, &self.len);
  check_text(L, self.text, self.len);
  const pattern *compiled = push_pattern(L, 2);
  self.code = compiled->code;
  self.groups = compiled->groups;
  self.empty = compiled->empty;
  return self;
}

ck_pattern_search ck_pattern_again(lua_State *L, int text, int compiled) {
  const pattern *of = lua_touserdata(L, compiled);
  ck_pattern_search self = {.code = of->code, .groups = of->groups, .empty = of->empty};
  self.text = lua_tolstring(L, text, &self.len);
  return self;
}

static int refuse_match(lua_State *L, int code) {
  if (code == PCRE2_ERROR_CALLOUT) ck_vm_charge(L, 1);
  if (code == PCRE2_ERROR_NOMEMORY) return ck_vm_raise(L, CK_E_NO_MEMORY, "no memory for a match");
  if (code == PCRE2_ERROR_HEAPLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
      code == PCRE2_ERROR_MATCHLIMIT) {
    return luaL_error(L, "the pattern goes back and forth too much on this text");
  }
  unsigned char reason[128];
  pcre2_get_error_message(code, reason, sizeof reason);
  return luaL_error(L, "the pattern cannot be matched: %s", (char *)reason);
}

bool ck_pattern_find(ck_pattern_match *out, lua_State *L, const ck_pattern_search *in, size_t from,
                     bool moved) {
  matcher *self = get_matcher(L);
  self->L = L;
  self->owed = 1;
  self->at = from;
  int code = pcre2_match(in->code, (PCRE2_SPTR)in->text, in->len, from,
                         PCRE2_NO_UTF_CHECK | (moved ? PCRE2_NOTEMPTY_ATSTART : 0), self->data,
                         self->context);
  if (code < 0 && code != PCRE2_ERROR_NOMATCH) refuse_match(L, code);
  const size_t *offsets = pcre2_get_ovector_pointer(self->data);
  size_t end = code > 0 ? offsets[1] : in->len;
  ck_vm_charge(L, self->owed + (int64_t)((end - from) / 64));
  if (code < 0) return false;
  for (uint32_t i = 0; i < in->groups; i++) {
    bool set = (int)i < code;
    out->begin[i] = set ? offsets[2 * i] : PCRE2_UNSET;
    out->end[i] = set ? offsets[2 * i + 1] : PCRE2_UNSET;
  }
  return true;
}
