/* embed.c - finds an embedded text by its name. */
#include "core/base/embed.h"

#include <string.h>

ck_bytes ck_embedded_get(const char *name) {
  for (const ck_embedded *row = ck_embedded_table; row->name; row++) {
    if (strcmp(row->name, name) == 0)
      return (ck_bytes){row->begin, (size_t)(row->end - row->begin)};
  }
  return (ck_bytes){NULL, 0};
}
