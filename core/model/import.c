/* import.c - names the kinds of facts. */
#include "core/model/import.h"

#include <string.h>

#define X(name, text) [name] = text,
static const char *const names[CK_IMPORT_KIND_COUNT] = {CK_IMPORT_TABLE(X)};
#undef X

const char *ck_import_kind_name(ck_import_kind kind) {
  return (size_t)kind < CK_IMPORT_KIND_COUNT ? names[kind] : NULL;
}

ck_import_kind ck_import_kind_of(const char *name) {
  size_t at = 0;
  while (at < CK_IMPORT_KIND_COUNT && !(name && strcmp(names[at], name) == 0)) at++;
  return (ck_import_kind)at;
}
