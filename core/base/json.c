/* json.c - navigates in valid JSON without copying; on other text it stays in bounds, but its
 * results mean nothing. */
#include "core/base/json.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json_scan.h"

static const ck_bytes nothing = {NULL, 0};

static ck_bytes trim(ck_bytes value) {
  if (!value.data) return nothing;
  const char *end = value.data + value.len, *at = ck_json_skip_space(value.data, end);
  while (end > at && ck_json_skip_space(end - 1, end) == end) end--;
  return (ck_bytes){at, (size_t)(end - at)};
}

/* The position after the container that begins at `at`; NULL when it does not end. Brackets are
 * counted, not matched. */
static const char *skip_container(const char *at, const char *end) {
  size_t depth = 0;
  while (at < end) {
    if (*at == '"') {
      ck_json_scan scan = {.at = at, .end = end};
      bool escaped;
      if (!ck_json_scan_string(&scan, &escaped)) return NULL;
      at = scan.at;
      continue;
    }
    char c = *at++;
    if (c == '[' || c == '{') depth++;
    if ((c == ']' || c == '}') && --depth == 0) return at;
  }
  return NULL;
}

static const char *skip_value(const char *at, const char *end) {
  if (at == end) return NULL;
  if (*at == '[' || *at == '{') return skip_container(at, end);
  ck_json_scan scan = {.at = at, .end = end};
  bool escaped, held;
  if (*at == '"') {
    held = ck_json_scan_string(&scan, &escaped);
  } else if (*at == '-' || (*at >= '0' && *at <= '9')) {
    held = ck_json_scan_number(&scan);
  } else {
    held = ck_json_scan_literal(&scan);
  }
  return held ? scan.at : NULL;
}

/* A scalar is checked as a whole, a string or container at its two ends. */
ck_json_type ck_json_type_of(ck_bytes value) {
  value = trim(value);
  if (value.len == 0) return CK_JSON_NONE;
  char first = value.data[0], last = value.data[value.len - 1];
  if (first == '{') return last == '}' ? CK_JSON_OBJECT : CK_JSON_NONE;
  if (first == '[') return last == ']' ? CK_JSON_ARRAY : CK_JSON_NONE;
  if (first == '"') return last == '"' && value.len >= 2 ? CK_JSON_STRING : CK_JSON_NONE;
  if (skip_value(value.data, value.data + value.len) != value.data + value.len) return CK_JSON_NONE;
  if (first == 'n') return CK_JSON_NULL;
  if (first == 'f') return CK_JSON_FALSE;
  return first == 't' ? CK_JSON_TRUE : CK_JSON_NUMBER;
}

ck_json_iterator ck_json_iterate(ck_bytes value) {
  value = trim(value);
  ck_json_iterator it = {0};
  if (value.len < 2 || (value.data[0] != '[' && value.data[0] != '{')) return it;
  it.object = value.data[0] == '{';
  it.rest = (ck_bytes){value.data + 1, value.len - 1};
  return it;
}

/* Consumes the span from `at` to `behind`, when there is one, and the space after it. */
static const char *take(ck_bytes *out, const char *at, const char *behind, const char *end) {
  if (!behind) return NULL;
  *out = (ck_bytes){at, (size_t)(behind - at)};
  return ck_json_skip_space(behind, end);
}

static const char *next_name(ck_json_iterator *it, const char *at, const char *end) {
  if (at == end || *at != '"') return NULL;
  at = take(&it->name, at, skip_value(at, end), end);
  return at && at < end && *at == ':' ? ck_json_skip_space(at + 1, end) : NULL;
}

static const char *next_value(ck_json_iterator *it) {
  const char *end = it->rest.data + it->rest.len, *at = ck_json_skip_space(it->rest.data, end);
  if (at < end && *at == (it->object ? '}' : ']')) return NULL;
  if (it->begun) {
    if (at == end || *at != ',') return NULL;
    at = ck_json_skip_space(at + 1, end);
  }
  if (it->object && !(at = next_name(it, at, end))) return NULL;
  return take(&it->value, at, skip_value(at, end), end);
}

bool ck_json_next(ck_json_iterator *it) {
  const char *at = it->rest.data ? next_value(it) : NULL;
  if (!at) {
    it->rest = it->name = it->value = nothing;
    return false;
  }
  it->begun = true;
  it->rest = (ck_bytes){at, it->rest.len - (size_t)(at - it->rest.data)};
  return true;
}

