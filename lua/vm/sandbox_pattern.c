/* sandbox_pattern.c - ck.find, match, gmatch and gsub: patterns of PCRE2 over UTF-8, paid for step
 * by step.
 *
 * PCRE2's own limits count per start position, so a pattern that is quadratic would pass under
 * them. Here it stops before each item of the pattern (automatic callouts) and pays for the way it
 * came since the last one. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <lauxlib.h>
#include <pcre2.h>
#include <string.h>

#include "core/base/utf8.h"
#include "lua/vm/sandbox.h"

enum {
  PATTERN_MAX = 4096, /* bytes */
  CACHED_MAX = 64,    /* compiled patterns of a VM */
  GROUPS_MAX = 32,    /* the whole match is one */
  HEAP_KIB = 2048,    /* for backtracking */
  UNITS_PER_ITEM = 2,
  BYTES_PER_UNIT = 16, /* that one item of a pattern steps over */
  OWED_MAX = 512       /* units before they are paid */
};

/* One per VM, made at its first pattern. */
typedef struct {
  lua_State *L; /* that matches now */
  int64_t owed;
  size_t at; /* where the match was last seen */
  pcre2_general_context *general;
  pcre2_match_context *context;
  pcre2_match_data *data;
} matcher;

typedef struct {
  pcre2_code *code;
  uint32_t groups; /* with the whole match */
} pattern;

/* Copied out of the matcher, which a function called in between may use. */
typedef struct {
  size_t begin[GROUPS_MAX], end[GROUPS_MAX]; /* PCRE2_UNSET: the group took no part */
} match;

typedef struct {
  const pattern *of;
  const char *text;
  size_t len;
} search;

/* Keys of the registry. */
static const char matcher_key, cache_key, count_key;

/* ---- memory: the VM's own, so that it is counted ---- */

typedef union {
  size_t size;
  max_align_t align;
} block_head;

static void *take_block(size_t size, void *L) {
  void *ud;
  lua_Alloc allocate = lua_getallocf(L, &ud);
  block_head *head = allocate(ud, NULL, LUA_TUSERDATA, size + sizeof *head);
  if (!head) return NULL;
  head->size = size + sizeof *head;
  return head + 1;
}

static void give_block(void *block, void *L) {
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

/* ---- paying ---- */

static int pay(pcre2_callout_block *block, void *to) {
  matcher *self = to;
  size_t now = block->current_position;
  size_t way = now > self->at ? now - self->at : self->at - now;
  self->at = now;
  self->owed += UNITS_PER_ITEM + (int64_t)(way / BYTES_PER_UNIT);
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
  self->general = pcre2_general_context_create(take_block, give_block, main);
  if (self->general) self->context = pcre2_match_context_create(self->general);
  if (self->context) self->data = pcre2_match_data_create(GROUPS_MAX, self->general);
  if (!self->data) ck_vm_raise(L, CK_E_NO_MEMORY, "no memory for patterns");
  pcre2_set_callout(self->context, pay, self);
  pcre2_set_heap_limit(self->context, HEAP_KIB);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &matcher_key);
  return self;
}

/* ---- compiling ---- */

