/* answer.c - reads answers of hooks: their shapes and words. */
#include "lua/policy/answer.h"

#include <lauxlib.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "lua/vm/json.h"
#include "lua/vm/names.h"
#include "lua/vm/sandbox.h"

enum { DOCUMENT_MAX = 4 << 20, SHOWN_MAX = 40, WORDS_SIZE = 128 };

const char *const ck_answer_failure_words[] = {"pause", "retry", "fail", "fallback", NULL};
const char *const ck_answer_doubt_words[] = {"stop", "rerun", "tell", NULL};
static const char *const checkpoint_keys[] = {"reason", "durability", NULL};
static const char *const durabilities[] = {"async", "sync", NULL};
static const char *const rule_words[] = {"continue", "reset", "refuse", NULL};
static const char *const rule_keys[] = {"budget",      "time",   "rounds", "tokens", "tool_calls",
                                        "model_calls", "refuse", "ask",    NULL};
static const size_t rule_offsets[] = {
    offsetof(ck_resume_rules, budget),     offsetof(ck_resume_rules, time),
    offsetof(ck_resume_rules, rounds),     offsetof(ck_resume_rules, tokens),
    offsetof(ck_resume_rules, tool_calls), offsetof(ck_resume_rules, model_calls)};
static const char *const plan_keys[] = {"drop", "keep", NULL};
static const char answer[] = "the answer";

static int find_word(const char *const *words, const char *word) {
  for (int i = 0; words[i]; i++) {
    if (strcmp(words[i], word) == 0) return i;
  }
  return -1;
}

/* A text is shown, anything else by its type. */
__attribute__((noreturn)) static void refuse(lua_State *L, int index, const char *field,
                                             const char *expected, const char *hint) {
  if (lua_type(L, index) != LUA_TSTRING) {
    ck_vm_raise_plain(L, CK_OK, "%s: %s expected, got a %s", field, expected,
                      ck_sandbox_type(L, index));
  }
  size_t len;
  const char *text = lua_tolstring(L, index, &len);
  ck_vm_raise_plain(L, CK_OK, "%s: %s expected, got '%.*s'%s%s", field, expected,
                    len > SHOWN_MAX ? SHOWN_MAX : (int)len, text, len > SHOWN_MAX ? "…" : "", hint);
}

/* "\"a\", \"b\" or \"c\"" */
static void list_words(char out[WORDS_SIZE], const char *const *words) {
  size_t at = 0;
  for (int i = 0; words[i] && at < WORDS_SIZE; i++) {
    const char *before = i == 0 ? "" : words[i + 1] ? ", " : " or ";
    at += (size_t)snprintf(out + at, WORDS_SIZE - at, "%s\"%s\"", before, words[i]);
  }
}

static bool has_only(lua_State *L, int index, const char *const *known) {
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING && find_word(known, lua_tostring(L, -1)) >= 0) continue;
    lua_pop(L, 1);
    return false;
  }
  return true;
}

/* Raises unless every key of the table at `index` is one of `known`; names the first one in
 * order. */
static void check_keys(lua_State *L, int index, const char *const *known) {
  if (has_only(L, index, known)) return;
  size_t count;
  char hint[CK_NAMES_HINT_SIZE];
  const ck_sandbox_key *keys = ck_sandbox_push_keys(&count, L, index);
  for (size_t i = 0; i < count; i++) {
    if (keys[i].type != LUA_TSTRING)
      ck_vm_raise_plain(L, CK_OK, "the answer has a key that is no name");
    if (find_word(known, keys[i].text) >= 0) continue;
    ck_names_hint(hint, keys[i].text, known);
    ck_vm_raise_plain(L, CK_OK, "the answer has an unknown key '%s'%s", keys[i].text, hint);
  }
}

/* A reason is shown in transcripts and on terminals: one short line of text. */
static const char *check_reason(lua_State *L, int index, const char *field, size_t *len) {
  if (lua_type(L, index) != LUA_TSTRING) refuse(L, index, field, "a text", "");
  const char *text = lua_tolstring(L, index, len);
  if (*len == 0 || *len > CK_ANSWER_REASON_MAX) {
    ck_vm_raise_plain(L, CK_OK, "%s: 1 to %d bytes expected, got %zu", field, CK_ANSWER_REASON_MAX,
                      *len);
  }
  for (size_t i = 0, step; i < *len; i += step) {
    step = ck_utf8_length(text + i, *len - i);
    if (step == 0)
      ck_vm_raise_plain(L, CK_OK, "%s: UTF-8 expected, got another byte at %zu", field, i + 1);
    uint32_t point = ck_utf8_point(text + i, step);
    if (point < 0x20 || (point >= 0x7F && point < 0xA0)) {
      ck_vm_raise_plain(L, CK_OK, "%s: plain text expected, got a control character at byte %zu",
                        field, i + 1);
    }
  }
  return text;
}

