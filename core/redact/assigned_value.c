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
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static char char_before(ck_bytes text, size_t at) { return at > 0 ? text.data[at - 1] : '\n'; }

/* ---- where a value ends ---- */

/* Behind the opening quote at `value`, which `depth` backslashes precede; false: it does not end on
 * its line. */
static bool read_quoted(ck_assigned *self, ck_assigned_text *from, size_t depth) {
  size_t begin = self->value + depth + 1, at = begin;
  char quote = ck_assigned_char(from, begin - 1);
  for (; at - begin < QUOTED_MAX; at++) {
    char c = ck_assigned_char(from, at);
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

static bool ends_bare(char c) {
  switch (c) {
    case '\0':
    case ' ':
    case '\t':
    case '\n':
    case '\r':
    case '"':
    case '\'':
    case '`':
    case '<':
    case '>':
    case ';':
    case ',':
    case ')':
    case ']':
    case '}':
    case '\\':
    case '|':
    case '&':
      return true;
    default:
      return false;
  }
}

static void read_bare(ck_assigned *self, ck_assigned_text *from) {
  size_t at = self->value, most = at + BARE_MAX;
  while (at < most && !ends_bare(ck_assigned_char(from, at))) at++;
  while (at > self->value && strchr(".:?!", from->text.data[at - 1])) at--;
  self->end = at;
}

/* On a line of settings nothing but space ends a value; a sign that ends a statement is none of it.
 */
static void read_setting(ck_assigned *self, ck_assigned_text *from) {
  size_t at = self->value, most = at + BARE_MAX;
  while (at < most && ck_assigned_char(from, at) && !is_space(ck_assigned_char(from, at)) &&
         !strchr("\"'`\\", from->text.data[at]))
    at++;
  while (at > self->value && strchr(".:?!;,)}", from->text.data[at - 1])) at--;
  self->end = at;
}

static void read_line(ck_assigned *self, ck_assigned_text *from) {
  size_t at = self->value, most = at + BARE_MAX;
  while (at < most && !strchr("\r\n\"'`", ck_assigned_char(from, at))) at++;
  while (at > self->value && is_space(from->text.data[at - 1])) at--;
  self->end = at;
}

/* Up to the tag that follows on the line. */
static bool read_element(ck_assigned *self, ck_assigned_text *from) {
  const char *begin = from->text.data + self->value;
  size_t left = from->text.len - self->value, len = left < QUOTED_MAX ? left : QUOTED_MAX;
  const char *line = memchr(begin, '\n', len);
  if (line) len = (size_t)(line - begin);
  const char *tag = memchr(begin, '<', len);
  if (!tag && !line && len == left) from->cut = true;
  if (!tag) return false;
  self->end = (size_t)(tag - from->text.data);
  return ck_assigned_char(from, self->end + 1) == '/';
}

/* The prefix of a string of a language: b'…', rb"…", f'…'. */
static size_t skip_prefix(ck_assigned_text *from, size_t at) {
  size_t i = at;
  while (i < at + 2 && strchr("bBrRuUfFlL", ck_assigned_char(from, i)) && ck_assigned_char(from, i))
    i++;
  return ck_assigned_is_quote(ck_assigned_char(from, i)) ? i : at;
}

/* "name: type = value": the value stands behind the second sign. */
static void skip_type(ck_assigned *self, ck_assigned_text *from) {
  size_t at = self->value, most = at + INDENT_MAX;
  if (self->sign != ':' || self->quoted_name) return;
  while (at < most &&
         (is_letter(ck_assigned_char(from, at)) || strchr("_.[]|? ", ck_assigned_char(from, at))) &&
         ck_assigned_char(from, at))
    at++;
  if (at == self->value || ck_assigned_char(from, at) != '=' ||
      ck_assigned_char(from, at + 1) == '=')
    return;
  self->sign = '=';
  for (at++; ck_assigned_char(from, at) == ' ';) at++;
  self->value = at;
}

/* "Authorization: Digest …": the scheme is no secret. */
static void skip_scheme(ck_assigned *self, ck_assigned_text *from) {
  size_t at = self->value;
  while (is_letter(ck_assigned_char(from, at)) || ck_assigned_char(from, at) == '-') at++;
  if (at > self->value && ck_assigned_char(from, at) == ' ' &&
      !is_space(ck_assigned_char(from, at + 1)))
    self->value = at + 1;
}

/* ---- what a value looks like ---- */

typedef struct looks {
  size_t digits, letters, signs, dots, hyphens, others;
  bool space;            /* one of the others */
  bool word_then_digits; /* hunter2, but also sha256 */
  bool code;             /* a call, a member, an address */
  bool hole;             /* what templates fill in: "${", "{{", "%s", "..." */
} looks;

static void look_at_sign(looks *self, ck_bytes value, size_t at) {
  char c = value.data[at], before = at > 0 ? value.data[at - 1] : '\0';
  char second = at > 1 ? value.data[at - 2] : '\0';
  bool pair = c == before && (c == ':' || c == '.'), address = before == '/' && second == ':';
  self->signs += strchr("!@#%^*+?~$=", c) != NULL;
  self->dots += c == '.';
  self->hyphens += c == '-' || c == '_';
  self->space = self->space || is_space(c);
  self->code = self->code || pair || c == '(' || c == '[' || c == '{' ||
               (c == '>' && before == '-') || (c == '/' && address);
  self->hole = self->hole || (c == '{' && (before == '$' || before == '{')) ||
               (c == '.' && pair && second == '.');
}

static looks look(ck_bytes value) {
  looks l = {0};
  size_t i = 0, number = 0;
  for (size_t k = 0; k < value.len; k++) {
    char c = value.data[k];
    if (is_digit(c))
      l.digits++;
    else if (is_letter(c))
      l.letters++;
    else
      look_at_sign(&l, value, k);
    l.hole = l.hole || (c == 's' && k > 0 && value.data[k - 1] == '%');
  }
  l.others = value.len - l.digits - l.letters - l.signs - l.dots - l.hyphens;
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

/* References, paths, calls: code, not the secret. */
static bool is_code(const looks *l, ck_bytes value, char next) {
  return l->code || next == '(' || next == '[' || next == '{' ||
         strchr("/~.&|-:,;*$", *value.data) != NULL;
}

/* "<…>", "{token}", "%s", "your-key-here", "API_KEY": stand for a secret in templates. */
static bool is_template(const ck_keys *keys, const looks *l, ck_bytes value) {
  static const char *const words[] = {"your", "my-", "my_", "example", "insert", "replace", NULL};
  for (const char *const *w = words; *w; w++)
    if (value.len >= strlen(*w) && strncasecmp(value.data, *w, strlen(*w)) == 0) return true;
  return l->hole || strchr("{<%", *value.data) != NULL || ck_keys_find(keys, value) != NULL;
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
  return ck_assigned_is_quote(first) || first == '\n' || first == '\r' ? text.data + at : NULL;
}

/* Nothing else stands behind the value on the line that begins at `begin`, which may be NULL. */
static bool is_line(const ck_assigned *self, ck_assigned_text *from, const char *begin) {
  if (!begin) return false;
  char first = char_before(from->text, (size_t)(begin - from->text.data));
  if (ck_assigned_is_quote(first)) return ck_assigned_char(from, self->end) == first;
  size_t behind = self->end;
  while (ck_assigned_char(from, behind) == ' ' || ck_assigned_char(from, behind) == '\t') behind++;
  return strchr("\r\n#;,", ck_assigned_char(from, behind)) != NULL; /* also the end of the text */
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

/* What is weighed. */
typedef struct candidate {
  ck_bytes value;
  looks looks;
  const char *line; /* see find_line */
} candidate;

/* Whether a value without quotes is meant: by its looks, the more so the less its place says. */
static bool takes_bare(const ck_assigned *self, ck_assigned_text *from, const candidate *of) {
  const looks *l = &of->looks;
  size_t len = of->value.len;
  bool line = is_line(self, from, of->line), variable = is_variable(self, from->text),
       option = is_option(self, from->text), connection = is_connection(self, from->text),
       sure = line || variable || option || connection;
  if (len < SHORT_MIN) return (self->rule->flags & CK_KEY_CODE) && line;
  if (l->letters == 0) {
    bool plural = from->text.data[self->name_end - 1] == 's';
    return !plural && l->digits >= SHORT_MIN && (sure || !self->spaced) && l->others == 0;
  }
  if (self->sign == ':' && !line && len < PROSE_MIN) return false;
  bool strong = len >= STRONG_MIN && (l->digits > 0 || l->signs > 0) && !(l->dots && l->digits < 2);
  bool variable_name = self->spaced && l->hyphens > 0; /* user_input1 */
  if (strong && (!l->word_then_digits || (sure && !variable_name))) return true;
  bool tight = self->sign == '=' && !self->spaced, first = variable && of->line != NULL;
  return tight && (first || connection || (option && !l->dots));
}

static bool is_password(const ck_key_rule *rule) {
  return (rule->flags & CK_KEY_RANDOM) && !(rule->flags & CK_KEY_CODE) &&
         strcmp(rule->kind, "password") == 0;
}

/* Short names with other meanings (pw, pass) count where the place says what they are. */
static bool takes(const ck_assigned *self, ck_assigned_text *from, const candidate *of) {
  if (ck_keys_takes_text(self->rule, of->value)) return true;
  return is_password(self->rule) && of->value.len >= SHORT_MIN && of->looks.digits > 0 &&
         is_connection(self, from->text);
}

/* False when there is no value, or one that is masked already. */
static bool is_free(ck_bytes *value, const ck_assigned *self, ck_bytes text) {
  ck_bytes ignored;
  if (self->end <= self->value) return false;
  *value = (ck_bytes){text.data + self->value, self->end - self->value};
  return !ck_placeholder_around(&ignored, text, self->value) &&
         !ck_placeholder_find(&ignored, NULL, *value);
}

static bool weigh(candidate *out, const ck_assigned *self, ck_bytes text) {
  *out = (candidate){0};
  bool is = is_free(&out->value, self, text);
  if (is) out->looks = look(out->value);
  return is;
}

/* Words in quotes are passwords at most: STORAGE_KEY = 'todos' names something. */
static bool is_words(const ck_key_rule *rule, const candidate *of) {
  const looks *l = &of->looks;
  return strcmp(rule->kind, "password") != 0 && l->digits + l->signs + l->others == 0 &&
         !is_mixed(of->value);
}

static bool take_quoted(ck_assigned *self, ck_assigned_text *from, size_t depth) {
  candidate of;
  if (!read_quoted(self, from, depth) || !weigh(&of, self, from->text)) return false;
  if (of.value.len < SHORT_MIN && !(self->rule->flags & CK_KEY_CODE)) return false;
  return !of.looks.space && !is_template(from->keys, &of.looks, of.value) &&
         !is_words(self->rule, &of) && takes(self, from, &of);
}

static bool take_element(ck_assigned *self, ck_assigned_text *from) {
  candidate of;
  if (!read_element(self, from) || !weigh(&of, self, from->text)) return false;
  return of.value.len >= SHORT_MIN && !of.looks.space &&
         !is_template(from->keys, &of.looks, of.value) && ck_keys_takes_text(self->rule, of.value);
}

static bool is_cookie(const ck_key_rule *rule) { return strcmp(rule->kind, "cookie") == 0; }

/* "Authorization: …" of one word, or of a list of pairs. */
static bool take_header(const ck_assigned *self, ck_assigned_text *from, const candidate *of) {
  if (of->looks.space && !memchr(of->value.data, '=', of->value.len)) return false;
  return is_line(self, from, of->line) && of->value.len >= PROSE_MIN && of->looks.digits > 0;
}

static void read_unquoted(ck_assigned *self, ck_assigned_text *from, bool whole, bool setting) {
  if (whole)
    read_line(self, from);
  else if (setting)
    read_setting(self, from);
  else
    read_bare(self, from);
}

static bool take_bare(ck_assigned *self, ck_assigned_text *from) {
  bool header = strcmp(self->rule->kind, "authorization") == 0, cookie = is_cookie(self->rule);
  candidate of = {.line = find_line(self, from->text)};
  if (header) skip_scheme(self, from);
  read_unquoted(self, from, cookie || header, of.line != NULL);
  if (!is_free(&of.value, self, from->text)) return false;
  if (cookie && memchr(of.value.data, '=', of.value.len)) return is_line(self, from, of.line);
  of.looks = look(of.value);
  char next = ck_assigned_char(from, self->end);
  if (next == '.' && ck_assigned_char(from, self->end + 1) == '.') return false;
  if (is_code(&of.looks, of.value, next) || is_template(from->keys, &of.looks, of.value))
    return false;
  if (header) return take_header(self, from, &of);
  return takes(self, from, &of) && takes_bare(self, from, &of);
}

bool ck_assigned_take(ck_assigned *self, ck_assigned_text *from) {
  if (self->sign == '>') return take_element(self, from);
  if (!is_cookie(self->rule)) skip_type(self, from);
  self->value = skip_prefix(from, self->value);
  size_t depth = 0;
  while (depth < 4 && ck_assigned_char(from, self->value + depth) == '\\') depth++;
  if (ck_assigned_is_quote(ck_assigned_char(from, self->value + depth)))
    return take_quoted(self, from, depth);
  return !self->attribute && depth == 0 && take_bare(self, from);
}
