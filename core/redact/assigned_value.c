/* assigned_value.c - reads a value in plain text and weighs how much it looks like a secret against
 * how sure its surroundings are. */
#include "core/redact/assigned_value.h"

#include <string.h>
#include <strings.h>

#include "core/base/placeholder.h"

enum {
  QUOTED_MAX = 8192,
  BARE_MAX = 4096,
  SHORT_MIN = 4,  /* where quotes or a line of settings say that it is a value */
  STRONG_MIN = 6, /* elsewhere */
  PROSE_MIN = 8,
  MIXED_MIN = 16,
  INDENT_MAX = 64
};

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

typedef struct reader {
  ck_bytes text;
  bool *cut;
} reader;

static char char_at(const reader *self, size_t at) {
  if (at < self->text.len) return self->text.data[at];
  *self->cut = true;
  return '\0';
}

static char char_before(ck_bytes text, size_t at) { return at > 0 ? text.data[at - 1] : '\n'; }

/* ---- where a value ends ---- */

/* Behind the opening quote at `value`, which `depth` backslashes precede; false: it does not end on
 * its line. */
static bool read_quoted(ck_assigned *self, const reader *from, size_t depth) {
  size_t begin = self->value + depth + 1, at = begin;
  char quote = char_at(from, begin - 1);
  for (; at - begin < QUOTED_MAX; at++) {
    char c = char_at(from, at);
    if (c == '\0' || c == '\n') return false;
    if (c == '\\' && depth == 0) {
      at++;
      continue;
    }
    if (c != quote) continue;
    self->value = begin;
    self->end = at - depth;
    return at >= begin + depth;
  }
  return false;
}

static bool ends_bare(char c) { return c == '\0' || is_space(c) || strchr("\"'`<>;,)]}\\|", c); }

static void read_bare(ck_assigned *self, const reader *from) {
  size_t at = self->value, most = at + BARE_MAX;
  while (at < most && !ends_bare(char_at(from, at)) && from->text.data[at] != '&') at++;
  while (at > self->value && strchr(".:?!", from->text.data[at - 1])) at--;
  self->end = at;
}

/* On a line of settings nothing but space ends a value; a sign that ends a statement is none of it.
 */
static void read_setting(ck_assigned *self, const reader *from) {
  size_t at = self->value, most = at + BARE_MAX;
  while (at < most && char_at(from, at) && !is_space(char_at(from, at)) &&
         !strchr("\"'`\\", from->text.data[at]))
    at++;
  while (at > self->value && strchr(".:?!;,)}", from->text.data[at - 1])) at--;
  self->end = at;
}

static void read_line(ck_assigned *self, const reader *from) {
  size_t at = self->value, most = at + BARE_MAX;
  while (at < most && !strchr("\r\n\"'`", char_at(from, at))) at++;
  while (at > self->value && is_space(from->text.data[at - 1])) at--;
  self->end = at;
}

/* Up to the tag that follows. */
static bool read_element(ck_assigned *self, const reader *from) {
  size_t at = self->value, most = at + QUOTED_MAX;
  while (at < most && !strchr("<\n", char_at(from, at))) at++;
  self->end = at;
  return char_at(from, at) == '<' && char_at(from, at + 1) == '/';
}

/* The prefix of a string of a language: b'…', rb"…", f'…'. */
static size_t skip_prefix(const reader *from, size_t at) {
  size_t i = at;
  while (i < at + 2 && strchr("bBrRuUfFlL", char_at(from, i)) && char_at(from, i)) i++;
  return is_quote(char_at(from, i)) ? i : at;
}

/* "name: type = value": the value stands behind the second sign. */
static void skip_type(ck_assigned *self, const reader *from) {
  size_t at = self->value, most = at + INDENT_MAX;
  if (self->sign != ':' || self->quoted_name) return;
  while (at < most && (is_letter(char_at(from, at)) || strchr("_.[]|? ", char_at(from, at))) &&
         char_at(from, at))
    at++;
  if (at == self->value || char_at(from, at) != '=' || char_at(from, at + 1) == '=') return;
  self->sign = '=';
  for (at++; char_at(from, at) == ' ';) at++;
  self->value = at;
}

