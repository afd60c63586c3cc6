/* json_names.c - the names of the open objects. */
#include "core/base/json_names.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/digest.h"
#include "core/base/json_scan.h"

/* Up to this many names, comparing tags in a row is faster than hashing. */
enum { PAIRWISE_MAX = 16, FIRST_SLOTS = 256 };

static unsigned char hash_key[crypto_shorthash_KEYBYTES];

static void make_hash_key(void) { ck_random_bytes(hash_key, sizeof hash_key); }

/* Length, the first and the last eight bytes: distinguishes most names without reading all of their
 * bytes. */
static uint64_t tag_of(ck_bytes name) {
  uint64_t head = 0, tail = 0;
  size_t some = name.len < 8 ? name.len : 8;
  if (some == 0) return 0;
  memcpy(&head, name.data, some);
  memcpy(&tail, name.data + name.len - some, some);
  return (head ^ tail * 0x9e3779b97f4a7c15u) + name.len;
}

/* SipHash, mixed with the object so that equal names of nested objects do not share a chain. */
static uint64_t hash_of(ck_bytes name, size_t first) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_hash_key);
  uint64_t hash = 0;
  crypto_shorthash((unsigned char *)&hash, (const unsigned char *)name.data, name.len, hash_key);
  return hash ^ (uint64_t)first * 0x9e3779b97f4a7c15u;
}

static bool same_name(const ck_json_entry *entry, ck_bytes name) {
  return entry->escaped ? ck_json_scan_equal(entry->raw, name) : ck_bytes_equal(entry->raw, name);
}

static bool found_pairwise(const ck_json_names *self, size_t first, uint64_t tag, ck_bytes name) {
  for (size_t i = first; i < self->count; i++) {
    if (self->entries[i].tag == tag && same_name(&self->entries[i], name)) return true;
  }
  return false;
}

static bool found_by_hash(const ck_json_names *self, size_t first, uint64_t hash, ck_bytes name) {
  size_t mask = self->slot_count - 1;
  for (size_t at = hash & mask; self->slots[at] != 0; at = (at + 1) & mask) {
    size_t index = self->slots[at] - 1;
    const ck_json_entry *entry = &self->entries[index];
    if (index >= first && entry->hash == hash && same_name(entry, name)) return true;
  }
  return false;
}

static void put_slot(ck_json_names *self, size_t index) {
  size_t mask = self->slot_count - 1, at = self->entries[index].hash & mask;
  while (self->slots[at] != 0) at = (at + 1) & mask;
  self->slots[at] = index + 1;
}

/* Entries go back in the order they came, which keeps removal in reverse order safe. */
static bool reserve_slots(ck_json_names *self, size_t more) {
  size_t slot_count = self->slot_count ? self->slot_count : FIRST_SLOTS;
  while ((self->slots_used + more) * 2 > slot_count) slot_count *= 2;
  if (slot_count == self->slot_count) return true;
  size_t *slots = calloc(slot_count, sizeof *slots);
  if (!slots) return false;
  free(self->slots);
  self->slots = slots;
  self->slot_count = slot_count;
  for (size_t i = 0; i < self->count; i++) {
    if (self->entries[i].hashed) put_slot(self, i);
  }
  return true;
}

static bool reserve_entry(ck_json_names *self) {
  ck_json_entry *entries = ck_array_grow(self->entries, self->count, &self->cap, sizeof *entries);
  if (!entries) return false;
  self->entries = entries;
  return true;
}

/* The decoded name; the bytes are valid until the next call. */
static bool decode(ck_json_names *self, ck_bytes raw, bool escaped, ck_bytes *name) {
  *name = raw;
  if (!escaped) return true;
  ck_buffer_reset(&self->decoded);
  ck_json_scan_decode(&self->decoded, raw);
  *name = ck_buffer_bytes(&self->decoded);
  return !self->decoded.failed;
}

static void hash_entry(ck_json_names *self, size_t index, uint64_t hash) {
  self->entries[index].hash = hash;
  self->entries[index].hashed = true;
  put_slot(self, index);
  self->slots_used++;
}

/* The object has outgrown pairwise comparison. */
static bool hash_all(ck_json_names *self, size_t first) {
  for (size_t i = first; i < self->count; i++) {
    ck_bytes name;
    if (!decode(self, self->entries[i].raw, self->entries[i].escaped, &name)) return false;
    hash_entry(self, i, hash_of(name, first));
  }
  return true;
}

ck_status ck_json_names_add(ck_json_names *self, size_t first, ck_bytes raw, bool escaped) {
  size_t size = self->count - first;
  bool hashing = size >= PAIRWISE_MAX;
  if (!reserve_entry(self)) return CK_E_NO_MEMORY;
  if (hashing && !reserve_slots(self, size == PAIRWISE_MAX ? size + 1 : 1)) return CK_E_NO_MEMORY;
  if (size == PAIRWISE_MAX && !hash_all(self, first)) return CK_E_NO_MEMORY;
  ck_bytes name;
  if (!decode(self, raw, escaped, &name)) return CK_E_NO_MEMORY;
  uint64_t tag = tag_of(name), hash = hashing ? hash_of(name, first) : 0;
  if (hashing ? found_by_hash(self, first, hash, name) : found_pairwise(self, first, tag, name))
    return CK_E_EXISTS;
  self->entries[self->count] = (ck_json_entry){.raw = raw, .tag = tag, .escaped = escaped};
  if (hashing) hash_entry(self, self->count, hash);
  self->count++;
  return CK_OK;
}

/* In reverse order a slot can simply be emptied: every entry that probed past it was added later
 * and is already removed. */
void ck_json_names_drop(ck_json_names *self, size_t first) {
  size_t mask = self->slot_count - 1;
  while (self->count > first) {
    size_t index = --self->count;
    if (!self->entries[index].hashed) continue;
    size_t at = self->entries[index].hash & mask;
    while (self->slots[at] != index + 1) at = (at + 1) & mask;
    self->slots[at] = 0;
    self->slots_used--;
  }
}

void ck_json_names_clear(ck_json_names *self) {
  free(self->entries);
  free(self->slots);
  ck_buffer_clear(&self->decoded);
  *self = (ck_json_names){0};
}
