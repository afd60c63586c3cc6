/* name_set.h - a set of names that only grows, each kept as 128 bits of its digest: what a name
 * takes does not depend on its length. */
#ifndef CK_BASE_NAME_SET_H
#define CK_BASE_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

typedef struct ck_name_mark {
  uint64_t parts[2]; /* both 0: free */
} ck_name_mark;

/* Zero-initialise. Open addressing. Not thread-safe. */
typedef struct ck_name_set {
  ck_name_mark *marks;
  size_t cap; /* a power of two, at least an eighth of it free; 0 before the first add */
  size_t count;
} ck_name_set;

void ck_name_set_clear(ck_name_set *self);
/* *fresh: it was not there before. */
CK_CHECKED ck_status ck_name_set_add(bool *fresh, ck_name_set *self, const char *name,
                                     ck_error *err);

#endif