/* "Authorization: Digest …": the scheme is no secret. */
static void skip_scheme(ck_assigned *self, const reader *from) {
  size_t at = self->value;
  while (is_letter(char_at(from, at)) || char_at(from, at) == '-') at++;
  if (at > self->value && char_at(from, at) == ' ' && !is_space(char_at(from, at + 1)))
    self->value = at + 1;
}

/* ---- what a value looks like ---- */

typedef struct looks {
  size_t digits, letters, signs, dots, hyphens, others;
  bool word_then_digits; /* hunter2, but also sha256 */
} looks;

static looks look(ck_bytes value) {
  looks l = {0};
  size_t i = 0, number = 0;
  for (size_t k = 0; k < value.len; k++) {
    char c = value.data[k];
    if (is_digit(c))
      l.digits++;
    else if (is_letter(c))
      l.letters++;
    else if (strchr("!@#%^*+?~$=", c))
      l.signs++;
    else if (c == '.')
      l.dots++;
    else if (c == '-' || c == '_')
      l.hyphens++;
    else
      l.others++;
  }
  while (i < value.len && (is_letter(value.data[i]) || value.data[i] == '_')) i++;
  while (i + number < value.len && is_digit(value.data[i + number])) number++;
  l.word_then_digits = i > 0 && number > 0 && number <= 3 && i + number == value.len;
  return l;
}

/* Capitals amid a long run of letters, as random texts have them. */
static bool is_mixed(ck_bytes value) {
  size_t turns = 0;
  for (size_t i = 1; i < value.len; i++)
    turns += is_letter(value.data[i]) && is_letter(value.data[i - 1]) &&
             ((value.data[i] ^ value.data[i - 1]) & 0x20) != 0;
  return value.len >= MIXED_MIN && turns * 3 >= value.len;
}

/* References, paths, calls, names of other secrets: code, not the secret. */
static bool is_code(const ck_keys *keys, ck_bytes value, char next) {
  if (next == '(' || next == '[' || next == '{' || strchr("/~.&|-:,;*", *value.data)) return true;
  if (memmem(value.data, value.len, "://", 3) || memmem(value.data, value.len, "->", 2) ||
      memmem(value.data, value.len, "::", 2) || memmem(value.data, value.len, "..", 2))
    return true;
  if (memchr(value.data, '(', value.len) || memchr(value.data, '[', value.len) ||
      memchr(value.data, '{', value.len) || *value.data == '$')
    return true;
  return ck_keys_find(keys, value) != NULL;
}

/* "<…>", "{token}", "%s", "your-key-here", "API_KEY": stand for a secret in templates. */
static bool is_template(const ck_keys *keys, ck_bytes value) {
  static const char *const words[] = {"your", "my-", "my_", "example", "insert", "replace", NULL};
  for (const char *const *w = words; *w; w++)
    if (value.len >= strlen(*w) && strncasecmp(value.data, *w, strlen(*w)) == 0) return true;
  if (memmem(value.data, value.len, "${", 2) || memmem(value.data, value.len, "{{", 2) ||
      memmem(value.data, value.len, "%s", 2) || memmem(value.data, value.len, "...", 3))
    return true;
  if (*value.data == '{' || *value.data == '<' || *value.data == '%') return true;
  return ck_keys_find(keys, value) != NULL;
}

static bool has_space(ck_bytes value) {
  for (size_t i = 0; i < value.len; i++)
    if (is_space(value.data[i])) return true;
  return false;
}

/* ---- how sure the surroundings are ---- */

/* The beginning of the line, or the quote before a header, where the name is the first thing there;
 * else NULL. */
