/* placeholder.c - writes and recognises placeholders. */
#include "core/base/placeholder.h"

#include <stdio.h>
#include <string.h>

#define BEGIN "[redacted:"
enum { BEGIN_LEN = sizeof BEGIN - 1, HEX_LEN = CK_FINGERPRINT_SIZE - 1 };

static bool is_kind(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

void ck_kind_write(char out[CK_KIND_SIZE], const char *name) {
  size_t len = 0;
  for (; name && name[len] && len < CK_KIND_SIZE - 1; len++) {
    char c = name[len];
    if (c >= 'A' && c <= 'Z') c = (char)(c | 0x20);
    out[len] = is_kind(c) ? c : '_';
  }
  out[len] = '\0';
  if (len == 0) memcpy(out, "secret", sizeof "secret");
}

static const char no_fingerprint[CK_FINGERPRINT_SIZE] = "000000000000";

bool ck_fingerprint_key_is_set(const ck_fingerprint_key *key) {
  static const ck_fingerprint_key none;
  return key && memcmp(key, &none, sizeof none) != 0;
}

void ck_fingerprint_write(char out[CK_FINGERPRINT_SIZE], const ck_fingerprint_key *key,
                          ck_bytes secret) {
  ck_digester digester;
  memcpy(out, no_fingerprint, CK_FINGERPRINT_SIZE);
  if (!ck_fingerprint_key_is_set(key)) return;
  ck_digester_init(&digester);
  ck_digester_update(&digester, key->bytes, sizeof key->bytes);
  ck_digester_update_field(&digester, secret);
  ck_digest digest = ck_digester_final(&digester);
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &digest);
  memcpy(out, hex, HEX_LEN);
}

void ck_placeholder_write(char out[CK_PLACEHOLDER_SIZE], const ck_fingerprint_key *key,
                          const char *kind, ck_bytes secret) {
  char hex[CK_FINGERPRINT_SIZE];
  ck_fingerprint_write(hex, key, secret);
  snprintf(out, CK_PLACEHOLDER_SIZE, BEGIN "%.32s:%s]", kind, hex);
}

/* The length of the placeholder at the beginning of `text`; 0: none. */
static size_t measure(ck_bytes *kind, ck_bytes text) {
  if (text.len < BEGIN_LEN || memcmp(text.data, BEGIN, BEGIN_LEN) != 0) return 0;
  size_t at = BEGIN_LEN, most = at + CK_KIND_SIZE - 1;
  while (at < text.len && at < most && is_kind(text.data[at])) at++;
  *kind = (ck_bytes){text.data + BEGIN_LEN, at - BEGIN_LEN};
  if (kind->len == 0 || text.len - at < HEX_LEN + 2 || text.data[at] != ':') return 0;
  for (size_t end = ++at + HEX_LEN; at < end; at++)
    if (!is_hex(text.data[at])) return 0;
  return text.data[at] == ']' ? at + 1 : 0;
}

bool ck_placeholder_find(ck_bytes *out, ck_bytes *kind, ck_bytes text) {
  ck_bytes ignored;
  while (text.len > BEGIN_LEN) {
    const char *at = memmem(text.data, text.len, BEGIN, BEGIN_LEN);
    if (!at) return false;
    text = (ck_bytes){at, text.len - (size_t)(at - text.data)};
    size_t len = measure(kind ? kind : &ignored, text);
    *out = (ck_bytes){at, len};
    if (len > 0) return true;
    text = (ck_bytes){at + BEGIN_LEN, text.len - BEGIN_LEN};
  }
  return false;
}

size_t ck_placeholder_measure(ck_bytes text) {
  ck_bytes kind;
  return measure(&kind, text);
}

bool ck_placeholder_is(ck_bytes text) {
  ck_bytes kind;
  return text.len > 0 && measure(&kind, text) == text.len;
}

