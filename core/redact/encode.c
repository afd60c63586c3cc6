/* encode.c - form encoding, hex, base64 and base32 of bytes inside a larger text. */
#include "core/redact/encode.h"

#include <string.h>

/* The numbers of the encodings, in their order. */
enum { FORM, HEX, COLONS = HEX + 2, BASE64 = COLONS + 2, TWICE = BASE64 + 6, BASE32 = TWICE + 18 };

/* An alphabet whose digits have `bits` bits. */
typedef struct radix {
  const char *digits;
  unsigned bits;
} radix;
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SMALL "abcdefghijklmnopqrstuvwxyz"
static const radix base64 = {LETTERS SMALL "0123456789+/", 6},
                   base64_url = {LETTERS SMALL "0123456789-_", 6}, base32 = {LETTERS "234567", 5},
                   base32_small = {SMALL "234567", 5};

static void append_form(ck_buffer *out, ck_bytes bytes) {
  if (!memchr(bytes.data, ' ', bytes.len)) return;
  for (size_t i = 0; i < bytes.len; i++)
    ck_buffer_append_char(out, bytes.data[i] == ' ' ? '+' : bytes.data[i]);
}

static void append_hex(ck_buffer *out, const char *digits, const char *between, ck_bytes bytes) {
  for (size_t i = 0; i < bytes.len; i++) {
    unsigned char c = (unsigned char)bytes.data[i];
    if (i > 0) ck_buffer_append_text(out, between);
    ck_buffer_append(out, (char[]){digits[c >> 4], digits[c & 15]}, 2);
  }
}

/* `before` unknown bytes precede; only digits with all of their bits from `bytes` are appended. */
static void append_radix(ck_buffer *out, const radix *in, size_t before, ck_bytes bytes) {
  size_t bits = in->bits, first = (before * 8 + bits - 1) / bits,
         end = (before + bytes.len) * 8 / bits;
  for (size_t i = first; i < end; i++) {
    size_t bit = i * bits - before * 8, byte = bit / 8, shift = bit % 8;
    unsigned pair = (unsigned)(unsigned char)bytes.data[byte] << 8;
    if (byte + 1 < bytes.len) pair |= (unsigned char)bytes.data[byte + 1];
    ck_buffer_append_char(out, in->digits[pair >> (16 - bits - shift) & ((1u << bits) - 1)]);
  }
}

/* Base64 of the base64 or, where that differs, of the base64url of the bytes, of which the digits
 * that are shared are not known. Of text both have the same digits, so outside one is enough. */
static void append_twice(ck_buffer *out, size_t which, ck_bytes bytes) {
  size_t inner = which / 3 % 3, outer = which % 3;
  bool url = which >= 9;
  ck_buffer once = {0};
  if (!ck_buffer_extend(&once, 2 * bytes.len)) out->failed = true; /* none is left by growing */
  ck_buffer_reset(&once);
  append_radix(&once, url ? &base64_url : &base64, inner, bytes);
  bool differs =
      !url || (once.len && (memchr(once.data, '-', once.len) || memchr(once.data, '_', once.len)));
  if (once.len > 0 && differs) append_radix(out, &base64, outer, ck_buffer_bytes(&once));
  if (once.failed) out->failed = true;
  if (once.data) explicit_bzero(once.data, once.cap);
  ck_buffer_clear(&once);
}

static ck_encoding_rest rest_of(const radix *in, size_t before, size_t len) {
  return (ck_encoding_rest){before * 8 % in->bits > 0, (before + len) * 8 % in->bits > 0};
}

ck_encoding_rest ck_encode_rest(int which, size_t len) {
  if (which < BASE64) return (ck_encoding_rest){0};
  size_t at = (size_t)which;
  if (which < TWICE) return rest_of(&base64, (at - BASE64) % 3, len);
  if (which >= BASE32) return rest_of(&base32, (at - BASE32) % 5, len);
  return (ck_encoding_rest){1, 1};
}

void ck_encode_append(ck_buffer *out, int which, ck_bytes bytes) {
  static const char *const digits[] = {"0123456789abcdef", "0123456789ABCDEF"};
  size_t at = (size_t)which;
  if (which == FORM)
    append_form(out, bytes);
  else if (which < BASE64)
    append_hex(out, digits[(at - HEX) % 2], which < COLONS ? "" : ":", bytes);
  else if (which < TWICE)
    append_radix(out, which < BASE64 + 3 ? &base64 : &base64_url, (at - BASE64) % 3, bytes);
  else if (which < BASE32)
    append_twice(out, at - TWICE, bytes);
  else
    append_radix(out, which < BASE32 + 5 ? &base32 : &base32_small, (at - BASE32) % 5, bytes);
}