static const char *find_line(const ck_assigned *self, ck_bytes text) {
  static const char *const words[] = {"export ", "set ", "ENV ", "ARG ", "- ",
                                      "-e ",     "> ",   "< ",   NULL};
  size_t at = self->name, least = at > INDENT_MAX ? at - INDENT_MAX : 0;
  if (self->quoted_name) at--;
  for (const char *const *w = words; *w; w++) {
    size_t len = strlen(*w);
    if (at < len || memcmp(text.data + at - len, *w, len) != 0) continue;
    at -= len;
    break;
  }
  while (at > least && (text.data[at - 1] == ' ' || text.data[at - 1] == '\t')) at--;
  char first = char_before(text, at);
  return is_quote(first) || first == '\n' || first == '\r' ? text.data + at : NULL;
}

/* Also nothing else stands behind it. */
static bool is_line(const ck_assigned *self, const reader *from) {
  const char *begin = find_line(self, from->text);
  if (!begin) return false;
  char first = char_before(from->text, (size_t)(begin - from->text.data));
  if (is_quote(first)) return char_at(from, self->end) == first;
  size_t behind = self->end;
  while (char_at(from, behind) == ' ' || char_at(from, behind) == '\t') behind++;
  return strchr("\r\n#;,", char_at(from, behind)) != NULL; /* also the end of the text */
}

/* "host=h " before the name at `at`: a list of such pairs. */
static bool is_pair_before(ck_bytes text, size_t at) {
  size_t least = at > INDENT_MAX ? at - INDENT_MAX : 0, end = at - 1, i;
  if (at < 2 || text.data[end] != ' ' || strchr(",({", text.data[end - 1])) return false;
  for (i = end; i > least && !is_space(text.data[i - 1]); i--)
    if (text.data[i - 1] == '=') return true;
  return false;
}

/* "a=b;password=c", "?user=a&password=b", "user=a password=b". */
static bool is_connection(const ck_assigned *self, ck_bytes text) {
  size_t at = self->name;
  if (self->sign != '=' || self->spaced) return false;
  if (is_pair_before(text, at)) return true;
  if (at > 1 && text.data[at - 1] == ' ' && text.data[at - 2] == ';') at--;
  return strchr(";?&", char_before(text, at)) != NULL && at > 0;
}

static bool is_option(const ck_assigned *self, ck_bytes text) {
  return self->name > 1 && text.data[self->name - 1] == '-' && text.data[self->name - 2] == '-';
}

static bool is_variable(const ck_assigned *self, ck_bytes text) {
  if (self->sign != '=' || self->spaced) return false;
  for (size_t i = self->name; i < self->name_end; i++)
    if (text.data[i] >= 'a' && text.data[i] <= 'z') return false;
  return true;
}

/* ---- the decision ---- */

/* Whether a value without quotes is meant: by its looks, the more so the less its place says. */
static bool takes_bare(const ck_assigned *self, const reader *from, ck_bytes value) {
  looks l = look(value);
  bool line = is_line(self, from), variable = is_variable(self, from->text),
       option = is_option(self, from->text), connection = is_connection(self, from->text),
       sure = line || variable || option || connection;
  if (value.len < SHORT_MIN) return (self->rule->flags & CK_KEY_CODE) && line;
  if (l.letters == 0) {
    bool plural = from->text.data[self->name_end - 1] == 's';
    return !plural && l.digits >= SHORT_MIN && (sure || !self->spaced) && l.others == 0;
  }
  if (self->sign == ':' && !line && value.len < PROSE_MIN) return false;
  bool strong =
      value.len >= STRONG_MIN && (l.digits > 0 || l.signs > 0) && !(l.dots && l.digits < 2);
  bool variable_name = self->spaced && l.hyphens > 0; /* user_input1 */
  if (strong && (!l.word_then_digits || (sure && !variable_name))) return true;
  bool tight = self->sign == '=' && !self->spaced,
       first = variable && find_line(self, from->text) != NULL;
  return tight && (first || connection || (option && !l.dots));
}

