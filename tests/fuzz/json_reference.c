/* json_reference.c - JSON by recursive descent, rule by rule as RFC 8259 and core/base/json.h say
 * them; slow where that is shorter. */
#include "tests/fuzz/json_reference.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 256 };

/* `at` is NULL as soon as a rule is broken. */
typedef struct reader {
  const unsigned char *at, *end;
} reader;

static int peek(const reader *r) { return r->at && r->at < r->end ? *r->at : -1; }

static bool give_up(reader *r) {
  r->at = NULL;
  return false;
}

static void skip_space(reader *r) {
  while (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' || peek(r) == '\r') r->at++;
}

static bool take(reader *r, int c) {
  if (peek(r) != c) return give_up(r);
  r->at++;
  return true;
}

/* ---- strings ---- */

static void put_point(ck_buffer *out, unsigned long point) {
  if (point < 0x80) {
    ck_buffer_append_char(out, (char)point);
  } else if (point < 0x800) {
    ck_buffer_append_char(out, (char)(0xc0 | point >> 6));
    ck_buffer_append_char(out, (char)(0x80 | (point & 63)));
  } else if (point < 0x10000) {
    ck_buffer_append_char(out, (char)(0xe0 | point >> 12));
    ck_buffer_append_char(out, (char)(0x80 | (point >> 6 & 63)));
    ck_buffer_append_char(out, (char)(0x80 | (point & 63)));
  } else {
    ck_buffer_append_char(out, (char)(0xf0 | point >> 18));
    ck_buffer_append_char(out, (char)(0x80 | (point >> 12 & 63)));
    ck_buffer_append_char(out, (char)(0x80 | (point >> 6 & 63)));
    ck_buffer_append_char(out, (char)(0x80 | (point & 63)));
  }
}

/* Four hex digits; -1: they are not there. */
static long take_unit(reader *r) {
  char digits[5] = {0};
  for (int i = 0; i < 4; i++) {
    if (peek(r) < 0 || !isxdigit(peek(r))) return -1;
    digits[i] = (char)*r->at++;
  }
  return strtol(digits, NULL, 16);
}

static bool read_unicode(reader *r, ck_buffer *out) {
  long high = take_unit(r), low = 0;
  if (high <= 0 || (high >= 0xdc00 && high <= 0xdfff)) return give_up(r);
  if (high >= 0xd800 && high <= 0xdbff) {
    if (!take(r, '\\') || !take(r, 'u')) return false;
    low = take_unit(r);
    if (low < 0xdc00 || low > 0xdfff) return give_up(r);
    high = 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00);
  }
  put_point(out, (unsigned long)high);
  return true;
}

static bool read_escape(reader *r, ck_buffer *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  int c = peek(r);
  if (c < 0) return give_up(r);
  r->at++;
  if (c == 'u') return read_unicode(r, out);
  const char *found = c ? strchr(from, c) : NULL;
  if (!found) return give_up(r);
  ck_buffer_append_char(out, to[found - from]);
  return true;
}

/* One character beyond ASCII, decoded and encoded again: what differs was overlong or no UTF-8. */
static bool read_wide(reader *r, ck_buffer *out) {
  int first = peek(r), count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  unsigned long point = (unsigned long)first & (0xffu >> (count + 1));
  if (first < 0xc0 || first > 0xf7 || r->end - r->at < count) return give_up(r);
  for (int i = 1; i < count; i++) {
    if ((r->at[i] & 0xc0) != 0x80) return give_up(r);
    point = point << 6 | (r->at[i] & 63u);
  }
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return give_up(r);
  size_t before = out->len;
  put_point(out, point);
  if (out->len - before != (size_t)count) return give_up(r);
  r->at += count;
  return true;
}

