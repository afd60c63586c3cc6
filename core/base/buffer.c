/* buffer.c - grows by doubling; a failure is remembered. */
#include "core/base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 256, SHORT = 32, VARINT_MAX = 10, DIGITS_MAX = 19 };

ck_bytes ck_bytes_text(const char *text) { return (ck_bytes){text, text ? strlen(text) : 0}; }

bool ck_bytes_equal(ck_bytes a, ck_bytes b) {
  return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Room for `len` more bytes and the NUL. */
static bool reserve(ck_buffer *self, size_t len) {
  if (self->failed) return false;
  if (len < self->cap - self->len) return true;
  size_t wanted, cap = self->cap ? self->cap : FIRST_CAP;
  bool fits = !__builtin_add_overflow(self->len, len, &wanted) && wanted < PTRDIFF_MAX;
  if (fits) {
    while (cap <= wanted) cap *= 2;
  }
  char *data = fits ? realloc(self->data, cap) : NULL;
  if (!data) {
    self->failed = true;
    return false;
  }
  self->data = data;
  self->cap = cap;
  return true;
}

char *ck_buffer_extend(ck_buffer *self, size_t len) {
  if (!reserve(self, len)) return NULL;
  char *at = self->data + self->len;
  self->len += len;
  self->data[self->len] = '\0';
  return at;
}

void ck_buffer_append(ck_buffer *self, const void *data, size_t len) {
  char *at = ck_buffer_extend(self, len);
  if (at && len > 0) memcpy(at, data, len);
}

void ck_buffer_append_bytes(ck_buffer *self, ck_bytes bytes) {
  ck_buffer_append(self, bytes.data, bytes.len);
}

void ck_buffer_append_text(ck_buffer *self, const char *text) {
  ck_buffer_append_bytes(self, ck_bytes_text(text));
}

void ck_buffer_append_char(ck_buffer *self, char c) {
  char *at = ck_buffer_extend(self, 1);
  if (at) *at = c;
}

/* Most of what is formatted is short: it is written once, into the room that there is. */
void ck_buffer_append_format(ck_buffer *self, const char *format, ...) {
  va_list args;
  if (!reserve(self, SHORT)) return;
  size_t room = self->cap - self->len;
  va_start(args, format);
  int len = vsnprintf(self->data + self->len, room, format, args);
  va_end(args);
  if (len < 0) self->failed = true;
  if (len >= 0 && (size_t)len >= room && reserve(self, (size_t)len)) {
    va_start(args, format);
    vsnprintf(self->data + self->len, (size_t)len + 1, format, args);
    va_end(args);
  }
  if (!self->failed) self->len += (size_t)len;
  self->data[self->len] = '\0';
}

/* Without a format string, because most of an event is numbers. */
void ck_buffer_append_int(ck_buffer *self, int64_t number) {
  char digits[DIGITS_MAX + 1], *at = digits + sizeof digits;
  uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
  do *--at = (char)('0' + rest % 10);
  while (rest /= 10);
  if (number < 0) *--at = '-';
  ck_buffer_append(self, at, (size_t)(digits + sizeof digits - at));
}

void ck_buffer_append_varint(ck_buffer *self, uint64_t number) {
  char bytes[VARINT_MAX];
  size_t len = 0;
  for (; number >= 0x80; number >>= 7) bytes[len++] = (char)(number | 0x80);
  bytes[len++] = (char)number;
  ck_buffer_append(self, bytes, len);
}

ck_status ck_buffer_check(const ck_buffer *self, ck_error *err) {
  return self->failed ? ck_error_no_memory(err) : CK_OK;
}

ck_bytes ck_buffer_bytes(const ck_buffer *self) { return (ck_bytes){self->data, self->len}; }

void ck_buffer_reset(ck_buffer *self) {
  self->len = 0;
  self->failed = false;
  if (self->data) self->data[0] = '\0';
}

char *ck_buffer_take(ck_buffer *self) {
  ck_buffer_append(self, NULL, 0); /* an empty buffer gives an empty text */
  char *data = self->data;
  if (self->failed) {
    free(data);
    data = NULL;
  }
  *self = (ck_buffer){0};
  return data;
}

void ck_buffer_clear(ck_buffer *self) {
  free(self->data);
  *self = (ck_buffer){0};
}

bool ck_bytes_read_varint(uint64_t *out, ck_bytes *from) {
  *out = 0;
  uint64_t number = 0;
  for (size_t i = 0; i < from->len && i < VARINT_MAX; i++) {
    uint64_t byte = (unsigned char)from->data[i];
    if (i == VARINT_MAX - 1 && byte > 1) return false;
    number |= (byte & 0x7f) << (7 * i);
    if (byte & 0x80) continue;
    from->data += i + 1;
    from->len -= i + 1;
    *out = number;
    return true;
  }
  return false;
}

bool ck_bytes_read(ck_bytes *out, ck_bytes *from, size_t len) {
  *out = (ck_bytes){NULL, 0};
  if (len > from->len) return false;
  *out = (ck_bytes){from->data, len};
  if (len > 0) from->data += len;
  from->len -= len;
  return true;
}