/* What a person is asked or told: any text but an empty one. Control characters are escaped, so
 * that nothing of it is hidden, and a long one ends with how much is left out. */
static void append_words(ck_buffer *out, lua_State *L, int index, const char *field) {
  if (lua_type(L, index) != LUA_TSTRING) refuse(L, index, field, "a text", "");
  size_t len, step;
  const char *text = lua_tolstring(L, index, &len);
  if (len == 0) ck_vm_raise_plain(L, CK_OK, "%s: a text that is not empty is expected", field);
  size_t begin = out->len;
  for (size_t i = 0; i < len; i += step) {
    step = ck_utf8_length(text + i, len - i);
    if (step == 0)
      ck_vm_raise_plain(L, CK_OK, "%s: UTF-8 expected, got another byte at %zu", field, i + 1);
    uint32_t point = ck_utf8_point(text + i, step);
    if (out->len - begin > CK_ANSWER_WORDS_MAX) {
      ck_buffer_append_format(out, "… (%zu more bytes)", len - i);
      return;
    }
    if (point == '\n')
      ck_buffer_append_text(out, "\\n");
    else if (point < 0x20 || (point >= 0x7F && point < 0xA0))
      ck_buffer_append_format(out, "\\u{%x}", (unsigned)point);
    else
      ck_buffer_append(out, text + i, step);
  }
}

/* ---- checkpoint ---- */

static void read_decision_table(ck_answer_checkpoint *out, lua_State *L, int index) {
  check_keys(L, index, checkpoint_keys);
  out->take = true;
  if (lua_getfield(L, index, "reason") != LUA_TNIL)
    out->reason = check_reason(L, -1, "reason", &out->reason_len);
  lua_pop(L, 1);
  lua_getfield(L, index, "durability");
  out->sync = ck_answer_read_word(L, -1, "durability", durabilities) == 1;
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
      out->reason = check_reason(L, index, answer, &out->reason_len);
      out->take = true;
      return;
    case LUA_TTABLE:
      read_decision_table(out, L, index);
      return;
    default:
      refuse(L, index, answer, "nil, true, a reason or a table", "");
  }
}

/* ---- words and truths ---- */

int ck_answer_read_word(lua_State *L, int index, const char *field, const char *const *words) {
  if (lua_isnil(L, index)) return -1;
  int found = lua_type(L, index) == LUA_TSTRING ? find_word(words, lua_tostring(L, index)) : -1;
  if (found >= 0) return found;
  char expected[WORDS_SIZE], hint[CK_NAMES_HINT_SIZE] = "";
  list_words(expected, words);
  if (lua_type(L, index) == LUA_TSTRING) ck_names_hint(hint, lua_tostring(L, index), words);
  refuse(L, index, field ? field : answer, expected, hint);
  return -1;
}

/* Counts for a wait: whole milliseconds, a day at most. */
static int64_t read_wait(lua_State *L, int index) {
  enum { WAIT_MAX_MS = 24 * 3600 * 1000 };
  int whole;
  lua_getfield(L, index, "wait_ms");
  lua_Integer wait = lua_tointegerx(L, -1, &whole);
  bool given = !lua_isnil(L, -1);
  bool number = lua_type(L, -1) == LUA_TNUMBER;
  if (given && (!number || !whole || wait < 0 || wait > WAIT_MAX_MS))
    ck_vm_raise_plain(L, CK_OK, "wait_ms: a whole number from 0 to %d expected", WAIT_MAX_MS);
  lua_pop(L, 1);
  return given ? wait : 0;
}

int ck_answer_read_failure(int64_t *wait_ms, lua_State *L, int index) {
  *wait_ms = 0;
  if (!lua_istable(L, index)) return ck_answer_read_word(L, index, NULL, ck_answer_failure_words);
  index = lua_absindex(L, index);
  if (lua_rawlen(L, index) != 1)
    ck_vm_raise_plain(L, CK_OK, "the answer: { \"retry\", wait_ms = … } expected, got a table");
  lua_rawgeti(L, index, 1);
  int word = ck_answer_read_word(L, -1, "the answer's word", ck_answer_failure_words);
  lua_pop(L, 1);
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    bool known = lua_isinteger(L, -2) ||
                 (lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "wait_ms") == 0);
    if (!known) ck_vm_raise_plain(L, CK_OK, "the answer: only wait_ms is known beside the word");
  }
  *wait_ms = read_wait(L, index);
  if (*wait_ms > 0 && word != CK_FAILURE_RETRY)
    ck_vm_raise_plain(L, CK_OK, "wait_ms: only a retry waits");
  return word;
}

