/* ids.c - collects the ids of calls in a set, and drops those that a provider would refuse. */
#include "core/effect/model/ids.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fnv.h"

void ck_model_ids_clear(ck_model_ids *self) {
  free(self->slots);
  *self = (ck_model_ids){0};
}

static void reset(ck_model_ids *self) {
  if (self->slots) memset(self->slots, 0, self->cap * sizeof *self->slots);
  self->count = 0;
}

/* ---- the set: open addressing, a slot without bytes is free ---- */

static size_t find_slot(const ck_model_ids *self, ck_bytes id) {
  uint64_t h = ck_fnv_add(CK_FNV_BEGIN, id.data, id.len);
  size_t slot = (size_t)(h ^ (h >> 32)) & (self->cap - 1);
  while (self->slots[slot].len && !ck_bytes_equal(self->slots[slot], id))
    slot = (slot + 1) & (self->cap - 1);
  return slot;
}

static bool grow(ck_model_ids *self) {
  ck_model_ids bigger = {.cap = self->cap ? self->cap * 2 : 64, .count = self->count};
  bigger.slots = calloc(bigger.cap, sizeof *bigger.slots);
  if (!bigger.slots) return false;
  for (size_t i = 0; i < self->cap; i++) {
    if (self->slots[i].len) bigger.slots[find_slot(&bigger, self->slots[i])] = self->slots[i];
  }
  free(self->slots);
  *self = bigger;
  return true;
}

/* False: the set has it already. */
static bool add(ck_model_ids *self, ck_bytes id) {
  if (self->count * 2 >= self->cap && !grow(self)) {
    self->failed = true;
    return false;
  }
  size_t slot = find_slot(self, id);
  if (self->slots[slot].len) return false;
  self->slots[slot] = id;
  self->count++;
  return true;
}

/* ---- spelling of ids ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* "call_3_0" */
static bool looks_made(ck_bytes id) {
  static const char start[] = "\"call_";
  size_t at = sizeof start - 1;
  if (id.len < at || memcmp(id.data, start, at) != 0) return false;
  while (at < id.len && is_digit(id.data[at])) at++;
  if (at == id.len || id.data[at++] != '_') return false;
  while (at < id.len && is_digit(id.data[at])) at++;
  return at + 1 == id.len;
}

/* An id spelt with escapes could equal another that is spelt without. */
static bool is_plain(ck_bytes id) { return id.len > 2 && !memchr(id.data, '\\', id.len); }

static bool is_well_formed(ck_bytes id) {
  for (size_t i = 1; i + 1 < id.len; i++) {
    char c = id.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !is_digit(c) && c != '_' && c != '-') return false;
  }
  return is_plain(id) && !looks_made(id);
}

/* ---- sifting ---- */

void ck_model_ids_sift(ck_model_ids *self, ck_model_call *calls, size_t count,
                       ck_model_shape shape) {
  bool strict = shape != CK_SHAPE_OPENAI, some = false;
  if (!strict) reset(self);
  for (size_t i = 0; i < count; i++) {
    bool fits = (strict ? is_well_formed : is_plain)(calls[i].id) && add(self, calls[i].id);
    if (!fits) calls[i].id = (ck_bytes){0};
    some |= !fits;
  }
  for (size_t i = 0; i < count && some; i++) {
    if (looks_made(calls[i].id)) calls[i].id = (ck_bytes){0};
  }
}
