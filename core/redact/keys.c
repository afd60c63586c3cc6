/* keys.c - splits names into words and compares their ends with the table. */
#include "core/redact/keys.h"
#include "core/redact/words_table.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 128, WORDS_SIZE = 2 * NAME_MAX_BYTES + 4, ENDING_MAX = 6 };

#define COUNT_ROW(words, kind, flags) +1
enum { BUILT_IN = 0 CK_KEY_TABLE(COUNT_ROW) };

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80; }
static char to_lower(char c) { return is_upper(c) ? (char)(c | 0x20) : c; }

/* Whether a word begins at `at`: after a character that is no letter, at a capital after a small
 * letter, at the last capital of a run. */
static bool begins_word(ck_bytes name, size_t at) {
  char c = name.data[at], before = at > 0 ? name.data[at - 1] : ' ',
       after = at + 1 < name.len ? name.data[at + 1] : ' ';
  if (!is_upper(before) && !is_lower(before)) return true;
  return is_upper(c) && (is_lower(before) || is_lower(after));
}

/* Writes " my api key" for myAPIKey2: lower case, a space before each word, without digits and
 * signs. */
static ck_bytes split(char out[WORDS_SIZE], ck_bytes name) {
  size_t len = 0;
  if (name.len > NAME_MAX_BYTES)
    name = (ck_bytes){name.data + name.len - NAME_MAX_BYTES, NAME_MAX_BYTES};
  for (size_t i = 0; i < name.len; i++) {
    char c = name.data[i];
    if (!is_upper(c) && !is_lower(c)) continue;
    if (begins_word(name, i)) out[len++] = ' ';
    out[len++] = to_lower(c);
  }
  return (ck_bytes){out, len};
}

static bool ends_with(ck_bytes words, const char *end, size_t len, bool joined) {
  if (words.len < len || memcmp(words.data + words.len - len, end, len) != 0) return false;
  return joined || (words.len > len && words.data[words.len - len - 1] == ' ');
}

static ck_bytes last_word(ck_bytes words) {
  size_t at = words.len;
  while (at > 0 && words.data[at - 1] != ' ') at--;
  return (ck_bytes){words.data + at, words.len - at};
}

static bool is_one_of(ck_bytes word, const char *const *list) {
  for (; *list; list++)
    if (ck_bytes_equal(word, ck_bytes_text(*list))) return true;
  return false;
}

#define LIST(word) word,
static const char *const qualifiers[] = {CK_KEY_QUALIFIERS(LIST) NULL};
static const char *const actions[] = {CK_KEY_ACTIONS(LIST) NULL};
static const char *const ids[] = {CK_KEY_IDS(LIST) NULL};
static const char *const skeleton[] = {CK_KEY_SKELETON(LIST) NULL};

static ck_bytes without_qualifiers(ck_bytes words) {
  for (;;) {
    ck_bytes last = last_word(words);
    if (words.len <= last.len + 1 || !is_one_of(last, qualifiers)) return words;
    words.len -= last.len + 1;
  }
}

static unsigned hash_letter(unsigned hash, char c) { return hash * 33 + (unsigned char)c; }
static unsigned spread(unsigned hash) { return (hash * 0x9e3779b1u) >> 16; }

/* A hash of the last letters of the last word, read backward. */
static unsigned hash_ending(ck_bytes words) {
  unsigned hash = 0;
  for (size_t i = words.len, n = 0; i > 0 && n < ENDING_MAX && words.data[i - 1] != ' '; i--, n++)
    hash = hash_letter(hash, words.data[i - 1]);
  return spread(hash);
}

static void mark(uint64_t *endings, const char *words) {
  unsigned hash = hash_ending(ck_bytes_text(words));
  endings[hash >> 6] |= 1ull << (hash & 63);
}

static void fill_table(ck_key_rule *rules) {
  static const ck_key_rule table[] = {
#define ROW(words, kind, flags) {words, kind, flags, sizeof words - 1, 0},
      CK_KEY_TABLE(ROW)
#undef ROW
  };
  memcpy(rules, table, sizeof table);
}

/* Splits the extra names into words, each name ended by a NUL, in one allocation. */
static ck_status split_names(char **out, ck_key_rule *rules, const char *const *names,
                             ck_error *err) {
  ck_buffer words = {0};
  char name[WORDS_SIZE];
  for (const char *const *n = names; n && *n; n++) {
    ck_bytes split_name = split(name, ck_bytes_text(*n));
    if (split_name.len > 0) ck_buffer_append(&words, split_name.data + 1, split_name.len - 1);
    ck_buffer_append_char(&words, '\0');
  }
  ck_status status = ck_buffer_check(&words, err);
  *out = ck_buffer_take(&words);
  const char *at = *out;
  for (const char *const *n = names; status == CK_OK && n && *n; n++, at += strlen(at) + 1)
    *rules++ =
        (ck_key_rule){.words = at, .kind = "excluded", .flags = CK_KEY_EXCLUDED, .len = strlen(at)};
  return status;
}

static void link_rules(ck_keys *self) {
  memset(self->chains, 0, sizeof self->chains);
  for (size_t i = self->count; i-- > 0;) {
    ck_key_rule *rule = &self->rules[i];
    if (rule->len == 0) continue;
    uint32_t *chain = &self->chains[hash_ending(ck_bytes_text(rule->words)) % CK_KEY_CHAINS];
    rule->next = *chain;
    *chain = (uint32_t)i + 1;
    mark(self->endings, rule->words);
  }
  for (size_t i = 0; qualifiers[i]; i++) mark(self->endings, qualifiers[i]);
}

