/* unfold.c - decodes one layer of encoding, leniently: for searching, never for writing. */
#include "core/redact/unfold.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json_scan.h"
#include "core/base/utf8.h"

enum { SEQUENCE_MAX = 32 };

/* What is decoded is no longer than what it is decoded from. A buffer that grew on the way would
 * leave copies of it behind. */
static void begin(ck_unfolded *out, ck_bytes text) {
  if (out->text.cap <= text.len) {
    if (out->text.data) explicit_bzero(out->text.data, out->text.cap);
    ck_buffer_clear(&out->text);
    ck_buffer_extend(&out->text, text.len + 1);
  }
  ck_buffer_reset(&out->text);
  out->count = 0;
}

static void add_fold(ck_unfolded *out, ck_fold fold) {
  ck_fold *folds = ck_array_grow(out->folds, out->count, &out->cap, sizeof *folds);
  if (!folds) {
    out->failed = true;
    return;
  }
  out->folds = folds;
  out->folds[out->count++] = fold;
}

/* Appends `bytes` for the `from_len` bytes at `from`. */
static void put(ck_unfolded *out, ck_bytes bytes, size_t from, size_t from_len) {
  add_fold(out, (ck_fold){out->text.len, from, (uint8_t)bytes.len, (uint8_t)from_len});
  ck_buffer_append_bytes(&out->text, bytes);
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  char lower = (char)(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* The length of the escape whose backslash is at `at`; 0: none. \u0000, which is invalid in JSON,
 * is accepted. */
static size_t read_escape(char unit[4], size_t *unit_len, const char *at, const char *end) {
  uint32_t point;
  ck_json_scan scan = {.at = at, .end = end};
  if (end - at >= 6 && memcmp(at, "\\u0000", 6) == 0) {
    unit[0] = '\0';
    *unit_len = 1;
    return 6;
  }
  if (!ck_json_scan_escape(&scan, &point)) return 0;
  *unit_len = ck_utf8_encode(unit, point);
  return (size_t)(scan.at - at);
}

void ck_unfold_json(ck_unfolded *out, ck_bytes text) {
  begin(out, text);
  const char *at = text.data, *end = text.data + text.len;
  while (at < end && !out->failed) {
    const char *escape = memchr(at, '\\', (size_t)(end - at)), *stop = escape ? escape : end;
    ck_buffer_append(&out->text, at, (size_t)(stop - at));
    if (!escape) break;
    char unit[4];
    size_t unit_len, len = read_escape(unit, &unit_len, stop, end);
    if (len > 0)
      put(out, (ck_bytes){unit, unit_len}, (size_t)(stop - text.data), len);
    else
      ck_buffer_append_char(&out->text, '\\');
    at = stop + (len > 0 ? len : 1);
  }
}

void ck_unfold_percent(ck_unfolded *out, ck_bytes text) {
  begin(out, text);
  const char *at = text.data, *end = text.data + text.len;
  while (at < end && !out->failed) {
    const char *escape = memchr(at, '%', (size_t)(end - at)), *stop = escape ? escape : end;
    ck_buffer_append(&out->text, at, (size_t)(stop - at));
    if (!escape) break;
    int high = end - stop >= 3 ? hex_value(stop[1]) : -1,
        low = end - stop >= 3 ? hex_value(stop[2]) : -1;
    bool whole = high >= 0 && low >= 0;
    char c = whole ? (char)(high << 4 | low) : '%';
    if (whole)
      put(out, (ck_bytes){&c, 1}, (size_t)(stop - text.data), 3);
    else
      ck_buffer_append_char(&out->text, c);
    at = stop + (whole ? 3 : 1);
  }
}

void ck_unfold_lines(ck_unfolded *out, ck_bytes text) {
  begin(out, text);
  const char *at = text.data, *end = text.data + text.len;
  while (at < end && !out->failed) {
    const char *line = memchr(at, '\n', (size_t)(end - at)), *stop = line ? line : end;
    size_t len = 1;
    if (line > at && line[-1] == '\r') stop--, len++;
    ck_buffer_append(&out->text, at, (size_t)(stop - at));
    if (!line) break;
    put(out, (ck_bytes){NULL, 0}, (size_t)(stop - text.data), len);
    at = line + 1;
  }
}

static size_t read_number(uint32_t *out, ck_bytes text, unsigned base, size_t most) {
  size_t i = 0;
  *out = 0;
  for (; i < text.len && i < most; i++) {
    int digit = hex_value(text.data[i]);
    if (digit < 0 || (unsigned)digit >= base) break;
    *out = *out * base + (unsigned)digit;
  }
  return i;
}

/* The length of the thing at the beginning of `text` that stands for the `*unit_len` bytes of
 * `unit`, perhaps none; 0: there is none. */
typedef size_t read_function(char unit[4], size_t *unit_len, ck_bytes text);

static size_t read_byte(char unit[4], size_t *unit_len, ck_bytes text) {
  if (text.len < 2) return 0;
  bool hex = text.data[1] == 'x';
  ck_bytes digits = {text.data + 1 + hex, text.len - 1 - hex};
  uint32_t value;
  size_t len = read_number(&value, digits, hex ? 16 : 8, hex ? 2 : 3);
  if (len < (hex ? 2u : 3u) || value > 255) return 0;
  unit[0] = (char)value;
  *unit_len = 1;
  return 1 + hex + len;
}

static size_t read_entity(char unit[4], size_t *unit_len, ck_bytes text) {
  static const struct {
    const char *name, *text;
  } named[] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    size_t len = strlen(named[i].name);
    if (text.len < len || memcmp(text.data, named[i].name, len) != 0) continue;
    unit[0] = *named[i].text;
    *unit_len = 1;
    return len;
  }
  if (text.len < 4 || text.data[1] != '#') return 0;
  bool hex = (text.data[2] | 0x20) == 'x';
  ck_bytes digits = {text.data + 2 + hex, text.len - 2 - hex};
  uint32_t point;
  size_t len = read_number(&point, digits, hex ? 16 : 10, 7);
  if (len == 0 || point == 0 || point > 0x10ffff || len == digits.len || digits.data[len] != ';')
    return 0;
  *unit_len = ck_utf8_encode(unit, point);
  return 2 + hex + len + 1;
}

/* Characters without width, in UTF-8; a control sequence. */
static size_t read_hidden(char unit[4], size_t *unit_len, ck_bytes text) {
  static const char *const widthless[] = {"\xc2\xad",     "\xe2\x80\x8b", "\xe2\x80\x8c",
                                          "\xe2\x80\x8d", "\xe2\x81\xa0", "\xef\xbb\xbf"};
  (void)unit;
  *unit_len = 0;
  for (size_t i = 0; i < sizeof widthless / sizeof *widthless; i++) {
    size_t len = strlen(widthless[i]);
    if (text.len >= len && memcmp(text.data, widthless[i], len) == 0) return len;
  }
  if (text.len < 3 || text.data[0] != '\x1b' || text.data[1] != '[') return 0;
  size_t at = 2;
  while (at < text.len && at < SEQUENCE_MAX && text.data[at] >= ' ' && text.data[at] < '@') at++;
  return at < text.len && text.data[at] >= '@' && text.data[at] <= '~' ? at + 1 : 0;
}

/* Looks for each of the bytes in `signs`. */
static void unfold(ck_unfolded *out, ck_bytes text, const char *signs, read_function *reads) {
  begin(out, text);
  bool sign[256] = {false};
  for (const char *s = signs; *s; s++) sign[(unsigned char)*s] = true;
  size_t copied = 0;
  for (size_t at = 0; at < text.len && !out->failed; at++) {
    char unit[4];
    size_t unit_len;
    if (!sign[(unsigned char)text.data[at]]) continue;
    size_t len = reads(unit, &unit_len, (ck_bytes){text.data + at, text.len - at});
    if (len == 0) continue;
    ck_buffer_append(&out->text, text.data + copied, at - copied);
    put(out, (ck_bytes){unit, unit_len}, at, len);
    copied = at + len;
    at = copied - 1;
  }
  ck_buffer_append(&out->text, text.data + copied, text.len - copied);
}

void ck_unfold_bytes(ck_unfolded *out, ck_bytes text) { unfold(out, text, "\\", read_byte); }
void ck_unfold_entities(ck_unfolded *out, ck_bytes text) { unfold(out, text, "&", read_entity); }
void ck_unfold_hidden(ck_unfolded *out, ck_bytes text) {
  unfold(out, text, "\x1b\xc2\xe2\xef", read_hidden);
}

/* The number of folds that begin at or before `at`; an empty one counts only when `at` is after
 * it. */
static size_t folds_until(const ck_unfolded *self, size_t at) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->folds[middle].at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The source position of the byte at `at`: the first byte of its encoding (or, `behind`, the one
 * after the last). */
static size_t source_of(const ck_unfolded *self, size_t at, bool behind) {
  size_t count = folds_until(self, at);
  if (count == 0) return at + behind;
  const ck_fold *fold = &self->folds[count - 1];
  if (at < fold->at + fold->len) return behind ? fold->from + fold->from_len : fold->from;
  return fold->from + fold->from_len + (at - fold->at - fold->len) + behind;
}

void ck_unfolded_map(const ck_unfolded *self, size_t *start, size_t *end) {
  *start = source_of(self, *start, false);
  *end = source_of(self, *end - 1, true);
}

void ck_unfolded_clear(ck_unfolded *self) {
  free(self->folds);
  ck_buffer_clear(&self->text);
  *self = (ck_unfolded){0};
}
