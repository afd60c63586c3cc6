/* map.c - open addressing over SipHash; a removal shifts its followers back. */
#include "core/base/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"

enum { FIRST_CAP = 16 };

/* Keys can come from a model: with a random seed it cannot choose keys that collide. The seed is
 * the process's, so a copy of the slots is a copy of the map. */
static uint64_t hash_seed[2];

static void make_seed(void) { ck_random_bytes(hash_seed, sizeof hash_seed); }

static uint64_t rotate(uint64_t word, int by) { return word << by | word >> (64 - by); }

static void sip_round(uint64_t v[4]) {
  v[0] += v[1], v[1] = rotate(v[1], 13) ^ v[0], v[0] = rotate(v[0], 32);
  v[2] += v[3], v[3] = rotate(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = rotate(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = rotate(v[1], 17) ^ v[2], v[2] = rotate(v[2], 32);
}

/* SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012). */
static uint64_t hash_key(const char *key, size_t len) {
  uint64_t v[4] = {hash_seed[0] ^ 0x736f6d6570736575, hash_seed[1] ^ 0x646f72616e646f6d,
                   hash_seed[0] ^ 0x6c7967656e657261, hash_seed[1] ^ 0x7465646279746573};
  uint64_t last = (uint64_t)len << 56;
  for (; len >= 8; key += 8, len -= 8) {
    uint64_t word;
    memcpy(&word, key, sizeof word);
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
  }
  for (size_t i = 0; i < len; i++) last |= (uint64_t)(unsigned char)key[i] << (8 * i);
  v[3] ^= last;
  sip_round(v);
  v[0] ^= last;
  v[2] ^= 0xff;
  for (int i = 0; i < 3; i++) sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64_t hash_text(const char *key) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_seed);
  return hash_key(key, strlen(key));
}

void ck_map_clear(ck_map *self) {
  free(self->slots);
  *self = (ck_map){0};
}

/* The slot of `key`, or the free one for it; `cap` is not 0. */
static ck_map_slot *find_slot(const ck_map *self, const char *key, uint64_t hash) {
  size_t mask = self->cap - 1;
  size_t at = (size_t)hash & mask;
  while (self->slots[at].key &&
         (self->slots[at].hash != hash || strcmp(self->slots[at].key, key) != 0)) {
    at = (at + 1) & mask;
  }
  return &self->slots[at];
}

ck_map_slot *ck_map_find(const ck_map *self, const char *key) {
  if (self->count == 0) return NULL;
  ck_map_slot *found = find_slot(self, key, hash_text(key));
  return found->key ? found : NULL;
}

void *ck_map_get(const ck_map *self, const char *key) {
  const ck_map_slot *found = ck_map_find(self, key);
  return found ? found->value : NULL;
}

/* Makes room for one more entry. */
static bool reserve_slot(ck_map *self) {
  if (self->count < self->cap / 4 * 3) return true;
  size_t cap = self->cap ? self->cap * 2 : FIRST_CAP;
  ck_map_slot *slots = calloc(cap, sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < self->cap; i++) {
    if (!self->slots[i].key) continue;
    size_t at = (size_t)self->slots[i].hash & (cap - 1);
    while (slots[at].key) at = (at + 1) & (cap - 1);
    slots[at] = self->slots[i];
  }
  free(self->slots);
  self->slots = slots;
  self->cap = cap;
  return true;
}

ck_status ck_map_add(ck_map *self, char *key, void *value, ck_error *err) {
  if (!reserve_slot(self)) return ck_error_no_memory(err);
  uint64_t hash = hash_text(key);
  *find_slot(self, key, hash) = (ck_map_slot){key, value, hash};
  self->count++;
  return CK_OK;
}

/* Moves back every follower that the gap would make unreachable from its home slot. */
static void close_gap(ck_map *self, size_t gap) {
  size_t mask = self->cap - 1;
  for (size_t at = (gap + 1) & mask; self->slots[at].key; at = (at + 1) & mask) {
    size_t home = (size_t)self->slots[at].hash & mask;
    if (((at - home) & mask) < ((at - gap) & mask)) continue;
    self->slots[gap] = self->slots[at];
    gap = at;
  }
  self->slots[gap] = (ck_map_slot){0};
}

ck_map_slot ck_map_remove(ck_map *self, const char *key) {
  ck_map_slot *found = ck_map_find(self, key), gone = {0};
  if (!found) return gone;
  gone = *found;
  close_gap(self, (size_t)(found - self->slots));
  self->count--;
  return gone;
}
