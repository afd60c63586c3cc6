/* msgpack.c - MessagePack as JSON: one value after the other, within bounds. */
#include "core/base/msgpack.h"

#include <math.h>
#include <string.h>

#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/base/utf8.h"

typedef struct reader {
  ck_buffer *out;
  const unsigned char *at, *end;
  int depth;
} reader;

static bool read_value(reader *self);

/* A number of `size` bytes, the highest first. */
static bool read_number(uint64_t *number, reader *self, size_t size) {
  *number = 0;
  if ((size_t)(self->end - self->at) < size) return false;
  for (size_t i = 0; i < size; i++) *number = *number << 8 | *self->at++;
  return true;
}

static bool read_bytes(ck_bytes *bytes, reader *self, uint64_t len) {
  if ((uint64_t)(self->end - self->at) < len) return false;
  *bytes = (ck_bytes){(const char *)self->at, (size_t)len};
  self->at += len;
  return true;
}

static bool is_text(ck_bytes text) {
  for (size_t i = 0, step; i < text.len; i += step) {
    step = ck_utf8_length(text.data + i, text.len - i);
    if (step == 0) return false;
  }
  return true;
}

/* ---- what has no parts ---- */

static bool put_text(reader *self, uint64_t len) {
  ck_bytes text;
  if (!read_bytes(&text, self, len) || !is_text(text)) return false;
  ck_json_append_string(self->out, text);
  return true;
}

static void put_bytes(reader *self, ck_bytes bytes) {
  ck_buffer_append_text(self->out, "{\"$bytes\":\"");
  ck_base64_append(self->out, bytes);
  ck_buffer_append_text(self->out, "\"}");
}

static bool put_binary(reader *self, uint64_t len) {
  ck_bytes bytes;
  if (!read_bytes(&bytes, self, len)) return false;
  put_bytes(self, bytes);
  return true;
}

static void put_double(reader *self, double number) {
  if (isfinite(number))
    ck_buffer_append_format(self->out, "%.17g", number);
  else
    ck_buffer_append_text(self->out, "null");
}

static bool put_float(reader *self, size_t size) {
  uint64_t bits;
  double wide;
  float narrow;
  if (!read_number(&bits, self, size)) return false;
  uint32_t low = (uint32_t)bits;
  memcpy(&narrow, &low, sizeof narrow);
  memcpy(&wide, &bits, sizeof wide);
  put_double(self, size == 4 ? (double)narrow : wide);
  return true;
}

static bool put_unsigned(reader *self, size_t size) {
  uint64_t number;
  if (!read_number(&number, self, size)) return false;
  ck_buffer_append_format(self->out, "%llu", (unsigned long long)number);
  return true;
}

static bool put_signed(reader *self, size_t size) {
  uint64_t number;
  if (!read_number(&number, self, size)) return false;
  uint64_t sign = (uint64_t)1 << (size * 8 - 1);
  ck_buffer_append_format(self->out, "%lld", (long long)((number ^ sign) - sign));
  return true;
}

/* ---- what has parts ---- */

static bool put_list(reader *self, uint64_t count) {
  ck_buffer_append_char(self->out, '[');
  for (uint64_t i = 0; i < count; i++) {
    if (i > 0) ck_buffer_append_char(self->out, ',');
    if (!read_value(self)) return false;
  }
  ck_buffer_append_char(self->out, ']');
  return true;
}

/* A key: a text as it is, anything else but a list or a map as a text of it. */
static bool put_key(reader *self) {
  size_t begin = self->out->len;
  if (!read_value(self) || self->out->failed) return false;
  char first = self->out->data[begin];
  if (first == '"') return true;
  if (first == '{' || first == '[') return false;
  ck_buffer key = {0};
  ck_buffer_append_bytes(&key, (ck_bytes){self->out->data + begin, self->out->len - begin});
  self->out->len = begin;
  ck_json_append_string(self->out, ck_buffer_bytes(&key));
  self->out->failed |= key.failed;
  ck_buffer_clear(&key);
  return true;
}

