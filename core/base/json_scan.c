/* json_scan.c - strings, numbers and literals of JSON. */
#include "core/base/json_scan.h"

#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/base/utf8.h"

#define EVERY_BYTE(n) (0x0101010101010101u * (uint64_t)(n))

static bool fail(ck_json_scan *self, const char *at, const char *fault) {
  self->at = at;
  self->fault = fault;
  return false;
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

/* The high bit of each byte of `word` that is below `n` (at most 0x80). Above the first true one
 * there may be false ones, by the borrow: only the lowest counts. */
static uint64_t below(uint64_t word, unsigned n) {
  return (word - EVERY_BYTE(n)) & ~word & EVERY_BYTE(0x80);
}

/* Sixteen bytes at a time, as far as it comes so. */
static const char *skip_blocks(const char *at, const char *end) {
#ifdef __SSE2__
  const __m128i space = _mm_set1_epi8(0x20), quote = _mm_set1_epi8('"'),
                backslash = _mm_set1_epi8('\\');
  for (; end - at >= 16; at += 16) {
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash));
    /* signed: what is above 0x7f is below a space, too */
    int stops = _mm_movemask_epi8(_mm_or_si128(marks, _mm_cmplt_epi8(block, space)));
    if (stops) return at + __builtin_ctz((unsigned)stops);
  }
#endif
  (void)end;
  return at;
}

/* Eight bytes at a time; "is it c" is "is it below 1 after xor with c". */
const char *ck_json_skip_plain(const char *at, const char *end) {
  at = skip_blocks(at, end);
  while (end - at >= 8) {
    uint64_t word;
    memcpy(&word, at, 8);
    uint64_t stops = (word & EVERY_BYTE(0x80)) | below(word, 0x20) |
                     below(word ^ EVERY_BYTE('"'), 1) | below(word ^ EVERY_BYTE('\\'), 1);
    if (stops) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      return at + (__builtin_ctzll(stops) >> 3);
#else
      break;
#endif
    }
    at += 8;
  }
  while (at < end && is_plain((unsigned char)*at)) at++;
  return at;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* `at` is the backslash of \uXXXX. */
static bool scan_unit(ck_json_scan *self, uint32_t *unit) {
  const char *at = self->at;
  *unit = 0;
  if (self->end - at < 2 || at[0] != '\\' || at[1] != 'u')
    return fail(self, at, "expected a \\u escape");
  for (at += 2; at < self->at + 6; at++) {
    int value = at < self->end ? hex_value(*at) : -1;
    if (value < 0) return fail(self, at, "expected four hex digits after \\u");
    *unit = *unit << 4 | (uint32_t)value;
  }
  self->at = at;
  return true;
}

static bool scan_unicode(ck_json_scan *self, uint32_t *point) {
  const char *start = self->at;
  if (!scan_unit(self, point)) return false;
  if (*point == 0) return fail(self, start, "the character U+0000 is not allowed");
  if (*point < 0xd800 || *point > 0xdfff) return true;
  uint32_t low = 0;
  bool paired = *point < 0xdc00 && scan_unit(self, &low) && low >= 0xdc00 && low <= 0xdfff;
  if (!paired) return fail(self, start, "a surrogate stands alone");
  *point = 0x10000 + ((*point - 0xd800) << 10) + (low - 0xdc00);
  return true;
}

bool ck_json_scan_escape(ck_json_scan *self, uint32_t *point) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  char c = self->end - self->at >= 2 ? self->at[1] : '\0';
  if (c == 'u') return scan_unicode(self, point);
  const char *letter = c ? strchr(letters, c) : NULL;
  if (!letter)
    return fail(self, self->at, "expected an escape: one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
  *point = (unsigned char)meanings[letter - letters];
  self->at += 2;
  return true;
}

bool ck_json_scan_string(ck_json_scan *self, bool *escaped) {
  const char *at = self->at + 1, *end = self->end;
  *escaped = false;
  for (;;) {
    at = ck_json_skip_plain(at, end);
    if (at == end) return fail(self, at, "expected the closing quote of a string");
    unsigned char c = (unsigned char)*at;
    if (c == '"') {
      self->at = at + 1;
      return true;
    }
    if (c < 0x20) return fail(self, at, "a control character must be escaped");
    if (c == '\\') {
      uint32_t point;
      *escaped = true;
      self->at = at;
      if (!ck_json_scan_escape(self, &point)) return false;
      at = self->at;
      continue;
    }
    size_t len;
    do {
      len = ck_utf8_length(at, (size_t)(end - at));
      if (len == 0) return fail(self, at, "expected UTF-8");
      at += len;
    } while (at < end && (unsigned char)*at >= 0x80);
  }
}

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at;
}

/* Only many digits or an exponent can pass 1.8e308; the double is made only then. */
static bool is_finite(const char *start, const char *exponent, const char *end) {
  bool small =
      exponent == end ? end - start <= 300 : exponent - start <= 200 && end - exponent <= 3;
  return small || isfinite(ck_json_scan_double((ck_bytes){start, (size_t)(end - start)}));
}

bool ck_json_scan_number(ck_json_scan *self) {
  const char *start = self->at, *end = self->end, *at = start;
  if (at < end && *at == '-') at++;
  const char *digits = at;
  at = skip_digits(at, end);
  if (at == digits) return fail(self, at, "expected a digit");
  if (*digits == '0' && at > digits + 1)
    return fail(self, digits, "a number must not begin with 0");
  if (at < end && *at == '.') {
    digits = ++at;
    at = skip_digits(at, end);
    if (at == digits) return fail(self, at, "expected a digit after the point");
  }
  const char *exponent = at;
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    digits = at;
    at = skip_digits(at, end);
    if (at == digits) return fail(self, at, "expected a digit in the exponent");
  }
  if (!is_finite(start, exponent, at))
    return fail(self, start, "the number is too large for a double");
  self->at = at;
  return true;
}

bool ck_json_scan_literal(ck_json_scan *self) {
  static const char *const literals[] = {"true", "false", "null"};
  for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
    size_t len = strlen(literals[i]);
    if ((size_t)(self->end - self->at) >= len && memcmp(self->at, literals[i], len) == 0) {
      self->at += len;
      return true;
    }
  }
  return fail(self, self->at, "expected a value");
}

bool ck_json_scan_equal(ck_bytes inner, ck_bytes text) {
  ck_json_scan scan = {.at = inner.data, .end = inner.data + inner.len};
  while (scan.at < scan.end) {
    char unit[4] = {*scan.at};
    size_t len = 1;
    uint32_t point;
    if (*scan.at != '\\') {
      scan.at++;
    } else if (ck_json_scan_escape(&scan, &point)) {
      len = ck_utf8_encode(unit, point);
    } else {
      return false;
    }
    ck_bytes front;
    if (!ck_bytes_read(&front, &text, len) || memcmp(front.data, unit, len) != 0) return false;
  }
  return text.len == 0;
}

bool ck_json_scan_decode(ck_buffer *out, ck_bytes inner) {
  ck_json_scan scan = {.at = inner.data, .end = inner.data + inner.len};
  while (scan.at < scan.end) {
    const char *escape = memchr(scan.at, '\\', (size_t)(scan.end - scan.at));
    const char *stop = escape ? escape : scan.end;
    ck_buffer_append(out, scan.at, (size_t)(stop - scan.at));
    scan.at = stop;
    if (!escape) break;
    uint32_t point;
    char unit[4];
    if (!ck_json_scan_escape(&scan, &point)) return false;
    ck_buffer_append(out, unit, ck_utf8_encode(unit, point));
  }
  return true;
}
