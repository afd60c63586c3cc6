/* answer.c - the shapes of answers, each with the words it may use. */
#include "lua/answer.h"

#include <lauxlib.h>
#include <stddef.h>
#include <string.h>

#include "core/base/utf8.h"
#include "lua/names.h"
#include "lua/sandbox.h"

static const char *const checkpoint_keys[] = {"reason", "durability", NULL};
static const char *const durabilities[] = {"async", "sync", NULL};
static const char *const rule_words[] = {"continue", "reset", "refuse", NULL};
static const char *const rule_keys[] = {"budget", "time", "rounds", "tokens", "tool_calls", "refuse", NULL};
static const size_t rule_offsets[] = {offsetof(ck_resume_rules, budget), offsetof(ck_resume_rules, time),
                                      offsetof(ck_resume_rules, rounds), offsetof(ck_resume_rules, tokens),
                                      offsetof(ck_resume_rules, tool_calls)};

static int find_word(const char *const *words, const char *word) {
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], word) == 0) return i;
  }
  return -1;
}

static void refuse_word(lua_State *L, const char *what, const char *word, const char *const *words) {
  char hint[CK_NAMES_HINT_SIZE];
  ck_names_hint(hint, word, words);
  ck_vm_raise_plain(L, CK_OK, "the answer has an unknown %s '%s'%s", what, word, hint);
}

/* Raises unless every key of the table at `index` is one of `known`. */
static void check_keys(lua_State *L, int index, const char *const *known) {
  size_t count;
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, index);
  for (size_t i = 0; i < count; i++) {
    if (keys[i].type != LUA_TSTRING) ck_vm_raise_plain(L, CK_OK, "the answer has a key that is no name");
    if (find_word(known, keys[i].text) < 0) refuse_word(L, "key", keys[i].text, known);
  }
  lua_pop(L, 1);
}

/* What ends in a transcript and on terminals is one short line of text. */
static const char *check_reason(lua_State *L, int index, size_t *len) {
  if (lua_type(L, index) != LUA_TSTRING) ck_vm_raise_plain(L, CK_OK, "the reason is a %s, not a text", ck_sandbox_type(L, index));
  const char *text = lua_tolstring(L, index, len);
  if (*len == 0 || *len > CK_ANSWER_REASON_MAX) {
    ck_vm_raise_plain(L, CK_OK, "the reason has %zu bytes, not 1 to %d", *len, CK_ANSWER_REASON_MAX);
  }
  for (size_t i = 0, step; i < *len; i += step) {
    step = ck_utf8_length(text + i, *len - i);
    if (step == 0) ck_vm_raise_plain(L, CK_OK, "the reason is not UTF-8");
    uint32_t point = ck_utf8_point(text + i, step);
    if (point < 0x20 || (point >= 0x7F && point < 0xA0)) ck_vm_raise_plain(L, CK_OK, "the reason has a control character");
  }
  return text;
}

static void read_decision_table(ck_answer_checkpoint *out, lua_State *L, int index) {
  check_keys(L, index, checkpoint_keys);
  out->take = true;
  if (lua_getfield(L, index, "reason") != LUA_TNIL) out->reason = check_reason(L, -1, &out->reason_len);
  lua_pop(L, 1);
  lua_getfield(L, index, "durability");
  out->sync = ck_answer_read_word(L, -1, durabilities) == 1;
  lua_pop(L, 1);
}

void ck_answer_read_checkpoint(ck_answer_checkpoint *out, lua_State *L, int index) {
  *out = (ck_answer_checkpoint){0};
  index = lua_absindex(L, index);
  switch (lua_type(L, index)) {
    case LUA_TNIL:
      return;
    case LUA_TBOOLEAN:
      out->take = lua_toboolean(L, index);
      return;
    case LUA_TSTRING:
      out->reason = check_reason(L, index, &out->reason_len);
      out->take = true;
      return;
    case LUA_TTABLE:
      read_decision_table(out, L, index);
      return;
    default:
      ck_vm_raise_plain(L, CK_OK, "the answer is a %s; nil, true, a reason or a table is expected", ck_sandbox_type(L, index));
  }
}

int ck_answer_read_word(lua_State *L, int index, const char *const *words) {
  if (lua_isnil(L, index)) return -1;
  if (lua_type(L, index) != LUA_TSTRING) {
    ck_vm_raise_plain(L, CK_OK, "the answer is a %s; a word such as \"%s\" is expected", ck_sandbox_type(L, index), words[0]);
  }
  const char *word = lua_tostring(L, index);
  int found = find_word(words, word);
  if (found < 0) refuse_word(L, "word", word, words);
  return found;
}

bool ck_answer_read_truth(lua_State *L, int index, bool otherwise) {
  if (lua_isnil(L, index)) return otherwise;
  if (!lua_isboolean(L, index)) {
    ck_vm_raise_plain(L, CK_OK, "the answer is a %s; true or false is expected", ck_sandbox_type(L, index));
  }
  return lua_toboolean(L, index);
}

static void read_refusal(ck_buffer *out, lua_State *L, int index) {
  size_t len;
  const char *text = check_reason(L, index, &len);
  ck_buffer_append(out, text, len);
}

void ck_answer_read_rules(ck_resume_rules *out, ck_buffer *refusal, lua_State *L, int index) {
  static const ck_rule rules[] = {CK_RULE_CONTINUE, CK_RULE_RESET, CK_RULE_REFUSE};
  ck_buffer_reset(refusal);
  if (lua_isnil(L, index)) return;
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) {
    ck_vm_raise_plain(L, CK_OK, "the answer is a %s; rules by dimension or ck.refuse are expected", ck_sandbox_type(L, index));
  }
  check_keys(L, index, rule_keys);
  if (lua_getfield(L, index, "refuse") != LUA_TNIL) read_refusal(refusal, L, -1);
  lua_pop(L, 1);
  for (size_t i = 0; i < sizeof rule_offsets / sizeof rule_offsets[0]; i++) {
    lua_getfield(L, index, rule_keys[i]);
    int word = ck_answer_read_word(L, -1, rule_words);
    if (word >= 0) *(ck_rule *)(void *)((char *)out + rule_offsets[i]) = rules[word];
    lua_pop(L, 1);
  }
}