static bool read_string(reader *r, ck_buffer *out) {
  if (!take(r, '"')) return false;
  for (;;) {
    int c = peek(r);
    if (c < 0x20) return give_up(r);
    if (c == '"') return take(r, '"');
    if (c == '\\') {
      r->at++;
      if (!read_escape(r, out)) return false;
    } else if (c < 0x80) {
      ck_buffer_append_char(out, (char)c);
      r->at++;
    } else if (!read_wide(r, out)) {
      return false;
    }
  }
}

/* ---- numbers ---- */

static bool take_digits(reader *r) {
  if (peek(r) < '0' || peek(r) > '9') return give_up(r);
  while (peek(r) >= '0' && peek(r) <= '9') r->at++;
  return true;
}

static bool read_number(reader *r) {
  const unsigned char *begin = r->at;
  if (peek(r) == '-') r->at++;
  if (peek(r) == '0')
    r->at++;
  else if (!take_digits(r))
    return false;
  if (peek(r) == '.') {
    r->at++;
    if (!take_digits(r)) return false;
  }
  if (peek(r) == 'e' || peek(r) == 'E') {
    r->at++;
    if (peek(r) == '+' || peek(r) == '-') r->at++;
    if (!take_digits(r)) return false;
  }
  char *text = strndup((const char *)begin, (size_t)(r->at - begin));
  bool finite = text && isfinite(strtod(text, NULL));
  free(text);
  return finite || give_up(r);
}

/* ---- values ---- */

static bool read_value(reader *r, int depth);

static bool read_array(reader *r, int depth) {
  r->at++;
  skip_space(r);
  if (peek(r) == ']') return take(r, ']');
  for (;;) {
    if (!read_value(r, depth)) return false;
    if (peek(r) != ',') return take(r, ']');
    r->at++;
  }
}

/* Compares each name with all before it. */
static bool is_new(char **names, const size_t *lens, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (lens[i] == lens[count] && memcmp(names[i], names[count], lens[i]) == 0) return false;
  }
  return true;
}

static bool read_members(reader *r, int depth, char ***names, size_t **lens, size_t *count) {
  for (;;) {
    ck_buffer name = {0};
    ck_buffer_append_text(&name, "");
    skip_space(r);
    bool held = read_string(r, &name);
    *names = realloc(*names, (*count + 1) * sizeof **names);
    *lens = realloc(*lens, (*count + 1) * sizeof **lens);
    (*lens)[*count] = name.len;
    (*names)[*count] = name.data ? ck_buffer_take(&name) : strdup("");
    held = is_new(*names, *lens, (*count)++) && held;
    if (!held) return give_up(r);
    skip_space(r);
    if (!take(r, ':') || !read_value(r, depth)) return false;
    if (peek(r) != ',') return take(r, '}');
    r->at++;
  }
}

static bool read_object(reader *r, int depth) {
  char **names = NULL;
  size_t *lens = NULL, count = 0;
  r->at++;
  skip_space(r);
  bool held = peek(r) == '}' ? take(r, '}') : read_members(r, depth, &names, &lens, &count);
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
  free(lens);
  return held;
}

static bool read_word(reader *r, const char *word) {
  while (*word) {
    if (!take(r, *word++)) return false;
  }
  return true;
}

static bool read_value(reader *r, int depth) {
  ck_buffer text = {0};
  bool held;
  skip_space(r);
  int c = peek(r);
  if ((c == '[' || c == '{') && depth == DEEPEST) return give_up(r);
  if (c == '[')
    held = read_array(r, depth + 1);
  else if (c == '{')
    held = read_object(r, depth + 1);
  else if (c == '"')
    held = read_string(r, &text);
  else if (c == 't' || c == 'f' || c == 'n')
    held = read_word(r, c == 't' ? "true" : c == 'f' ? "false" : "null");
  else
    held = read_number(r);
  ck_buffer_clear(&text);
  skip_space(r);
  return held;
}

bool json_reference_takes(ck_bytes text) {
  const unsigned char *begin = (const unsigned char *)(text.data ? text.data : "");
  reader r = {begin, begin + text.len};
  return read_value(&r, 0) && r.at == r.end;
}
