/* pretty.c - a JSON value over several lines, for people. */
#include "core/host/print/pretty.h"

#include <string.h>

static void begin_line(ck_buffer *out, int depth) {
  ck_buffer_append_char(out, '\n');
  for (int i = 0; i < depth; i++) ck_buffer_append_text(out, "  ");
}

/* The length of the string that `text` begins with, with its quotes. */
static size_t string_of(ck_bytes text) {
  size_t at = 1;
  while (at < text.len && text.data[at] != '"') at += text.data[at] == '\\' ? 2 : 1;
  return at < text.len ? at + 1 : text.len;
}

void ck_pretty_append(ck_buffer *out, ck_bytes json) {
  int depth = 0;
  for (size_t at = 0; at < json.len;) {
    char c = json.data[at];
    size_t len = c == '"' ? string_of((ck_bytes){json.data + at, json.len - at}) : 1;
    bool empty = at + 1 < json.len && (json.data[at + 1] == '}' || json.data[at + 1] == ']');
    bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
    bool blank = strchr(" \t\r\n", c) != NULL && c;
    bool follows = at > 0 && (json.data[at - 1] == '{' || json.data[at - 1] == '[');
    if (closes && depth > 0) depth--;
    if (closes && !follows) begin_line(out, depth);
    if (!blank) ck_buffer_append(out, json.data + at, len);
    if (c == ':') ck_buffer_append_char(out, ' ');
    depth += opens;
    if ((opens && !empty) || c == ',') begin_line(out, depth);
    at += len;
  }
}
