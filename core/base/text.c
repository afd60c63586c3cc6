/* text.c - copies texts. */
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

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
