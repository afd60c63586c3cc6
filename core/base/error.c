/* error.c - writes the text of an error. */
#include "core/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/base/shortage.h"
#include "core/base/utf8.h"

enum { SEQUENCE_MAX = 32 };

/* The length of the control sequence at the beginning of `text`; 0: there is none. */
static size_t skip_sequence(const char *text, size_t len) {
  size_t at = 2;
  if (len < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
  while (at < len && at < SEQUENCE_MAX && text[at] >= ' ' && text[at] < '@') at++;
  return at < len && text[at] >= '@' && text[at] <= '~' ? at + 1 : 0;
}

/* The controls of two bytes are U+0080 to U+009F. */
size_t ck_error_make_plain(char *text, size_t len) {
  size_t kept = 0;
  for (size_t at = 0; at < len; at++) {
    unsigned char c = (unsigned char)text[at],
                  next = at + 1 < len ? (unsigned char)text[at + 1] : 0;
    size_t sequence = skip_sequence(text + at, len - at);
    if (sequence > 0) {
      at += sequence - 1;
      continue;
    }
    if (c == '\r' && next == '\n') continue;
    bool pair = c == 0xc2 && next >= 0x80 && next < 0xa0;
    bool acts = pair || (c < 0x20 && c != '\n') || c == 0x7f;
    text[kept++] = acts ? ' ' : text[at];
    if (pair) text[kept++] = ' ', at++;
  }
  return kept;
}

void ck_error_make_line(char *text, size_t len) {
  for (size_t at = 0; at < len; at++)
    if (text[at] == '\n') text[at] = ' ';
}

static void cut_line(char *text, int wanted) {
  if (wanted >= CK_ERROR_TEXT_MAX) text[ck_utf8_cut(text, CK_ERROR_TEXT_MAX - 1)] = '\0';
  text[ck_error_make_plain(text, strlen(text))] = '\0';
}

/* Formats into a copy first: an argument may be the text that is replaced. */
ck_status ck_error_set(ck_error *err, ck_status status, const char *format, ...) {
  if (!err) return status;
  char text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (wanted < 0) snprintf(text, sizeof text, "%s", ck_status_text(status));
  cut_line(text, wanted);
  err->status = status;
  memcpy(err->text, text, sizeof text);
  return status;
}

ck_status ck_error_prefix(ck_error *err, const char *format, ...) {
  if (!err) return CK_E_FAILED;
  char prefix[CK_ERROR_TEXT_MAX], text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(prefix, sizeof prefix, format, args);
  va_end(args);
  if (wanted < 0) return err->status;
  wanted = snprintf(text, sizeof text, "%s: %s", prefix, err->text);
  cut_line(text, wanted);
  memcpy(err->text, text, sizeof text);
  return err->status;
}

ck_status ck_error_no_memory(ck_error *err) {
  return ck_error_set(err, CK_E_NO_MEMORY, "%s", ck_shortage_text(ENOMEM));
}
