/* state.c - an open-addressing hash map without tombstones: a removal shifts its followers back. */
#include "core/model/state.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/base/log.h"
#include "core/base/utf8.h"

enum { FIRST_CAP = 16, KEY_SHOWN_MAX = 80 };

typedef struct slot {
  char *key; /* NULL: free */
  ck_value *value;
  uint64_t hash;
} slot;

struct ck_state {
  slot *slots;
  size_t cap; /* a power of two, at least a quarter of it free; 0 before the first put */
  size_t count;
  size_t bytes;
};

/* Keys can come from a model: with a random seed it cannot choose keys that collide. */
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

ck_status ck_state_new(ck_state **out, ck_error *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_seed);
  *out = calloc(1, sizeof **out);
  return *out ? CK_OK : ck_error_no_memory(err);
}

void ck_state_free(ck_state *self) {
  if (!self) return;
  for (size_t i = 0; i < self->cap; i++) {
    free(self->slots[i].key);
    ck_value_free(self->slots[i].value);
  }
  free(self->slots);
  free(self);
}

/* The seed is the process's, so every entry keeps its slot. */
ck_status ck_state_copy(ck_state **out, const ck_state *from, ck_error *err) {
  *out = NULL;
  ck_state *self;
  ck_status status = ck_state_new(&self, err);
  if (status != CK_OK) return status;
  if (from->cap > 0) self->slots = calloc(from->cap, sizeof *self->slots);
  if (from->cap > 0 && !self->slots) status = ck_error_no_memory(err);
  if (status == CK_OK) self->cap = from->cap;
  for (size_t i = 0; i < self->cap && status == CK_OK; i++) {
    if (!from->slots[i].key) continue;
    char *key = strdup(from->slots[i].key);
    if (!key) {
      status = ck_error_no_memory(err);
      break;
    }
    self->slots[i] = (slot){key, ck_value_share(from->slots[i].value), from->slots[i].hash};
  }
  self->count = from->count;
  self->bytes = from->bytes;
  if (status == CK_OK)
    *out = self;
  else
    ck_state_free(self);
  return status;
}

/* NULL when the key is valid, else its fault. */
static const char *key_fault(const char *key) {
  if (!key || !*key) return "is empty";
  size_t len = strnlen(key, CK_STATE_KEY_MAX + 1);
  if (len > CK_STATE_KEY_MAX) return "is longer than 512 bytes";
  for (size_t i = 0, step; i < len; i += step) {
    step = ck_utf8_length(key + i, len - i);
    if (step == 0) return "is not UTF-8";
    uint32_t point = ck_utf8_point(key + i, step);
    if (point < 0x20 || (point >= 0x7f && point < 0xa0)) return "has a control character";
  }
  return NULL;
}

ck_status ck_state_check_key(const char *key, ck_error *err) {
  const char *fault = key_fault(key);
  if (!fault) return CK_OK;
  ck_buffer shown = {0};
  size_t len = key ? strnlen(key, KEY_SHOWN_MAX + 1) : 0;
  if (len > 0) ck_escape_append(&shown, (ck_bytes){key, len > KEY_SHOWN_MAX ? KEY_SHOWN_MAX : len});
  ck_error_set(err, CK_E_USAGE,
               "state key '%s%s' %s: a key is 1 to %d bytes of UTF-8 without control characters",
               shown.data ? shown.data : "", len > KEY_SHOWN_MAX ? "…" : "", fault,
               CK_STATE_KEY_MAX);
  ck_buffer_clear(&shown);
  return CK_E_USAGE;
}

/* The slot of `key`, or the free one for it; `cap` is not 0. */
static slot *find_slot(const ck_state *self, const char *key, uint64_t hash) {
  size_t mask = self->cap - 1;
  size_t at = (size_t)hash & mask;
  while (self->slots[at].key &&
         (self->slots[at].hash != hash || strcmp(self->slots[at].key, key) != 0)) {
    at = (at + 1) & mask;
  }
  return &self->slots[at];
}

static slot *find_entry(const ck_state *self, const char *key) {
  if (self->count == 0) return NULL;
  slot *found = find_slot(self, key, hash_key(key, strlen(key)));
  return found->key ? found : NULL;
}

ck_value *ck_state_get(const ck_state *self, const char *key) {
  slot *found = find_entry(self, key);
  return found ? found->value : NULL;
}

/* Makes room for one more entry. */
static bool reserve_slot(ck_state *self) {
  if (self->count < self->cap / 4 * 3) return true;
  size_t cap = self->cap ? self->cap * 2 : FIRST_CAP;
  slot *slots = calloc(cap, sizeof *slots);
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

static ck_status add_entry(ck_state *self, const char *key, const ck_value *value, ck_error *err) {
  char *copy = reserve_slot(self) ? strdup(key) : NULL;
  if (!copy) return ck_error_no_memory(err);
  size_t len = strlen(copy);
  uint64_t hash = hash_key(copy, len);
  *find_slot(self, copy, hash) = (slot){copy, ck_value_share(value), hash};
  self->count++;
  self->bytes += len + ck_value_bytes(value).len;
  return CK_OK;
}

ck_status ck_state_put(ck_state *self, const char *key, const ck_value *value, ck_error *err) {
  ck_status status = ck_state_check_key(key, err);
  if (status != CK_OK) return status;
  if (!value) return ck_error_set(err, CK_E_USAGE, "state key '%s': there is no value to put", key);
  slot *found = find_entry(self, key);
  if (!found) return add_entry(self, key, value, err);
  ck_value *old = found->value;
  self->bytes += ck_value_bytes(value).len - ck_value_bytes(old).len;
  found->value = ck_value_share(value);
  ck_value_free(old);
  return CK_OK;
}

/* Moves back every follower that the gap would make unreachable from its home slot. */
static void close_gap(ck_state *self, size_t gap) {
  size_t mask = self->cap - 1;
  for (size_t at = (gap + 1) & mask; self->slots[at].key; at = (at + 1) & mask) {
    size_t home = (size_t)self->slots[at].hash & mask;
    if (((at - home) & mask) < ((at - gap) & mask)) continue;
    self->slots[gap] = self->slots[at];
    gap = at;
  }
  self->slots[gap] = (slot){0};
}

bool ck_state_remove(ck_state *self, const char *key) {
  slot *found = find_entry(self, key);
  if (!found) return false;
  slot gone = *found;
  close_gap(self, (size_t)(found - self->slots));
  self->count--;
  self->bytes -= strlen(gone.key) + ck_value_bytes(gone.value).len;
  free(gone.key);
  ck_value_free(gone.value);
  return true;
}

size_t ck_state_count(const ck_state *self) { return self->count; }

size_t ck_state_bytes(const ck_state *self) { return self->bytes; }

static int compare_keys(const void *a, const void *b) {
  return strcmp(((const ck_state_entry *)a)->key, ((const ck_state_entry *)b)->key);
}

ck_status ck_state_list(ck_state_entry **out, size_t *count, const ck_state *self, ck_error *err) {
  *out = NULL;
  *count = 0;
  ck_state_entry *entries = malloc((self->count + 1) * sizeof *entries);
  if (!entries) return ck_error_no_memory(err);
  size_t filled = 0;
  for (size_t i = 0; i < self->cap; i++) {
    if (self->slots[i].key)
      entries[filled++] = (ck_state_entry){self->slots[i].key, self->slots[i].value};
  }
  qsort(entries, filled, sizeof *entries, compare_keys);
  *out = entries;
  *count = filled;
  return CK_OK;
}
