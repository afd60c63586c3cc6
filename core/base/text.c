/* text.c - copies texts, and writes them. */
#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"

ck_status ck_text_copy(char **out, const char *text, ck_error *err) {
  *out = text ? strdup(text) : NULL;
  return text && !*out ? ck_error_no_memory(err) : CK_OK;
}

ck_status ck_text_replace(char **text, const char *with, ck_error *err) {
  char *copy;
  ck_status status = ck_text_copy(&copy, with, err);
  if (!copy) return status;
  free(*text);
  *text = copy;
  return CK_OK;
}

int ck_text_fits(const char *text, size_t most) {
  size_t len = strnlen(text, most + 1);
  return (int)(len > most ? ck_utf8_cut(text, most) : len);
}

void ck_text_format(char *out, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(out, size, format, args);
  va_end(args);
  out[wanted < 0 ? 0 : ck_utf8_cut(out, strlen(out))] = '\0';
}
