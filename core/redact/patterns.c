/* patterns.c - many byte strings in one pass, skipping as much as the shortest of them allows. */
#include "core/redact/patterns.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

enum { BLOCK = 3, WINDOW_MAX = 32 };

static unsigned hash(const char *block) {
  const unsigned char *b = (const unsigned char *)block;
  uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16;
  return (word * 0x9e3779b1u) >> 19;
}

ck_status ck_patterns_append(ck_patterns *self, ck_bytes bytes, uint32_t owner, ck_error *err) {
  if (bytes.len < CK_PATTERN_MIN) return CK_OK;
  ck_pattern *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  char *copy = ck_locked_copy(&self->bytes, bytes.data, bytes.len);
  if (!copy) return ck_error_no_memory(err);
  self->list[self->count++] = (ck_pattern){.bytes = copy, .len = bytes.len, .owner = owner};
  return CK_OK;
}

/* shift[block]: how far the window may move when the block stands at its end. */
static void add_blocks(ck_patterns *self, uint32_t index) {
  ck_pattern *pattern = &self->list[index];
  for (size_t j = BLOCK; j < self->window; j++) {
    uint8_t *shift = &self->shifts[hash(pattern->bytes + j - BLOCK)],
            far = (uint8_t)(self->window - j);
    if (far < *shift) *shift = far;
  }
  unsigned last = hash(pattern->bytes + self->window - BLOCK);
  self->shifts[last] = 0;
  pattern->next = self->heads[last];
  self->heads[last] = index + 1;
}

void ck_patterns_init(ck_patterns *self) {
  self->window = WINDOW_MAX;
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].len < self->window) self->window = self->list[i].len;
  memset(self->shifts, (int)(self->window - BLOCK + 1), sizeof self->shifts);
  memset(self->heads, 0, sizeof self->heads);
  for (size_t i = 0; i < self->count; i++) add_blocks(self, (uint32_t)i);
}

/* The longest pattern that begins at `at`. */
static const ck_pattern *longest_at(const ck_patterns *self, ck_bytes text, size_t at,
                                    unsigned block) {
  const ck_pattern *best = NULL;
  for (uint32_t i = self->heads[block]; i > 0; i = self->list[i - 1].next) {
    const ck_pattern *pattern = &self->list[i - 1];
    if (pattern->len <= text.len - at && (!best || pattern->len > best->len) &&
        memcmp(text.data + at, pattern->bytes, pattern->len) == 0)
      best = pattern;
  }
  return best;
}

const ck_pattern *ck_patterns_next(const ck_patterns *self, ck_bytes text, size_t *at) {
  if (self->count == 0) return NULL;
  for (size_t end = *at + self->window; end <= text.len;) {
    unsigned block = hash(text.data + end - BLOCK);
    unsigned shift = self->shifts[block];
    if (shift > 0) {
      end += shift;
      continue;
    }
    *at = end - self->window;
    const ck_pattern *found = longest_at(self, text, *at, block);
    if (found) return found;
    end++;
  }
  return NULL;
}

void ck_patterns_clear(ck_patterns *self) {
  ck_locked_clear(&self->bytes);
  free(self->list);
  *self = (ck_patterns){0};
}
