/* array.h - lists that grow by one item at a time. */
#ifndef CK_BASE_ARRAY_H
#define CK_BASE_ARRAY_H

#include <stddef.h>

/* ck_array_grow of a full list. */
void *ck_array_double(void *list, size_t *cap, size_t size);

/* Makes room for one more item of `size` bytes behind the `count` that `list` has; `*cap`, the
 * items that it has room for, from 0, is doubled when it is full. Returns the list, which may have
 * moved. NULL: no memory; the list and `*cap` stay as they were.
 *
 *   item *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
 *   if (!list) return ck_error_no_memory(err);
 *   self->list = list; */
static inline void *ck_array_grow(void *list, size_t count, size_t *cap, size_t size) {
  return count < *cap ? list : ck_array_double(list, cap, size);
}

#endif
