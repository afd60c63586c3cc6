/* locked.c - libsodium's guarded memory: mlock(2), MADV_DONTDUMP, guard pages, a wipe at its end.
 */
#include "core/base/locked.h"

#include <sodium.h>
#include <string.h>

void *ck_locked_new(size_t size) { return sodium_init() < 0 ? NULL : sodium_malloc(size); }

char *ck_locked_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = ck_locked_new(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

void ck_locked_free(void *memory) { sodium_free(memory); }
