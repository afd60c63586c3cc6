/* arena.c - a list of blocks, filled one after the other. */
#include "core/store/format/arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { BLOCK_SIZE = 256 * 1024, ALIGN = 16, KEPT_MAX = 4 * 1024 * 1024 };

typedef struct ck_arena_block {
  struct ck_arena_block *next;
  size_t size, used;
  _Alignas(ALIGN) char data[];
} block;

static size_t aligned(size_t len) { return (len + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

/* The next block that has room: a kept one, or a new one after the present one. */
static block *make_room(ck_arena *self, size_t len) {
  block **at = self->now ? &self->now->next : &self->first;
  while (*at && (*at)->size < len) at = &(*at)->next;
  if (*at) return *at;
  size_t size = len > BLOCK_SIZE ? len : BLOCK_SIZE;
  block *fresh = malloc(sizeof *fresh + size);
  if (!fresh) return NULL;
  *fresh = (block){.size = size};
  *at = fresh;
  return fresh;
}

void *ck_arena_push(ck_arena *self, size_t len) {
  if (len > PTRDIFF_MAX / 2) return NULL;
  len = aligned(len);
  if (!self->now || self->now->size - self->now->used < len) {
    block *room = make_room(self, len);
    if (!room) return NULL;
    self->now = room;
  }
  void *piece = self->now->data + self->now->used;
  self->now->used += len;
  return piece;
}

void ck_arena_trim(ck_arena *self, void *piece, size_t len) {
  size_t end = (size_t)((char *)piece - self->now->data) + aligned(len);
  if (end < self->now->used) self->now->used = end;
}

void ck_arena_reset(ck_arena *self) {
  size_t kept = 0;
  for (block **at = &self->first; *at;) {
    block *here = *at;
    here->used = 0;
    if (kept + here->size <= KEPT_MAX) {
      kept += here->size;
      at = &here->next;
    } else {
      *at = here->next;
      free(here);
    }
  }
  self->now = NULL;
}

void ck_arena_clear(ck_arena *self) {
  while (self->first) {
    block *next = self->first->next;
    free(self->first);
    self->first = next;
  }
  self->now = NULL;
}
