/* keys_value.c - which values under a secret's name are secrets. */
#include <string.h>

#include "core/redact/keys.h"
#include "core/base/placeholder.h"

enum { RANDOM_MIN = 12, NUMBER_MIN = 4, CODE_MIN = 3, CODE_MAX = 12 };

/* Words for "none", or for the kind of value expected; in lower case. */
static const char *const inert[] = {
    "null",    "nil",      "none",     "undefined", "true",    "false",       "yes",
    "no",      "required", "optional", "include",   "omit",    "same-origin", "string",
    "str",     "number",   "integer",  "boolean",   "object",  "array",       "bearer",
    "basic",   "password", "secret",   "token",     "hidden",  "redacted",    "n/a",
    "default", "enabled",  "disabled", "missing",   "unknown", "changeme",    NULL};

/* References: the secret itself is kept elsewhere. */
static const char *const references[] = {
    "env:", "file:", "credential:",  "keyring:",   "vault:", "${",
    "{{",   "$(",    "process.env.", "os.environ", NULL};

static bool starts_with(ck_bytes text, const char *prefix) {
  size_t len = strlen(prefix);
  return text.len >= len && memcmp(text.data, prefix, len) == 0;
}

static bool is_word_of(ck_bytes text, const char *const *words) {
  for (; *words; words++)
    if (strlen(*words) == text.len && strncasecmp(*words, text.data, text.len) == 0) return true;
  return false;
}

/* A name without spaces, as after "env:"; a secret that merely begins with such a prefix is
 * none. */
static bool is_reference(ck_bytes text) {
  for (const char *const *r = references; *r; r++)
    if (starts_with(text, *r)) return !memchr(text.data, '\n', text.len) && text.len < 256;
  size_t i = 1;
  while (i < text.len && ((text.data[i] >= 'A' && text.data[i] <= 'Z') || text.data[i] == '_')) i++;
  return *text.data == '$' && text.len > 2 && i == text.len;
}

/* "<your key>", "********", "...", "xxxx". */
static bool is_blank(ck_bytes text) {
  if (*text.data == '<' && text.data[text.len - 1] == '>' && !memchr(text.data, '\n', text.len))
    return true;
  bool sign = strchr("*.-_?#", *text.data), filler = text.len > 2 && strchr("xX", *text.data);
  size_t i = 1;
  while (i < text.len && text.data[i] == *text.data) i++;
  return i == text.len && (sign || filler);
}

static bool is_inert(ck_bytes text) {
  return text.len == 0 || is_word_of(text, inert) || is_reference(text) || is_blank(text) ||
         ck_placeholder_is(text);
}

typedef struct census {
  size_t digits, letters, spaces, others;
} census;

static census count(ck_bytes text) {
  census c = {0};
  for (size_t i = 0; i < text.len; i++) {
    unsigned char byte = (unsigned char)text.data[i], lower = byte | 0x20;
    if (byte >= '0' && byte <= '9')
      c.digits++;
    else if (lower >= 'a' && lower <= 'z')
      c.letters++;
    else if (byte <= ' ')
      c.spaces++;
    else
      c.others++;
  }
  return c;
}

/* Whether a text looks random: not words, a path or an address, and not partly masked already. */
static bool looks_random(ck_bytes text) {
  ck_bytes ignored;
  census c = count(text);
  if (text.len < RANDOM_MIN || c.spaces > 0 || c.digits < 2 || c.letters < 2) return false;
  if (strchr("/~.<[{(", *text.data) || memmem(text.data, text.len, "://", 3)) return false;
  return !ck_placeholder_find(&ignored, NULL, text);
}

static bool is_code(ck_bytes text) {
  ck_bytes ignored;
  census c = count(text);
  return !ck_placeholder_find(&ignored, NULL, text) && text.len >= CODE_MIN &&
         c.digits >= CODE_MIN && c.spaces == 0;
}

bool ck_keys_takes_text(const ck_key_rule *rule, ck_bytes text) {
  if (rule->flags & CK_KEY_ANY) return text.len > 0 && !ck_placeholder_is(text);
  if (is_inert(text)) return false;
  if (rule->flags & CK_KEY_CODE) return is_code(text);
  if (rule->flags & CK_KEY_RANDOM) return looks_random(text);
  if (rule->flags & CK_KEY_PAIRS) return memchr(text.data, '=', text.len) != NULL;
  return true;
}

bool ck_keys_takes_number(const ck_key_rule *rule, ck_bytes number) {
  if (rule->flags & CK_KEY_ANY) return true;
  if (rule->flags & CK_KEY_PAIRS) return false;
  if (rule->flags & CK_KEY_RANDOM)
    return (rule->flags & CK_KEY_CODE) && number.len >= NUMBER_MIN && number.len <= CODE_MAX;
  return number.len >= (rule->flags & CK_KEY_CODE ? CODE_MIN : NUMBER_MIN);
}