bool ck_answer_read_truth(lua_State *L, int index, bool otherwise) {
  if (lua_isnil(L, index)) return otherwise;
  if (!lua_isboolean(L, index)) refuse(L, index, answer, "true or false", "");
  return lua_toboolean(L, index);
}

/* ---- resume ---- */

/* Appends the text of the member, if it is there. */
static bool take_words(ck_buffer *text, lua_State *L, int index, const char *name) {
  bool given = lua_getfield(L, index, name) != LUA_TNIL;
  if (given && text->len == 0) append_words(text, L, -1, name);
  lua_pop(L, 1);
  return given;
}

ck_leave_word ck_answer_read_rules(ck_resume_rules *out, ck_buffer *text, lua_State *L, int index) {
  static const ck_rule rules[] = {CK_RULE_CONTINUE, CK_RULE_RESET, CK_RULE_REFUSE};
  ck_buffer_reset(text);
  memset(out->said, 0, sizeof out->said);
  if (lua_isnil(L, index)) return CK_LEAVE_ALLOW;
  index = lua_absindex(L, index);
  if (!lua_istable(L, index))
    refuse(L, index, answer, "rules by dimension, ck.refuse or ck.ask", "");
  check_keys(L, index, rule_keys);
  bool refuses = take_words(text, L, index, "refuse"), asks = take_words(text, L, index, "ask");
  for (size_t i = 0; i < sizeof rule_offsets / sizeof rule_offsets[0]; i++) {
    ck_rule *rule = (ck_rule *)(void *)((char *)out + rule_offsets[i]);
    lua_getfield(L, index, rule_keys[i]);
    int word = ck_answer_read_word(L, -1, rule_keys[i], rule_words);
    if (word >= 0) out->said[i] = rules[word];
    if (word >= 0 && *rule != CK_RULE_REFUSE) *rule = rules[word];
    lua_pop(L, 1);
  }
  return refuses ? CK_LEAVE_DENY : asks ? CK_LEAVE_ASK : CK_LEAVE_ALLOW;
}

/* ---- prune ---- */

int ck_answer_compare_ids(const void *left, const void *right) {
  const ck_checkpoint_info *const *a = left, *const *b = right;
  return strcmp((*a)->id, (*b)->id);
}

/* The position in the history of the id at the top of the stack. */
static bool find_checkpoint(size_t *at, const ck_history *history,
                            const ck_checkpoint_info *const *by_id, lua_State *L) {
  size_t len;
  const char *id = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &len) : NULL;
  size_t low = 0, high = history->count;
  while (id && low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(id, by_id[middle]->id);
    *at = (size_t)(by_id[middle] - history->checkpoints);
    if (order == 0) return strlen(id) == len;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return false;
}

static void refuse_id(lua_State *L, const char *name, lua_Integer number) {
  char field[32];
  snprintf(field, sizeof field, "%s[%lld]", name, (long long)number);
  refuse(L, -1, field, "the id of a checkpoint of this history", "");
}

/* What one list of a plan sets. */
typedef struct plan_marks {
  bool *flags;
  uint64_t *by, bit; /* by: NULL: none */
} plan_marks;

static void mark(const plan_marks *self, size_t at) {
  self->flags[at] = true;
  if (self->by) self->by[at] |= self->bit;
}

/* True: it names some. */
static bool read_ids(const plan_marks *marks, const ck_history *history,
                     const ck_checkpoint_info *const *by_id, lua_State *L, const char *name) {
  if (lua_isnil(L, -1)) return false;
  if (!lua_istable(L, -1)) refuse(L, -1, name, "a list of ids", "");
  lua_Integer count = (lua_Integer)lua_rawlen(L, -1);
  ck_vm_charge(L, count);
  for (lua_Integer i = 1; i <= count; i++) {
    size_t at;
    lua_rawgeti(L, -1, i);
    if (!find_checkpoint(&at, history, by_id, L)) refuse_id(L, name, i);
    mark(marks, at);
    lua_pop(L, 1);
  }
  size_t keys = 0;
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) keys++;
  if (keys != (size_t)count)
    ck_vm_raise_plain(L, CK_OK, "%s: a list without names and gaps expected", name);
  return count > 0;
}

