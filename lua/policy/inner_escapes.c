/* inner_escapes.c - one pass over a JSON document: its strings, and runs of backslashes in them. */
#include "lua/policy/inner_escapes.h"

#include <string.h>

#include "core/base/utf8.h"

enum { HEX = 4, DIGITS_AT = 3 }; /* of an inner escape as it stands: two backslashes, u, digits */

/* The number of an escape "\\uXXXX" at `at`; -1: there is none. */
static int32_t read_unit(const char *at, const char *end) {
  int32_t unit = 0;
  if (end - at < DIGITS_AT + HEX || memcmp(at, "\\\\u", DIGITS_AT) != 0) return -1;
  for (const char *digit = at + DIGITS_AT; digit < at + DIGITS_AT + HEX; digit++) {
    const char *found = *digit ? strchr("0123456789abcdef0123456789ABCDEF", *digit) : NULL;
    if (!found) return -1;
    unit = unit << 4 | (int32_t)(strlen("0123456789abcdef0123456789ABCDEF") - strlen(found)) % 16;
  }
  return unit;
}

/* The character that begins at `at`, and the bytes that it takes there; 0: none that could stand
 * without an escape. */
static size_t read_point(uint32_t *point, const char *at, const char *end) {
  int32_t high = read_unit(at, end), low;
  size_t len = DIGITS_AT + HEX;
  *point = (uint32_t)high;
  if (high < 0x20 || high == '"' || high == '\\' || (high >= 0xdc00 && high < 0xe000)) return 0;
  if (high < 0xd800 || high >= 0xe000) return len;
  low = read_unit(at + len, end);
  if (low < 0xdc00 || low >= 0xe000) return 0;
  *point = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
  return 2 * len;
}

/* Of `count` backslashes that end at `at` the last two are an escape's of the inner JSON. */
static size_t decode_escape(ck_buffer *out, size_t count, const char *at, const char *end) {
  char bytes[4];
  uint32_t point;
  if (count % 4 != 2 || at == end) return 0;
  if (*at == '/') {
    ck_buffer_append_char(out, '/');
    return 1;
  }
  size_t len = read_point(&point, at - 2, end);
  if (len) ck_buffer_append(out, bytes, ck_utf8_encode(bytes, point));
  return len ? len - 2 : 0;
}

/* The inside of a string. */
static bool decode_text(ck_buffer *out, const char *at, const char *end) {
  bool changed = false;
  while (at < end) {
    size_t count = 0;
    while (at < end && *at == '\\') at++, count++;
    ck_buffer kept = {0};
    size_t len = decode_escape(&kept, count, at, end);
    ck_buffer_append(out, at - count, len ? count - 2 : count);
    ck_buffer_append_bytes(out, ck_buffer_bytes(&kept));
    out->failed |= kept.failed;
    ck_buffer_clear(&kept);
    changed |= len > 0;
    at += len;
    if (!len && at < end) ck_buffer_append_char(out, *at++);
  }
  return changed;
}

/* Behind the string that begins at `at`, at its closing quote. */
static const char *find_quote(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\') at++;
  return at;
}

static bool is_name(const char *quote, const char *end) {
  const char *next = quote + 1;
  while (next < end && strchr(" \t\r\n", *next)) next++;
  return next < end && *next == ':';
}

static bool decode(ck_buffer *out, ck_bytes json) {
  const char *at = json.data, *end = json.data + json.len;
  bool changed = false;
  while (at < end) {
    const char *quote = *at == '"' ? find_quote(at, end) : NULL;
    if (!quote || is_name(quote, end)) {
      const char *stop = quote ? quote + 1 : at + 1;
      ck_buffer_append(out, at, (size_t)(stop - at));
      at = stop;
      continue;
    }
    ck_buffer_append_char(out, '"');
    changed |= decode_text(out, at + 1, quote);
    ck_buffer_append_char(out, '"');
    at = quote + 1;
  }
  return changed;
}

ck_status ck_inner_escapes_decode(ck_value **out, const ck_value *value, ck_error *err) {
  ck_bytes json = ck_value_bytes(value);
  ck_buffer plain = {0};
  *out = NULL;
  if (!memmem(json.data, json.len, "\\\\u", 3) && !memmem(json.data, json.len, "\\\\/", 3))
    return CK_OK;
  bool changed = decode(&plain, json);
  ck_status status = ck_buffer_check(&plain, err);
  if (status == CK_OK && changed) status = ck_value_from(out, &plain, err);
  ck_buffer_clear(&plain);
  return status;
}