bool ck_placeholder_around(ck_bytes *kind, ck_bytes text, size_t at) {
  size_t from = at < CK_PLACEHOLDER_SIZE ? 0 : at - CK_PLACEHOLDER_SIZE;
  ck_bytes found, rest = {text.data + from, text.len - from};
  if (rest.len > 2 * CK_PLACEHOLDER_SIZE) rest.len = 2 * CK_PLACEHOLDER_SIZE;
  while (ck_placeholder_find(&found, kind, rest)) {
    const char *end = found.data + found.len;
    if (text.data + at < found.data) return false;
    if (text.data + at < end) return true;
    rest = (ck_bytes){end, rest.len - (size_t)(end - rest.data)};
  }
  return false;
}

/* The text up to its first fingerprint; without one, all of it. */
static ck_bytes before_fingerprint(ck_bytes text) {
  ck_bytes found;
  if (!ck_placeholder_find(&found, NULL, text)) return text;
  return (ck_bytes){text.data, (size_t)(found.data + found.len - 1 - HEX_LEN - text.data)};
}

static ck_bytes skip(ck_bytes text, size_t len) {
  return (ck_bytes){text.data + len, text.len - len};
}

bool ck_placeholder_equal(ck_bytes a, ck_bytes b) {
  if (a.len != b.len) return false;
  while (!ck_bytes_equal(a, b)) {
    ck_bytes left = before_fingerprint(a), right = before_fingerprint(b);
    if (left.len == a.len || !ck_bytes_equal(left, right)) return false;
    a = skip(a, left.len + HEX_LEN);
    b = skip(b, right.len + HEX_LEN);
  }
  return true;
}

bool ck_placeholder_digest_field(ck_digester *to, ck_bytes text) {
  ck_bytes part = before_fingerprint(text);
  bool masked = part.len < text.len;
  if (!masked) {
    ck_digester_update_field(to, text);
    return false;
  }
  ck_digester_update_int(to, (int64_t)text.len);
  for (; part.len < text.len; part = before_fingerprint(text)) {
    ck_digester_update(to, part.data, part.len);
    ck_digester_update(to, no_fingerprint, HEX_LEN);
    text = skip(text, part.len + HEX_LEN);
  }
  ck_digester_update(to, text.data, text.len);
  return true;
}

/* The quotes around a placeholder, escaped or not, can belong to it: a masked number becomes a
 * text. */
static ck_bytes trim_front(ck_bytes text) {
  size_t at = 0;
  while (at < text.len && text.data[at] == '\\') at++;
  if (at < text.len && text.data[at] == '"')
    return (ck_bytes){text.data + at + 1, text.len - at - 1};
  return text;
}

static ck_bytes trim_back(ck_bytes text) {
  if (text.len > 0 && text.data[text.len - 1] == '"')
    text.len--;
  else
    return text;
  while (text.len > 0 && text.data[text.len - 1] == '\\') text.len--;
  return text;
}

/* Matches the text between two placeholders at its first occurrence. */
bool ck_placeholder_matches(ck_bytes masked, ck_bytes original) {
  ck_bytes found;
  bool first = true;
  while (ck_placeholder_find(&found, NULL, masked)) {
    ck_bytes piece = trim_back((ck_bytes){masked.data, (size_t)(found.data - masked.data)});
    const char *at =
        piece.len == 0 ? original.data : memmem(original.data, original.len, piece.data, piece.len);
    if (!at || (first && at != original.data)) return false;
    size_t passed = (size_t)(at - original.data) + piece.len;
    original = (ck_bytes){original.data + passed, original.len - passed};
    masked = trim_front((ck_bytes){found.data + found.len,
                                   masked.len - (size_t)(found.data + found.len - masked.data)});
    first = false;
  }
  if (first) return ck_bytes_equal(masked, original);
  return masked.len <= original.len &&
         memcmp(original.data + original.len - masked.len, masked.data, masked.len) == 0;
}