size_t ck_json_count(ck_bytes value) {
  size_t count = 0;
  ck_json_iterator it = ck_json_iterate(value);
  while (ck_json_next(&it)) count++;
  return count;
}

size_t ck_json_count_common(ck_bytes a, ck_bytes b) {
  size_t count = 0;
  ck_json_iterator x = ck_json_iterate(a), y = ck_json_iterate(b);
  while (ck_json_next(&x) && ck_json_next(&y) && ck_bytes_equal(x.value, y.value)) count++;
  return count;
}

/* `string` has its quotes. Without a backslash the bytes are the text. */
static bool decodes_to(ck_bytes string, ck_bytes text) {
  ck_bytes inner = {string.data + 1, string.len - 2};
  if (inner.len < text.len) return false;
  bool escaped = memchr(inner.data, '\\', inner.len) != NULL;
  return escaped ? ck_json_scan_equal(inner, text) : ck_bytes_equal(inner, text);
}

ck_bytes ck_json_get(ck_bytes object, const char *name) {
  ck_bytes wanted = ck_bytes_text(name);
  ck_json_iterator it = ck_json_iterate(object);
  if (!it.object) return nothing;
  while (ck_json_next(&it)) {
    if (decodes_to(it.name, wanted)) return it.value;
  }
  return nothing;
}

void ck_json_get_all(ck_bytes *values, const char *const *names, size_t count, ck_bytes object) {
  size_t left = count;
  ck_json_iterator it = ck_json_iterate(object);
  for (size_t i = 0; i < count; i++) values[i] = nothing;
  while (left > 0 && it.object && ck_json_next(&it)) {
    size_t at = 0;
    while (at < count && (values[at].data || !decodes_to(it.name, ck_bytes_text(names[at])))) at++;
    if (at == count) continue;
    values[at] = it.value;
    left--;
  }
}

/* The span without its quotes; false when the value is not a string and nothing else. */
static bool string_inner(ck_bytes *inner, bool *escaped, ck_bytes value) {
  value = trim(value);
  *inner = nothing;
  if (ck_json_type_of(value) != CK_JSON_STRING) return false;
  ck_json_scan scan = {.at = value.data, .end = value.data + value.len};
  if (!ck_json_scan_string(&scan, escaped) || scan.at != scan.end) return false;
  *inner = (ck_bytes){value.data + 1, value.len - 2};
  return true;
}

bool ck_json_read_string(ck_buffer *out, ck_bytes value) {
  ck_bytes inner;
  bool escaped;
  if (!string_inner(&inner, &escaped, value)) return false;
  if (escaped) return ck_json_scan_decode(out, inner);
  ck_buffer_append_bytes(out, inner);
  return true;
}

char *ck_json_dup_string(ck_bytes value) {
  ck_buffer text = {0};
  return ck_json_read_string(&text, value) ? ck_buffer_take(&text) : NULL;
}

bool ck_json_is_text(ck_bytes value, const char *text) {
  value = trim(value);
  return ck_json_type_of(value) == CK_JSON_STRING && decodes_to(value, ck_bytes_text(text));
}

bool ck_json_read_int(int64_t *out, ck_bytes value) {
  *out = 0;
  value = trim(value);
  if (ck_json_type_of(value) != CK_JSON_NUMBER) return false;
  bool negative = value.data[0] == '-';
  int64_t number = 0;
  for (size_t i = negative; i < value.len; i++) {
    int digit = value.data[i] - '0';
    if (digit < 0 || digit > 9) return false; /* a point or an exponent */
    if (__builtin_mul_overflow(number, 10, &number)) return false;
    if (__builtin_add_overflow(number, negative ? -digit : digit, &number)) return false;
  }
  *out = number;
  return true;
}

bool ck_json_read_double(double *out, ck_bytes value) {
  *out = 0;
  value = trim(value);
  if (ck_json_type_of(value) != CK_JSON_NUMBER) return false;
  *out = ck_json_scan_double(value);
  return true;
}

bool ck_json_read_bool(bool *out, ck_bytes value) {
  ck_json_type type = ck_json_type_of(value);
  *out = type == CK_JSON_TRUE;
  return type == CK_JSON_TRUE || type == CK_JSON_FALSE;
}