int ck_answer_read_plan(ck_prune_plan *out, const ck_plan_reading *of, lua_State *L, int index) {
  int said = 0;
  const ck_history *history = of->history;
  const ck_checkpoint_info *const *by_id = of->by_id;
  uint64_t bit = of->place < CK_ANSWERS_POLICIES ? UINT64_C(1) << of->place : 0;
  const plan_marks drop = {out->drop, out->dropped_by, bit}, keep = {out->keep, out->kept_by, bit};
  if (lua_isnil(L, index)) return 1 << CK_ANSWER_NO_OPINION;
  index = lua_absindex(L, index);
  if (!lua_istable(L, index))
    refuse(L, index, answer, "nil or { drop = {id, …}, keep = {id, …} }", "");
  check_keys(L, index, plan_keys);
  lua_getfield(L, index, "drop");
  if (read_ids(&drop, history, by_id, L, "drop")) said |= 1 << CK_ANSWER_DROP;
  lua_getfield(L, index, "keep");
  if (read_ids(&keep, history, by_id, L, "keep")) said |= 1 << CK_ANSWER_KEEP;
  lua_pop(L, 2);
  return said ? said : 1 << CK_ANSWER_NO_OPINION;
}

/* ---- redact, permit, migrate ---- */

/* What ck.ref made, or a table of that form where it cannot be a value with other texts. */
static bool is_reference(lua_State *L, int index, ck_bytes value) {
  if (ck_sandbox_is_ref(L, index)) return true;
  if (!lua_istable(L, index) || ck_json_get(value, "ref").len > 0) return false;
  bool is = lua_getfield(L, index, "ref") == LUA_TSTRING;
  lua_pop(L, 1);
  return is;
}

static void read_reference(ck_buffer *out, lua_State *L, int index) {
  static const char *const keys[] = {"ref", NULL};
  check_keys(L, index, keys);
  lua_getfield(L, index, "ref");
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  ck_sandbox_check_ref(L, text, len);
  ck_buffer_append(out, text, len);
  lua_pop(L, 1);
}

/* A verdict's name, taken for a text, would be written in the place of the item. */
static void check_no_verdict(lua_State *L, int index) {
  static const char *const names[] = {"drop", "mask", NULL};
  int found = lua_type(L, index) == LUA_TSTRING ? find_word(names, lua_tostring(L, index)) : -1;
  if (found >= 0)
    ck_vm_raise_plain(L, CK_OK, "the answer is the text \"%s\": ck.%s expected, without quotes",
                      names[found], names[found]);
}

ck_redact_verdict ck_answer_read_redaction(ck_buffer *out, lua_State *L, int index,
                                           ck_bytes value) {
  ck_buffer_reset(out);
  _Static_assert(CK_REDACT_DROP == 1 && CK_REDACT_MASK == 2,
                 "the numbers of ck_sandbox_is_verdict");
  int verdict;
  if (lua_isnil(L, index)) return CK_REDACT_LEAVE;
  if (ck_sandbox_is_verdict(&verdict, L, index)) return (ck_redact_verdict)verdict;
  index = lua_absindex(L, index);
  if (is_reference(L, index, value)) {
    read_reference(out, L, index);
    return CK_REDACT_REF;
  }
  if (!ck_answer_read_texts(out, L, index, value)) return CK_REDACT_LEAVE;
  check_no_verdict(L, index);
  return CK_REDACT_REPLACE;
}

ck_leave_word ck_answer_read_permit(ck_buffer *text, lua_State *L, int index) {
  static const char *const words[] = {"allow", NULL}, *const keys[] = {"deny", "ask", NULL};
  static const char expected[] = "nil, \"allow\", ck.deny \"why\" or ck.ask \"question\"";
  ck_buffer_reset(text);
  if (lua_isnil(L, index)) return CK_LEAVE_ALLOW;
  if (lua_type(L, index) == LUA_TSTRING && find_word(words, lua_tostring(L, index)) == 0) {
    ck_buffer_append_text(text, words[0]);
    return CK_LEAVE_ALLOW;
  }
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) refuse(L, index, answer, expected, "");
  check_keys(L, index, keys);
  bool denies = lua_getfield(L, index, "deny") != LUA_TNIL,
       asks = lua_getfield(L, index, "ask") != LUA_TNIL;
  if (denies == asks) refuse(L, index, answer, expected, "");
  append_words(text, L, denies ? -2 : -1, denies ? "deny" : "ask");
  lua_pop(L, 2);
  return denies ? CK_LEAVE_DENY : CK_LEAVE_ASK;
}

void ck_answer_read_document(ck_value **out, lua_State *L, int index) {
  if (lua_isnil(L, index)) return;
  if (!lua_istable(L, index)) refuse(L, index, answer, "nil or the document as a table", "");
  ck_json_read_lua(out, L, index, DOCUMENT_MAX);
}