/* `first`: the number of rows of the table that come before the names: all, or none. */
static ck_status init(ck_keys *self, size_t first, const char *const *names, ck_error *err) {
  ck_keys made = {.count = first};
  for (const char *const *n = names; n && *n; n++) made.count++;
  made.rules = calloc(made.count + 1, sizeof *made.rules);
  made.endings = calloc(CK_KEY_BITS / 64, sizeof *made.endings);
  ck_status status = made.rules && made.endings ? CK_OK : ck_error_no_memory(err);
  if (status == CK_OK && first) fill_table(made.rules);
  if (status == CK_OK) status = split_names(&made.extra, made.rules + first, names, err);
  if (status != CK_OK) {
    ck_keys_clear(&made);
    return status;
  }
  link_rules(&made);
  ck_keys_clear(self);
  *self = made;
  return CK_OK;
}

ck_status ck_keys_init(ck_keys *self, const char *const *names, ck_error *err) {
  return init(self, BUILT_IN, names, err);
}

ck_status ck_keys_init_only(ck_keys *self, const char *const *names, ck_error *err) {
  ck_status status = init(self, 0, names, err);
  for (size_t i = 0; status == CK_OK && i < self->count; i++) {
    self->rules[i].flags = CK_KEY_ANY;
    self->rules[i].kind = "scrubbed";
  }
  return status;
}

void ck_keys_clear(ck_keys *self) {
  free(self->rules);
  free(self->endings);
  free(self->extra);
  *self = (ck_keys){0};
}

static bool holds(const ck_key_rule *rule, ck_bytes words) {
  if (!ends_with(words, rule->words, rule->len, (rule->flags & CK_KEY_JOINED) != 0)) return false;
  if (rule->flags & CK_KEY_WHOLE) return words.len == rule->len + 1;
  size_t front = words.len - rule->len;
  while (front > 0 && words.data[front - 1] != ' ') front--; /* back to the beginning of the word */
  if (front < 2) return true;
  return !is_one_of(last_word((ck_bytes){words.data, front - 1}), actions);
}

/* Of several matching rules one of the profile, else the longest, whose kind is the most
 * specific. */
static const ck_key_rule *find_words(const ck_keys *self, ck_bytes words) {
  const ck_key_rule *best = NULL;
  for (uint32_t i = self->chains[hash_ending(words) % CK_KEY_CHAINS]; i > 0;
       i = self->rules[i - 1].next) {
    const ck_key_rule *rule = &self->rules[i - 1];
    if (!holds(rule, words)) continue;
    if (rule->flags & CK_KEY_EXCLUDED) return rule;
    if (!best || rule->len > best->len) best = rule;
  }
  return best;
}

const ck_key_rule *ck_keys_find(const ck_keys *self, ck_bytes name) {
  char buffer[WORDS_SIZE];
  ck_bytes words = split(buffer, name), bare = without_qualifiers(words);
  const ck_key_rule *rule = find_words(self, words);
  return rule || bare.len == words.len ? rule : find_words(self, bare);
}

bool ck_keys_is_id(ck_bytes name) {
  char buffer[WORDS_SIZE];
  return is_one_of(last_word(split(buffer, name)), ids);
}

bool ck_keys_is_skeleton(ck_bytes name) { return is_one_of(name, skeleton); }

/* The hash of the ending is computed without splitting into words, because most names match no
 * rule. */
static bool may_match(const ck_keys *self, const char *begin, const char *end) {
  if (end - begin > NAME_MAX_BYTES) begin = end - NAME_MAX_BYTES;
  while (end > begin && !is_upper(end[-1]) && !is_lower(end[-1])) end--;
  if (end == begin) return false;
  bool capitals = is_upper(end[-1]);
  unsigned hash = 0;
  for (int n = 0; n < ENDING_MAX && end > begin; n++) {
    char c = *--end;
    if (capitals ? !is_upper(c) : !is_lower(c) && !is_upper(c)) break;
    hash = hash_letter(hash, to_lower(c));
    if (!capitals && is_upper(c)) break;
  }
  hash = spread(hash);
  return self->endings[hash >> 6] >> (hash & 63) & 1;
}

bool ck_keys_may_match(const ck_keys *self, ck_bytes name) {
  return may_match(self, name.data, name.data + name.len);
}

const ck_key_rule *ck_keys_next(size_t *at, size_t *depth, const ck_keys *self, ck_bytes text) {
  const char *begin = text.data, *end = begin + text.len, *from = begin + *at, *colon;
  for (; from < end && (colon = memchr(from, ':', (size_t)(end - from))); from = colon + 1) {
    const char *behind = colon;
    while (behind > begin &&
           (behind[-1] == ' ' || behind[-1] == '\n' || behind[-1] == '\t' || behind[-1] == '\r'))
      behind--;
    if (behind - begin < 2 || behind[-1] != '"') continue;
    const char *last = --behind;
    while (behind > begin && behind[-1] == '\\') behind--;
    if (!may_match(self, begin, behind)) continue;
    const char *name = behind,
               *least = behind - begin > NAME_MAX_BYTES ? behind - NAME_MAX_BYTES : begin;
    while (name > least && name[-1] != '"' && name[-1] != '\\') name--;
    const ck_key_rule *rule = ck_keys_find(self, (ck_bytes){name, (size_t)(behind - name)});
    if (!rule) continue;
    *at = (size_t)(colon + 1 - begin);
    *depth = (size_t)(last - behind);
    return rule;
  }
  *at = text.len;
  return NULL;
}
