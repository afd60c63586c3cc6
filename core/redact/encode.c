/* encode.c - form encoding, hex, and base64 of bytes inside a larger text. */
#include "core/redact/encode.h"

#include <string.h>

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

static void append_form(ck_buffer *out, ck_bytes bytes) {
  if (!memchr(bytes.data, ' ', bytes.len)) return;
  for (size_t i = 0; i < bytes.len; i++)
    ck_buffer_append_char(out, bytes.data[i] == ' ' ? '+' : bytes.data[i]);
}

static void append_hex(ck_buffer *out, const char *digits, ck_bytes bytes) {
  for (size_t i = 0; i < bytes.len; i++) {
    unsigned char c = (unsigned char)bytes.data[i];
    ck_buffer_append(out, (char[]){digits[c >> 4], digits[c & 15]}, 2);
  }
}

/* `before` unknown bytes (0 to 2) precede; only characters with all of their bits from `bytes` are
 * appended. */
static void append_base64(ck_buffer *out, const char *last, size_t before, ck_bytes bytes) {
  size_t first = (before * 8 + 5) / 6, end = (before + bytes.len) * 8 / 6;
  for (size_t i = first; i < end; i++) {
    size_t bit = i * 6 - before * 8, byte = bit / 8, shift = bit % 8;
    unsigned pair = (unsigned)(unsigned char)bytes.data[byte] << 8;
    if (byte + 1 < bytes.len) pair |= (unsigned char)bytes.data[byte + 1];
    unsigned value = pair >> (10 - shift) & 63;
    ck_buffer_append_char(out, value < 62 ? base64[value] : last[value - 62]);
  }
}

ck_encoding_rest ck_encode_rest(int which, size_t len) {
  if (which < 3) return (ck_encoding_rest){0};
  size_t before = (size_t)which % 3;
  return (ck_encoding_rest){before > 0, (before + len) * 8 % 6 > 0};
}

void ck_encode_append(ck_buffer *out, int which, ck_bytes bytes) {
  if (which == 0)
    append_form(out, bytes);
  else if (which < 3)
    append_hex(out, which == 1 ? "0123456789abcdef" : "0123456789ABCDEF", bytes);
  else
    append_base64(out, which < 6 ? "+/" : "-_", (size_t)which % 3, bytes);
}
