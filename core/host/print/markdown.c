/* markdown.c - quotes, code and plain words (CommonMark 0.31, sections 2.4, 4.5, 5.1, 6.6). */
#include "core/host/print/markdown.h"

#include <string.h>

#include "core/base/utf8.h"

enum { FENCE = 3, INDENT_MAX = 3 };

static size_t append_character(ck_buffer *out, ck_bytes text) {
  size_t len = ck_utf8_length(text.data, text.len);
  uint32_t point = len ? ck_utf8_point(text.data, len) : 0xfffd;
  if (!len || (ck_utf8_acts(point) && point != '\t'))
    ck_buffer_append_format(out, "[U+%04X]", (unsigned)point);
  else
    ck_buffer_append(out, text.data, len);
  return len ? len : 1;
}

static ck_bytes rest_of(ck_bytes text, size_t from) {
  return (ck_bytes){text.data + from, text.len - from};
}

static ck_bytes take_line(ck_bytes *text) {
  const char *end = memchr(text->data, '\n', text->len);
  ck_bytes line = {text->data, end ? (size_t)(end - text->data) : text->len};
  *text = rest_of(*text, line.len + (end != NULL));
  if (line.len && line.data[line.len - 1] == '\r') line.len--;
  return line;
}

static size_t run_of(ck_bytes text, char c) {
  size_t len = 0;
  while (len < text.len && text.data[len] == c) len++;
  return len;
}

/* How many of `c` a fence on this line has; 0: it is none. */
static size_t fence_of(ck_bytes line, char c) {
  size_t indent = run_of(line, ' ');
  if (indent > INDENT_MAX) return 0;
  size_t len = run_of(rest_of(line, indent), c);
  return len >= FENCE ? len : 0;
}

/* What would be HTML, or a picture, is not. */
static void append_quoted_line(ck_buffer *out, ck_bytes line, bool is_code) {
  for (size_t at = 0; at < line.len;) {
    bool acts = line.data[at] == '<' || (line.data[at] == '[' && at && line.data[at - 1] == '!');
    if (acts && !is_code) ck_buffer_append_char(out, '\\');
    at += append_character(out, rest_of(line, at));
  }
}

/* A fence in the text, which its end closes: the quote's end does, too. */
typedef struct fence {
  char c; /* 0: none is open */
  size_t len;
} fence;

static bool is_fence(fence *self, ck_bytes line) {
  for (const char *c = "`~"; *c; c++) {
    size_t len = fence_of(line, *c);
    if (!len || (self->c && (self->c != *c || len < self->len))) continue;
    *self = self->c ? (fence){0} : (fence){.c = *c, .len = len};
    return true;
  }
  return false;
}

void ck_markdown_append_quote(ck_buffer *out, ck_bytes text) {
  fence open = {0};
  while (text.len) {
    ck_bytes line = take_line(&text);
    bool was_code = open.c != 0, edge = is_fence(&open, line);
    ck_buffer_append_text(out, line.len ? "> " : ">");
    append_quoted_line(out, line, was_code && !edge);
    ck_buffer_append_char(out, '\n');
  }
  ck_buffer_append_char(out, '\n');
}

static size_t longest_run(ck_bytes text, char c) {
  size_t longest = 0;
  for (size_t at = 0; at < text.len; at++) {
    size_t len = run_of(rest_of(text, at), c);
    if (len > longest) longest = len;
    at += len;
  }
  return longest;
}

void ck_markdown_append_code(ck_buffer *out, ck_bytes text) {
  size_t len = longest_run(text, '`') + 1;
  if (len < FENCE) len = FENCE;
  for (size_t i = 0; i < len; i++) ck_buffer_append_char(out, '`');
  ck_buffer_append_char(out, '\n');
  while (text.len) {
    ck_bytes line = take_line(&text);
    append_quoted_line(out, line, true);
    ck_buffer_append_char(out, '\n');
  }
  for (size_t i = 0; i < len; i++) ck_buffer_append_char(out, '`');
  ck_buffer_append_text(out, "\n\n");
}

void ck_markdown_append_plain(ck_buffer *out, ck_bytes text) {
  for (size_t at = 0; at < text.len;) {
    char c = text.data[at];
    if (c == '\n' || c == '\r') {
      ck_buffer_append_char(out, ' ');
      at++;
      continue;
    }
    if (strchr("\\`*_[]<|~&", c) && c) ck_buffer_append_char(out, '\\');
    at += append_character(out, rest_of(text, at));
  }
}