static bool is_password(const ck_key_rule *rule) {
  return (rule->flags & CK_KEY_RANDOM) && !(rule->flags & CK_KEY_CODE) &&
         strcmp(rule->kind, "password") == 0;
}

/* Short names with other meanings (pw, pass) count where the place says what they are. */
static bool takes(const ck_assigned *self, const reader *from, ck_bytes value) {
  if (ck_keys_takes_text(self->rule, value)) return true;
  return is_password(self->rule) && value.len >= SHORT_MIN && look(value).digits > 0 &&
         is_connection(self, from->text);
}

static ck_bytes value_of(const ck_assigned *self, ck_bytes text) {
  return (ck_bytes){text.data + self->value, self->end - self->value};
}

static bool is_free(const ck_assigned *self, ck_bytes text) {
  ck_bytes ignored;
  return self->end > self->value && !ck_placeholder_around(&ignored, text, self->value) &&
         !ck_placeholder_find(&ignored, NULL, value_of(self, text));
}

/* Words in quotes are passwords at most: STORAGE_KEY = 'todos' names something. */
static bool is_words(const ck_key_rule *rule, ck_bytes value) {
  looks l = look(value);
  return strcmp(rule->kind, "password") != 0 && l.digits + l.signs + l.others == 0 &&
         !is_mixed(value);
}

static bool take_quoted(ck_assigned *self, const reader *from, const ck_keys *keys, size_t depth) {
  if (!read_quoted(self, from, depth) || !is_free(self, from->text)) return false;
  ck_bytes value = value_of(self, from->text);
  bool code = (self->rule->flags & CK_KEY_CODE) != 0;
  if (value.len < SHORT_MIN && !code) return false;
  if (has_space(value) || is_template(keys, value) || is_words(self->rule, value)) return false;
  return takes(self, from, value);
}

static bool take_element(ck_assigned *self, const reader *from, const ck_keys *keys) {
  if (!read_element(self, from) || !is_free(self, from->text)) return false;
  ck_bytes value = value_of(self, from->text);
  return value.len >= SHORT_MIN && !has_space(value) && !is_template(keys, value) &&
         ck_keys_takes_text(self->rule, value);
}

static bool is_cookie(const ck_key_rule *rule) { return strcmp(rule->kind, "cookie") == 0; }

static bool take_bare(ck_assigned *self, const reader *from, const ck_keys *keys) {
  bool header = strcmp(self->rule->kind, "authorization") == 0, whole = is_cookie(self->rule);
  if (header) skip_scheme(self, from);
  if (whole || header)
    read_line(self, from);
  else if (find_line(self, from->text))
    read_setting(self, from);
  else
    read_bare(self, from);
  if (!is_free(self, from->text)) return false;
  ck_bytes value = value_of(self, from->text);
  if (whole && memchr(value.data, '=', value.len)) return is_line(self, from);
  bool cut_short = char_at(from, self->end) == '.' && char_at(from, self->end + 1) == '.';
  if (cut_short || is_template(keys, value)) return false;
  if (is_code(keys, value, char_at(from, self->end))) return false;
  if (header && has_space(value) && !memchr(value.data, '=', value.len)) return false;
  if (header) return is_line(self, from) && value.len >= PROSE_MIN && look(value).digits > 0;
  return takes(self, from, value) && takes_bare(self, from, value);
}

bool ck_assigned_take(ck_assigned *self, ck_bytes text, const ck_keys *keys, bool *cut) {
  reader from = {.text = text, .cut = cut};
  if (self->sign == '>') return take_element(self, &from, keys);
  if (!is_cookie(self->rule)) skip_type(self, &from);
  self->value = skip_prefix(&from, self->value);
  size_t depth = 0;
  while (depth < 4 && char_at(&from, self->value + depth) == '\\') depth++;
  if (is_quote(char_at(&from, self->value + depth))) return take_quoted(self, &from, keys, depth);
  return !self->attribute && depth == 0 && take_bare(self, &from, keys);
}
