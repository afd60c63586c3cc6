/* sse.c - lines, fields, events. */
#include "core/effect/http/sse.h"

#include <string.h>

static bool is_named(ck_bytes line, size_t name_len, const char *name) {
  return name_len == strlen(name) && memcmp(line.data, name, name_len) == 0;
}

static ck_status dispatch(ck_sse *self, ck_error *err) {
  ck_status status = self->data.failed || self->event.failed ? ck_error_no_memory(err) : CK_OK;
  ck_bytes data = ck_buffer_bytes(&self->data);
  memcpy(self->id, self->next_id, sizeof self->id);
  data.len -= data.len > 0; /* the last newline */
  if (!status && data.data && self->data.len > 0)
    status = self->take(self->to, ck_buffer_bytes(&self->event), data, err);
  ck_buffer_reset(&self->event);
  ck_buffer_reset(&self->data);
  return status;
}

/* One with a NUL counts for nothing, as the standard says; nor does one that no header could bear,
 * or that is too long: then there is none. */
static void take_id(ck_sse *self, ck_bytes value) {
  bool fits = value.len < sizeof self->next_id;
  if (value.len && memchr(value.data, 0, value.len)) return;
  for (size_t i = 0; fits && i < value.len; i++)
    fits = (unsigned char)value.data[i] >= 0x20 && value.data[i] != 0x7f;
  size_t len = fits ? value.len : 0;
  if (len) memcpy(self->next_id, value.data, len);
  self->next_id[len] = '\0';
}

static void take_retry(ck_sse *self, ck_bytes value) {
  int64_t ms = 0;
  for (size_t i = 0; i < value.len; i++) {
    if (value.data[i] < '0' || value.data[i] > '9') return;
    if (ms < INT32_MAX) ms = ms * 10 + (value.data[i] - '0');
  }
  if (value.len) self->retry_ms = ms;
}

/* A line without a colon is a field without a value; one that begins with it, a comment. */
static ck_status take_line(ck_sse *self, ck_bytes line, ck_error *err) {
  if (line.len == 0) return dispatch(self, err);
  const char *colon = memchr(line.data, ':', line.len);
  size_t name_len = colon ? (size_t)(colon - line.data) : line.len,
         skip = colon ? name_len + 1 : name_len;
  if (skip < line.len && line.data[skip] == ' ') skip++;
  ck_bytes value = {line.data + skip, line.len - skip};
  if (is_named(line, name_len, "data")) {
    ck_buffer_append_bytes(&self->data, value);
    ck_buffer_append_char(&self->data, '\n');
  } else if (is_named(line, name_len, "event")) {
    ck_buffer_reset(&self->event);
    ck_buffer_append_bytes(&self->event, value);
  } else if (is_named(line, name_len, "id")) {
    take_id(self, value);
  } else if (is_named(line, name_len, "retry")) {
    take_retry(self, value);
  }
  return CK_OK;
}

/* The line may lie in `self->line` alone, in the chunk alone, or begin in one and end in the
 * other. */
static ck_status end_line(ck_sse *self, ck_bytes rest, ck_error *err) {
  ck_bytes line = rest;
  if (self->line.len > 0) {
    ck_buffer_append_bytes(&self->line, rest);
    if (self->line.failed) return ck_error_no_memory(err);
    line = ck_buffer_bytes(&self->line);
  }
  if (!self->begun && line.len >= 3 && memcmp(line.data, "\xef\xbb\xbf", 3) == 0)
    line = (ck_bytes){line.data + 3, line.len - 3};
  self->begun = true;
  ck_status status = take_line(self, line, err);
  ck_buffer_reset(&self->line);
  return status;
}

static size_t line_length(ck_bytes text) {
  const char *newline = memchr(text.data, '\n', text.len);
  size_t len = newline ? (size_t)(newline - text.data) : text.len;
  const char *carriage = memchr(text.data, '\r', len);
  return carriage ? (size_t)(carriage - text.data) : len;
}

ck_status ck_sse_feed(ck_sse *self, ck_bytes chunk, ck_error *err) {
  while (chunk.len > 0) {
    if (self->after_return && *chunk.data == '\n') chunk.data++, chunk.len--;
    self->after_return = false;
    if (chunk.len == 0) break;
    size_t len = line_length(chunk);
    if (len == chunk.len) {
      ck_buffer_append_bytes(&self->line, chunk);
      break;
    }
    ck_status status = end_line(self, (ck_bytes){chunk.data, len}, err);
    if (status) return status;
    self->after_return = chunk.data[len] == '\r';
    chunk.data += len + 1;
    chunk.len -= len + 1;
  }
  return ck_buffer_check(&self->line, err);
}

void ck_sse_clear(ck_sse *self) {
  ck_buffer_clear(&self->line);
  ck_buffer_clear(&self->event);
  ck_buffer_clear(&self->data);
}
