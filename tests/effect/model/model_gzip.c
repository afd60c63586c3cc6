/* model_gzip.c - gzip by hand (RFC 1951, 1952): stored, and bombs. */
#include "tests/effect/model/model_script.h"

static const char gzip_head[10] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";

static void append_little(ck_buffer *out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) ck_buffer_append_char(out, (char)(value >> (8 * i)));
}

static uint32_t crc_of(ck_bytes plain) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < plain.len; i++) {
    crc ^= (unsigned char)plain.data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

void model_script_gzip(ck_buffer *out, ck_bytes plain) {
  ck_buffer_append(out, gzip_head, sizeof gzip_head);
  for (size_t at = 0; at == 0 || at < plain.len;) {
    size_t len = plain.len - at < 65535 ? plain.len - at : 65535;
    ck_buffer_append_char(out, at + len == plain.len);
    append_little(out, (uint32_t)len, 2);
    append_little(out, (uint32_t)~len & 0xffff, 2);
    ck_buffer_append(out, plain.data + at, len);
    at += len ? len : 1;
  }
  append_little(out, crc_of(plain), 4);
  append_little(out, (uint32_t)plain.len, 4);
}

/* Codes go in from their highest bit, into bytes from their lowest. */
typedef struct bits {
  ck_buffer *out;
  unsigned byte, count;
} bits;

static void put_bits(bits *self, unsigned code, int width) {
  while (width-- > 0) {
    self->byte |= (code >> width & 1) << self->count;
    if (++self->count < 8) continue;
    ck_buffer_append_char(self->out, (char)self->byte);
    self->byte = self->count = 0;
  }
}

/* One blank, then "258 times what was one byte ago" in 13 bits each. */
void model_script_bomb(ck_buffer *out, size_t blanks) {
  bits w = {.out = out};
  ck_buffer_append(out, gzip_head, sizeof gzip_head);
  put_bits(&w, 1, 1);
  put_bits(&w, 2, 2);
  put_bits(&w, 0x30 + ' ', 8);
  for (size_t i = 0; i < blanks / 258; i++) {
    put_bits(&w, 0xc5, 8);
    put_bits(&w, 0, 5);
  }
  put_bits(&w, 0, 7);
  put_bits(&w, 0, 7);
  append_little(out, 0, 4);
  append_little(out, (uint32_t)(1 + blanks / 258 * 258), 4);
}
