/* locked.c - libsodium's guarded memory: mlock(2), MADV_DONTDUMP, guard pages, a wipe at its end.
 */
#include "core/base/locked.h"

#include <errno.h>
#include <sodium.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* It ends where its pages do, so its beginning is aligned as its size is. */
void *ck_locked_new(size_t size) {
  enum { ALIGNED = _Alignof(max_align_t) };
  if (size > SIZE_MAX - ALIGNED || sodium_init() < 0) return NULL;
  return sodium_malloc((size + ALIGNED - 1) / ALIGNED * ALIGNED);
}

char *ck_locked_text(const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = ck_locked_new(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

void ck_locked_free(void *memory) { sodium_free(memory); }

/* ---- pools ---- */

enum { CHUNK_FIRST = 16384, CHUNK_LAST = 262144 };

typedef struct ck_locked_chunk {
  struct ck_locked_chunk *next;
  size_t size, used; /* with this head */
} ck_locked_chunk;

/* Where nothing more may be locked it is kept out of dumps all the same. */
static ck_locked_chunk *map(size_t size) {
  ck_locked_chunk *made =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return NULL;
  madvise(made, size, MADV_DONTDUMP);
  if (mlock(made, size) != 0) errno = 0;
  made->size = size;
  made->used = sizeof *made;
  return made;
}

static ck_locked_chunk *get_chunk(ck_locked_pool *self, size_t len) {
  ck_locked_chunk *at = self->first;
  if (at && at->size - at->used >= len) return at;
  size_t size = at && at->size < CHUNK_LAST ? at->size * 2 : at ? at->size : CHUNK_FIRST;
  if (len > SIZE_MAX / 4) return NULL;
  while (size - sizeof *at < len) size *= 2;
  ck_locked_chunk *made = map(size);
  if (!made) return NULL;
  made->next = self->first;
  return self->first = made;
}

char *ck_locked_copy(ck_locked_pool *self, const char *bytes, size_t len) {
  ck_locked_chunk *chunk = get_chunk(self, len);
  if (!chunk) return NULL;
  char *copy = (char *)chunk + chunk->used;
  chunk->used += len;
  if (len) memcpy(copy, bytes, len);
  return copy;
}

void ck_locked_clear(ck_locked_pool *self) {
  while (self->first) {
    ck_locked_chunk *chunk = self->first;
    size_t size = chunk->size;
    self->first = chunk->next;
    explicit_bzero(chunk, size);
    munmap(chunk, size);
  }
}
