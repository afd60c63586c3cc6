/* acted_on.c - whether something was done on a model's answer. */
#include "core/runtime/ledger/acted_on.h"

#include <string.h>

#include "core/runtime/ledger/ledger_body.h"

/* The parts of the key SCOPE[@TAG]/PATH/model/N. */
typedef struct turn {
  const char *scope, *tag, *path; /* `tag` begins with '@', or is empty */
  size_t scope_len, tag_len, path_len;
} turn;

static bool read_turn(turn *out, const char *key) {
  const char *slash = strchr(key, '/'), *kind = NULL;
  for (const char *at = strstr(key, "/model/"); at; at = strstr(at + 1, "/model/")) kind = at;
  if (!slash || !kind || kind <= slash) return false;
  const char *at = memchr(key, '@', (size_t)(slash - key));
  const char *tag = at ? at : slash;
  *out = (turn){.scope = key,
                .scope_len = (size_t)(tag - key),
                .tag = tag,
                .tag_len = (size_t)(slash - tag),
                .path = slash + 1,
                .path_len = (size_t)(kind - slash) - 1};
  return true;
}

/* An effect in the same turn of the same scope. */
static bool is_beside(const turn *self, const char *key) {
  size_t len = self->scope_len + self->tag_len + 1 + self->path_len;
  return strncmp(key, self->scope, len) == 0 && key[len] == '/';
}

/* In a scope below, which was forked in this turn: the last part of its tag but those of the scope
 * itself is the turn's path. */
static bool is_below(const turn *self, const char *key) {
  const char *slash = strchr(key, '/'), *tag = strchr(key, '@');
  if (!slash || !tag || tag > slash || strncmp(key, self->scope, self->scope_len) != 0 ||
      key[self->scope_len] != '.')
    return false;
  size_t len = (size_t)(slash - tag);
  if (len <= self->tag_len || strncmp(slash - self->tag_len, self->tag, self->tag_len) != 0)
    return false;
  const char *end = slash - self->tag_len, *begin = end;
  while (begin[-1] != '@') begin--;
  size_t own = (size_t)(end - begin);
  return own >= self->path_len && strncmp(begin, self->path, self->path_len) == 0 &&
         (own == self->path_len || begin[self->path_len] == '.');
}

static bool was_begun(const ck_ledger_entry *entry, int64_t since) {
  if (ck_effect_class_repeats(entry->class) || entry->intent_seq <= since) return false;
  ck_ledger_state state = entry->open      ? CK_LEDGER_OPEN
                          : entry->outcome ? ck_ledger_read_state(ck_value_bytes(entry->outcome))
                                           : CK_LEDGER_NOTHING;
  return state == CK_LEDGER_OPEN || state == CK_LEDGER_OK || state == CK_LEDGER_UNKNOWN;
}

/* In the form of either provider, OpenAI's or Anthropic's. */
static bool has_calls(ck_bytes message) {
  ck_bytes calls = ck_json_get(message, "tool_calls"), content = ck_json_get(message, "content");
  if (ck_json_type_of(calls) == CK_JSON_ARRAY && ck_json_count(calls) > 0) return true;
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return false;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
    if (ck_json_is_text(ck_json_get(it.value, "type"), "tool_use")) return true;
  return false;
}

bool ck_ledger_was_acted_on(const ck_ledger *self, const ck_ledger_entry *answer) {
  turn at;
  if (!has_calls(ck_json_get(ck_value_bytes(answer->outcome), "message")) ||
      !read_turn(&at, answer->key))
    return false;
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(self, i)) != NULL; i++)
    if ((is_beside(&at, entry->key) || is_below(&at, entry->key)) &&
        was_begun(entry, answer->outcome_seq))
      return true;
  return false;
}
