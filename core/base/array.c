/* array.c - doubles lists. */
#include "core/base/array.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST_CAP = 8 };

void *ck_array_double(void *list, size_t *cap, size_t size) {
  size_t more = *cap ? *cap * 2 : FIRST_CAP;
  void *grown = more > SIZE_MAX / size || more <= *cap ? NULL : realloc(list, more * size);
  if (grown) *cap = more;
  return grown;
}
