/* allowed.c - holds the values of options to what their policy allows. */
#include "lua/policy/allowed.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "lua/vm/names.h"
#include "lua/vm/sandbox.h"

enum { WORDS_MAX = 32, PLACE_SIZE = 160, LIST_SIZE = 512, VALUE_SIZE = 96 };

/* What one option may be. Texts are borrowed from the table of the policy. */
typedef struct rule {
  lua_State *L;
  const char *option;
  const char *words[WORDS_MAX + 1]; /* ends with NULL; empty: a number */
  size_t count;
  lua_Number least, most;
  bool has_most;
} rule;

static void refuse_rule(const rule *self) {
  ck_vm_raise_plain(self->L, CK_E_PARSE,
                    "allowed: '%s': a list of words, or { least } or { least, most } is expected",
                    self->option);
}

static void read_words(rule *self, int list) {
  lua_State *L = self->L;
  size_t count = lua_rawlen(L, list);
  if (count > WORDS_MAX) refuse_rule(self);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    if (lua_type(L, -1) != LUA_TSTRING) refuse_rule(self);
    self->words[self->count++] = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
}

/* The list at the top of the stack. */
static void read_rule(rule *self) {
  lua_State *L = self->L;
  int list = lua_gettop(L);
  size_t count = lua_istable(L, list) ? lua_rawlen(L, list) : 0;
  if (count == 0) refuse_rule(self);
  lua_rawgeti(L, list, 1);
  lua_rawgeti(L, list, 2);
  if (lua_type(L, -2) == LUA_TSTRING) {
    read_words(self, list);
  } else {
    self->has_most = count == 2;
    if (count > 2 || lua_type(L, -2) != LUA_TNUMBER ||
        (self->has_most && lua_type(L, -1) != LUA_TNUMBER))
      refuse_rule(self);
    self->least = lua_tonumber(L, -2);
    self->most = lua_tonumber(L, -1);
    if (self->has_most && self->least > self->most)
      ck_vm_raise_plain(L, CK_E_PARSE,
                        "allowed: '%s': { least, most } is expected, not { %.14g, %.14g }: the "
                        "first is greater than the second",
                        self->option, self->least, self->most);
  }
  lua_settop(L, list);
}

/* "env:*" stands for each text that begins with env:. */
static bool is_word(const char *text, const char *word) {
  size_t len = strlen(word);
  if (len > 0 && word[len - 1] == '*') return strncmp(text, word, len - 1) == 0;
  return strcmp(text, word) == 0;
}

static bool is_allowed(const rule *self, int index) {
  lua_State *L = self->L;
  if (self->count == 0)
    return lua_type(L, index) == LUA_TNUMBER && lua_tonumber(L, index) >= self->least &&
           (!self->has_most || lua_tonumber(L, index) <= self->most);
  if (lua_type(L, index) != LUA_TSTRING) return false;
  for (size_t i = 0; i < self->count; i++)
    if (is_word(lua_tostring(L, index), self->words[i])) return true;
  return false;
}

static void list_words(char *out, const rule *self) {
  size_t len = 0;
  *out = '\0';
  for (size_t i = 0; i < self->count && len < LIST_SIZE; i++) {
    const char *between = i == 0 ? "" : i + 1 == self->count ? " or " : ", ";
    len += (size_t)snprintf(out + len, LIST_SIZE - len, "%s\"%s\"", between, self->words[i]);
  }
}

static void describe(char out[LIST_SIZE], const rule *self) {
  if (self->count > 0)
    list_words(out, self);
  else if (self->has_most)
    snprintf(out, LIST_SIZE, "a number from %.14g to %.14g", self->least, self->most);
  else
    snprintf(out, LIST_SIZE, "a number from %.14g", self->least);
}

static void show_value(char out[VALUE_SIZE], lua_State *L, int index) {
  if (lua_type(L, index) == LUA_TSTRING)
    snprintf(out, VALUE_SIZE, "\"%.64s\"", lua_tostring(L, index));
  else if (lua_type(L, index) == LUA_TNUMBER)
    snprintf(out, VALUE_SIZE, "%.14g", lua_tonumber(L, index));
  else
    snprintf(out, VALUE_SIZE, "a %s", ck_sandbox_type(L, index));
}

/* `place`: of the value within the option, such as ", 'card'". */
static void check_value(const rule *self, int index, const char *place) {
  char allowed[LIST_SIZE], value[VALUE_SIZE], hint[CK_NAMES_HINT_SIZE] = "";
  if (is_allowed(self, index)) return;
  describe(allowed, self);
  show_value(value, self->L, index);
  if (self->count > 0 && lua_type(self->L, index) == LUA_TSTRING)
    ck_names_hint(hint, lua_tostring(self->L, index), self->words);
  ck_vm_raise_plain(self->L, CK_E_PARSE, "option '%s'%s: %s is expected, not %s%s", self->option,
                    place, allowed, value, hint);
}

/* The value on top of the stack, or each value in it. */
static void check_option(const rule *self) {
  lua_State *L = self->L;
  int value = lua_gettop(L);
  if (!lua_istable(L, value)) {
    check_value(self, value, "");
    return;
  }
  for (lua_pushnil(L); lua_next(L, value); lua_pop(L, 1)) {
    char place[PLACE_SIZE];
    if (lua_type(L, -2) == LUA_TSTRING)
      snprintf(place, sizeof place, ", '%.100s'", lua_tostring(L, -2));
    else
      snprintf(place, sizeof place, ", element %lld", (long long)lua_tointeger(L, -2));
    check_value(self, lua_gettop(L), place);
  }
}

/* Stack: … the name of an option, what it may be. */
static void check_one(lua_State *L, int options) {
  rule self = {.L = L, .option = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?"};
  read_rule(&self);
  lua_pushvalue(L, -2);
  lua_rawget(L, options);
  if (lua_isnil(L, -1))
    ck_vm_raise_plain(L, CK_E_PARSE, "allowed: there is no option '%s'", self.option);
  check_option(&self);
  lua_pop(L, 1);
}

void ck_allowed_check(lua_State *L, int table, int options) {
  int type = lua_getfield(L, table, "allowed");
  if (type != LUA_TNIL && type != LUA_TTABLE)
    ck_vm_raise_plain(L, CK_E_PARSE, "allowed: what options may be by their names is expected");
  if (type == LUA_TTABLE)
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) check_one(L, options);
  lua_pop(L, 1);
}

void ck_allowed_call(lua_State *L, int table) {
  int type = lua_getfield(L, table, "check");
  if (type == LUA_TFUNCTION) {
    lua_pushvalue(L, -2);
    lua_call(L, 1, 1);
    type = lua_type(L, -1);
    if (type == LUA_TSTRING) ck_vm_raise_plain(L, CK_E_PARSE, "%s", lua_tostring(L, -1));
    if (type != LUA_TNIL)
      ck_vm_raise_plain(L, CK_E_PARSE, "check: a text that says what is wrong, or nil is expected");
  } else if (type != LUA_TNIL) {
    ck_vm_raise_plain(L, CK_E_PARSE, "check: a function is expected, not a %s",
                      ck_sandbox_type(L, -1));
  }
  lua_pop(L, 1);
}
