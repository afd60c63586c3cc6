/* error.c - writes the one line of an error. */
#include "core/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/shortage.h"
#include "core/base/utf8.h"

/* One line for any reader: controls (with the two-byte ones, U+0080 to U+009F) become spaces. */
static void make_line(char *text) {
  for (unsigned char *c = (unsigned char *)text; *c; c++) {
    if (*c < 0x20 || *c == 0x7f) *c = ' ';
    if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = ' ';
  }
}

static void cut_line(char *text, int wanted) {
  if (wanted >= CK_ERROR_TEXT_MAX) text[ck_utf8_cut(text, CK_ERROR_TEXT_MAX - 1)] = '\0';
  make_line(text);
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
