/* embed.c - finds an embedded text by its name. */
#include "core/base/embed.h"

#include <stdbool.h>
#include <string.h>

static const ck_embedded *find(const char *name) {
  const ck_embedded *row = ck_embedded_table;
  while (row->name && strcmp(row->name, name) != 0) row++;
  return row;
}

ck_bytes ck_embedded_get(const char *name) {
  const ck_embedded *row = find(name);
  return (ck_bytes){row->begin, (size_t)(row->end - row->begin)};
}

ck_bytes ck_embedded_get_code(const char *name, ck_bytes text) {
  const ck_embedded *row = find(name);
  bool same = row->name && row->begin == text.data && row->end == text.data + text.len;
  return same ? (ck_bytes){row->code, (size_t)(row->code_end - row->code)} : (ck_bytes){NULL, 0};
}
