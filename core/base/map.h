/* map.h - a hash map from texts to pointers; texts and pointers stay the caller's. */
#ifndef CK_BASE_MAP_H
#define CK_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

typedef struct ck_map_slot {
  char *key; /* NULL: free */
  void *value;
  uint64_t hash;
} ck_map_slot;

/* Zero-initialise. Open addressing without tombstones: a removal shifts its followers back. Not
 * thread-safe. */
typedef struct ck_map {
  ck_map_slot *slots; /* in no order; those that are free lie between them */
  size_t cap;         /* a power of two, at least a quarter of it free; 0 before the first add */
  size_t count;
} ck_map;

/* Frees the map's own memory; it is empty then. */
void ck_map_clear(ck_map *self);
/* The slot of `key`, valid until the next change; NULL when absent. */
ck_map_slot *ck_map_find(const ck_map *self, const char *key);
/* NULL when absent. */
void *ck_map_get(const ck_map *self, const char *key);
/* Adds a key that is absent. `key` is borrowed until it is removed. */
CK_CHECKED ck_status ck_map_add(ck_map *self, char *key, void *value, ck_error *err);
/* What the slot held: zero when the key was absent. */
ck_map_slot ck_map_remove(ck_map *self, const char *key);

#endif
