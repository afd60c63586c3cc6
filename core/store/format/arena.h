/* arena.h - memory for one round of work: many small pieces, all freed at once; blocks are
 * reused. */
#ifndef CK_STORE_FORMAT_ARENA_H
#define CK_STORE_FORMAT_ARENA_H

#include <stddef.h>

/* Zero-initialise. Pieces never move. */
typedef struct ck_arena {
  struct ck_arena_block *first, *now;
} ck_arena;

/* `len` bytes, aligned for everything; NULL without memory. */
void *ck_arena_push(ck_arena *self, size_t len);
/* Shortens the newest piece to `len` bytes. */
void ck_arena_trim(ck_arena *self, void *piece, size_t len);
/* All pieces are void; blocks are kept up to a few MiB. */
void ck_arena_reset(ck_arena *self);
void ck_arena_clear(ck_arena *self);

#endif
