/* locked.h - memory for keys and known secrets: never on a swap disk or in a core dump, between
 * pages that nobody can touch, and wiped when it is given back. */
#ifndef CK_BASE_LOCKED_H
#define CK_BASE_LOCKED_H

#include <stddef.h>

/* Where the system locks no more (RLIMIT_MEMLOCK) it is the same, but may be swapped. NULL: there
 * is none. Each takes pages of its own, and is aligned as malloc's. */
void *ck_locked_new(size_t size);
char *ck_locked_text(const char *text);
/* NULL is fine. */
void ck_locked_free(void *memory);

/* Many small ones, without pages between them. Zero-initialise to begin. */
typedef struct ck_locked_pool {
  struct ck_locked_chunk *first;
} ck_locked_pool;
/* A copy of `len` bytes, until the pool is cleared. NULL: there is no memory. */
char *ck_locked_copy(ck_locked_pool *self, const char *bytes, size_t len);
/* Wipes all of it. */
void ck_locked_clear(ck_locked_pool *self);

#endif