static void compile(pattern *out, lua_State *L, const char *text, size_t len) {
  if (len > PATTERN_MAX)
    luaL_error(L, "a pattern of %d bytes, more than %d", (int)len, PATTERN_MAX);
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
  if (++out->groups > GROUPS_MAX)
    luaL_error(L, "a pattern with %d groups, more than %d", (int)out->groups - 1, GROUPS_MAX - 1);
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

/* Reads text and pattern, arguments 1 and 2; pushes the compiled pattern. */
static search read_search(lua_State *L) {
  search self;
  self.text = luaL_checklstring(L, 1, &self.len);
  check_text(L, self.text, self.len);
  self.of = push_pattern(L, 2);
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

/* The first match at or behind `from`; `moved`: not an empty one at `from` itself. */
static bool find_match(match *out, lua_State *L, const search *in, size_t from, bool moved) {
  matcher *self = get_matcher(L);
  self->L = L;
  self->owed = 1;
  self->at = from;
  int code = pcre2_match(in->of->code, (PCRE2_SPTR)in->text, in->len, from,
                         PCRE2_NO_UTF_CHECK | (moved ? PCRE2_NOTEMPTY_ATSTART : 0), self->data,
                         self->context);
  if (code < 0 && code != PCRE2_ERROR_NOMATCH) refuse_match(L, code);
  const size_t *places = pcre2_get_ovector_pointer(self->data);
  size_t end = code > 0 ? places[1] : in->len;
  ck_vm_charge(L, self->owed + (int64_t)((end - from) / 64));
  if (code < 0) return false;
  for (uint32_t i = 0; i < in->of->groups; i++) {
    bool set = (int)i < code;
    out->begin[i] = set ? places[2 * i] : PCRE2_UNSET;
    out->end[i] = set ? places[2 * i + 1] : PCRE2_UNSET;
  }
  return true;
}

static void push_group(lua_State *L, const search *in, const match *found, uint32_t group) {
  if (found->begin[group] == PCRE2_UNSET)
    lua_pushnil(L);
  else
    lua_pushlstring(L, in->text + found->begin[group], found->end[group] - found->begin[group]);
}

/* The groups, or the whole match when there are none. */
static int push_groups(lua_State *L, const search *in, const match *found) {
  uint32_t first = in->of->groups > 1 ? 1 : 0;
  luaL_checkstack(L, GROUPS_MAX + 4, NULL);
  for (uint32_t i = first; i < in->of->groups; i++) push_group(L, in, found, i);
  return (int)(in->of->groups - first);
}

static bool find_from(match *out, lua_State *L, search *in) {
  lua_Integer init = luaL_optinteger(L, 3, 1);
  lua_settop(L, 2);
  *in = read_search(L);
  if (init > (lua_Integer)in->len + 1) return false;
  size_t from = ck_sandbox_offset(init, in->len);
  if (from < in->len && ((unsigned char)in->text[from] & 0xC0) == 0x80)
    luaL_error(L, "byte %d is inside a character", (int)from + 1);
  return find_match(out, L, in, from, false);
}

static int pattern_find(lua_State *L) {
  search in;
  match found;
  if (!find_from(&found, L, &in)) {
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)found.begin[0] + 1);
  lua_pushinteger(L, (lua_Integer)found.end[0]);
  return in.of->groups > 1 ? 2 + push_groups(L, &in, &found) : 2;
}

static int pattern_match(lua_State *L) {
  search in;
  match found;
  if (find_from(&found, L, &in)) return push_groups(L, &in, &found);
  lua_pushnil(L);
  return 1;
}

/* Upvalues: text, pattern, where to go on (-1: at the end), where the last match ended (-1:
 * none). */
static int next_match(lua_State *L) {
  search in = {.of = lua_touserdata(L, lua_upvalueindex(2))};
  match found;
  in.text = lua_tolstring(L, lua_upvalueindex(1), &in.len);
  lua_Integer from = lua_tointeger(L, lua_upvalueindex(3));
  bool begun = lua_toboolean(L, lua_upvalueindex(4));
  if (from < 0 || !find_match(&found, L, &in, (size_t)from, begun)) {
    lua_pushinteger(L, -1);
    lua_replace(L, lua_upvalueindex(3));
    lua_pushnil(L);
    return 1;
  }
  lua_pushinteger(L, (lua_Integer)found.end[0]);
  lua_replace(L, lua_upvalueindex(3));
  lua_pushboolean(L, true);
  lua_replace(L, lua_upvalueindex(4));
  return push_groups(L, &in, &found);
}

static int pattern_gmatch(lua_State *L) {
  lua_settop(L, 2);
  read_search(L);
  lua_replace(L, 2);
  lua_pushinteger(L, 0);
  lua_pushboolean(L, false);
  lua_pushcclosure(L, next_match, 4);
  return 1;
}

/* ---- replacing ---- */

/* "$1" and "${10}" stand for groups, "$0" for the match, "$$" for a dollar. Gives the group, -1 for
 * a dollar; moves *at on. */
static int read_group(lua_State *L, const char **at, const char *end, uint32_t groups) {
  const char *p = *at;
  int number = 0;
  bool braced = p < end && *p == '{';
  if (p < end && *p == '$') {
    *at = p + 1;
    return -1;
  }
  const char *digits = p += braced;
  while (p < end && *p >= '0' && *p <= '9' && p - digits < (braced ? 2 : 1))
    number = number * 10 + (*p++ - '0');
  bool closed = !braced || (p < end && *p++ == '}');
  if (p == digits || !closed)
    luaL_error(L, "in a replacement, $ is followed by a group's number, {number} or $");
  if ((uint32_t)number >= groups)
    luaL_error(L, "in a replacement, $%d: the pattern has %d groups", number, (int)groups - 1);
  *at = p;
  return number;
}

static void add_text(luaL_Buffer *out, lua_State *L, const search *in, const match *found) {
  size_t len;
  const char *at = lua_tolstring(L, 3, &len);
  for (const char *end = at + len; at < end;) {
    if (*at != '$') {
      luaL_addchar(out, *at++);
      continue;
    }
    at++;
    int group = read_group(L, &at, end, in->of->groups);
    if (group < 0)
      luaL_addchar(out, '$');
    else if (found->begin[group] != PCRE2_UNSET)
      luaL_addlstring(out, in->text + found->begin[group], found->end[group] - found->begin[group]);
  }
}

/* Adds what a table has under the first group, or a function answers; false and nil keep the text
 * as it is. */
static void add_value(luaL_Buffer *out, lua_State *L, const search *in, const match *found) {
  if (lua_isfunction(L, 3)) {
    lua_pushvalue(L, 3);
    lua_call(L, push_groups(L, in, found), 1);
  } else {
    if (!ck_sandbox_push_table(L, 3)) luaL_typeerror(L, 3, "string, table or function");
    push_group(L, in, found, in->of->groups > 1 ? 1 : 0);
    if (!lua_isnil(L, -1)) lua_rawget(L, -2);
    lua_remove(L, -2);
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(out, in->text + found->begin[0], found->end[0] - found->begin[0]);
    return;
  }
  if (!lua_isstring(L, -1))
    luaL_error(L, "ck.gsub: a replacement is a %s, not a text", ck_sandbox_type(L, -1));
  luaL_addvalue(out);
}

/* gsub(text, pattern, replacement [, most]) */
static int pattern_gsub(lua_State *L) {
  lua_Integer most = luaL_optinteger(L, 4, LUA_MAXINTEGER), count = 0;
  luaL_checkany(L, 3);
  lua_settop(L, 3);
  search in = read_search(L);
  match found;
  size_t copied = 0, from = 0;
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  while (count < most && find_match(&found, L, &in, from, count > 0)) {
    luaL_addlstring(&out, in.text + copied, found.begin[0] - copied);
    if (lua_type(L, 3) == LUA_TSTRING)
      add_text(&out, L, &in, &found);
    else
      add_value(&out, L, &in, &found);
    copied = from = found.end[0];
    count++;
    if (luaL_bufflen(&out) > CK_SANDBOX_TEXT_MAX) break;
  }
  luaL_addlstring(&out, in.text + copied, in.len - copied);
  if (luaL_bufflen(&out) > CK_SANDBOX_TEXT_MAX)
    return luaL_error(L, "ck.gsub: the result is longer than %d bytes", CK_SANDBOX_TEXT_MAX);
  luaL_pushresult(&out);
  lua_pushinteger(L, count);
  return 2;
}

static const luaL_Reg pattern_functions[] = {{"find", pattern_find},
                                             {"gmatch", pattern_gmatch},
                                             {"gsub", pattern_gsub},
                                             {"match", pattern_match},
                                             {NULL, NULL}};

void ck_sandbox_add_patterns(lua_State *L) { luaL_setfuncs(L, pattern_functions, 0); }
