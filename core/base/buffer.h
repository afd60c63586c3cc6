/* buffer.h - borrowed bytes, and a growing byte string whose failure is asked for once, at the
 * end. */
#ifndef CK_BASE_BUFFER_H
#define CK_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

/* Borrowed bytes; `data` may be NULL when `len` is 0. Not NUL-terminated. */
typedef struct ck_bytes {
  const char *data;
  size_t len;
} ck_bytes;

/* Borrows a C string; NULL gives no bytes. */
ck_bytes ck_bytes_text(const char *text);
bool ck_bytes_equal(ck_bytes a, ck_bytes b);

/* Zero-initialise to begin. After a failed allocation `failed` stays set and appends do nothing. */
typedef struct ck_buffer {
  char *data; /* NUL-terminated as soon as anything was appended; the NUL is not counted */
  size_t len;
  size_t cap;
  bool failed;
} ck_buffer;

/* Appenders never fail on the spot: ask ck_buffer_check once, when the content is about to be
 * used. */
void ck_buffer_append(ck_buffer *self, const void *data, size_t len);
void ck_buffer_append_bytes(ck_buffer *self, ck_bytes bytes);
void ck_buffer_append_text(ck_buffer *self, const char *text);
void ck_buffer_append_char(ck_buffer *self, char c);
void ck_buffer_append_format(ck_buffer *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void ck_buffer_append_int(ck_buffer *self, int64_t number);
/* Room for `len` more bytes, which the caller fills; NULL on failure. The length includes them at
 * once. */
char *ck_buffer_extend(ck_buffer *self, size_t len);

/* CK_E_NO_MEMORY when any append failed. */
CK_CHECKED ck_status ck_buffer_check(const ck_buffer *self, ck_error *err);
ck_bytes ck_buffer_bytes(const ck_buffer *self);
/* Keeps the allocation. */
void ck_buffer_reset(ck_buffer *self);
/* Returns the data, which is the caller's (NUL-terminated, malloc'd; NULL when an append failed),
 * and empties the buffer. */
char *ck_buffer_take(ck_buffer *self);
void ck_buffer_clear(ck_buffer *self);

/* ---- within ckrun ---- */

/* LEB128: 7 bits a byte, low first; at most 10 bytes. */
void ck_buffer_append_varint(ck_buffer *self, uint64_t number);
/* Reads one varint and advances `*from`; false at the end of the bytes or beyond 64 bits. */
bool ck_bytes_read_varint(uint64_t *out, ck_bytes *from);
/* Splits `len` bytes off the front; false when there are fewer. */
bool ck_bytes_read(ck_bytes *out, ck_bytes *from, size_t len);

#endif