static bool put_map(reader *self, uint64_t count) {
  ck_buffer_append_char(self->out, '{');
  for (uint64_t i = 0; i < count; i++) {
    if (i > 0) ck_buffer_append_char(self->out, ',');
    if (!put_key(self)) return false;
    ck_buffer_append_char(self->out, ':');
    if (!read_value(self)) return false;
  }
  ck_buffer_append_char(self->out, '}');
  return true;
}

static bool put_extension(reader *self, uint64_t len) {
  uint64_t kind;
  ck_bytes bytes;
  if (!read_number(&kind, self, 1) || !read_bytes(&bytes, self, len)) return false;
  ck_buffer_append_format(self->out, "{\"$ext\":%d,\"value\":", (int)(signed char)kind);
  size_t begin = self->out->len;
  reader within = {.out = self->out,
                   .at = (const unsigned char *)bytes.data,
                   .end = (const unsigned char *)bytes.data + bytes.len,
                   .depth = self->depth};
  if (!read_value(&within) || within.at != within.end) {
    self->out->len = begin;
    put_bytes(self, bytes);
  }
  ck_buffer_append_char(self->out, '}');
  return true;
}

/* ---- one value ---- */

/* The types whose first byte is 0xc0 to 0xdf: what follows it, and what it is the length of. */
static bool put_long(reader *self, unsigned char type) {
  typedef bool (*put_function)(reader * self, uint64_t len);
  static const struct {
    unsigned char first;
    int sizes; /* so many types, with lengths of 1, 2, 4 or of 2, 4 bytes */
    put_function put;
  } lengths[] = {{0xc4, 3, put_binary},
                 {0xc7, 3, put_extension},
                 {0xd9, 3, put_text},
                 {0xdc, 2, put_list},
                 {0xde, 2, put_map}};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    int place = type - lengths[i].first;
    uint64_t len;
    if (place < 0 || place >= lengths[i].sizes) continue;
    size_t size = (size_t)1 << (place + 3 - lengths[i].sizes);
    return read_number(&len, self, size) && lengths[i].put(self, len);
  }
  if (type >= 0xcc && type <= 0xcf) return put_unsigned(self, (size_t)1 << (type - 0xcc));
  if (type >= 0xd0 && type <= 0xd3) return put_signed(self, (size_t)1 << (type - 0xd0));
  if (type >= 0xd4 && type <= 0xd8) return put_extension(self, (uint64_t)1 << (type - 0xd4));
  if (type == 0xca || type == 0xcb) return put_float(self, type == 0xca ? 4 : 8);
  return false;
}

static bool put_value(reader *self, unsigned char type) {
  if (type <= 0x7f || type >= 0xe0)
    ck_buffer_append_format(self->out, "%d", (int)(signed char)type);
  else if (type <= 0x8f)
    return put_map(self, type & 0x0f);
  else if (type <= 0x9f)
    return put_list(self, type & 0x0f);
  else if (type <= 0xbf)
    return put_text(self, type & 0x1f);
  else if (type == 0xc0)
    ck_buffer_append_text(self->out, "null");
  else if (type == 0xc2 || type == 0xc3)
    ck_buffer_append_text(self->out, type == 0xc2 ? "false" : "true");
  else
    return put_long(self, type);
  return true;
}

static bool read_value(reader *self) {
  if (self->at == self->end || self->depth == CK_MSGPACK_DEPTH_MAX || self->out->failed)
    return false;
  self->depth++;
  bool good = put_value(self, *self->at++);
  self->depth--;
  return good;
}

bool ck_msgpack_append_json(ck_buffer *out, ck_bytes bytes) {
  reader self = {.out = out,
                 .at = (const unsigned char *)bytes.data,
                 .end = (const unsigned char *)bytes.data + bytes.len};
  return bytes.len > 0 && read_value(&self) && self.at == self.end;
}
