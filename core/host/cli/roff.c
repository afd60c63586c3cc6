/* roff.c - escapes plain text for man(7). */
#include "core/host/cli/roff.h"

#include <string.h>

#include "core/base/utf8.h"

/* Characters that would be taken for requests, or drawn as other ones. */
static const char *escape_of(char c) {
  switch (c) {
    case '\\':
      return "\\e";
    case '-':
      return "\\-";
    case '\'':
      return "\\(aq";
    case '`':
      return "\\(ga";
    case '"':
      return "\\(dq";
    case '^':
      return "\\(ha";
    case '~':
      return "\\(ti";
    default:
      return NULL;
  }
}

void ck_roff_append_char(ck_buffer *out, char c) {
  const char *escape = escape_of(c);
  if (escape)
    ck_buffer_append_text(out, escape);
  else
    ck_buffer_append_char(out, c);
}

/* One character; its length. */
static size_t append_one(ck_buffer *out, const char *text, bool begin) {
  size_t len = ck_utf8_length(text, strlen(text));
  if (begin && *text == '.') ck_buffer_append_text(out, "\\&");
  if (len > 1)
    ck_buffer_append_format(out, "\\[u%04X]", ck_utf8_point(text, len));
  else if (*text == '\n' && text[1] == '\n')
    ck_buffer_append_text(out, "\n.PP");
  else
    ck_roff_append_char(out, *text);
  return len > 1 ? len : 1;
}

void ck_roff_append_text(ck_buffer *out, const char *text) {
  for (bool begin = true; *text;) {
    size_t len = append_one(out, text, begin);
    begin = *text == '\n';
    text += len;
  }
}

void ck_roff_append_line(ck_buffer *out, const char *text) {
  ck_roff_append_text(out, text);
  ck_buffer_append_char(out, '\n');
}
