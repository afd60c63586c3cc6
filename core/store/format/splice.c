/* splice.c - compares values word by word from both ends, and continues hashes where they
 * stopped. */
#include "core/store/format/splice.h"

#include <stdlib.h>
#include <string.h>

enum {
  VALUE_MIN = 64, /* bytes of the shorter value: below it a splice's own numbers cost too much */
  SAVED_MIN = 32,
  SAVED_PART = 16, /* at least a sixteenth of the value */
  BLOCK = 4096,
  MEMO_TAIL = 64 /* bytes: the closing brackets after the position where a document grows */
};

struct ck_splice_memo {
  ck_digester at;
  size_t len; /* bytes hashed so far; 0: none */
};

static size_t first_difference(const char *a, const char *b, size_t len) {
  size_t at = 0;
  while (len - at >= BLOCK && memcmp(a + at, b + at, BLOCK) == 0) at += BLOCK;
  for (; len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
    uint64_t x, y;
    memcpy(&x, a + at, sizeof x);
    memcpy(&y, b + at, sizeof y);
    if (x != y) break;
  }
  while (at < len && a[at] == b[at]) at++;
  return at;
}

/* `a` and `b` point after the last byte. */
static size_t equal_from_behind(const char *a, const char *b, size_t len) {
  size_t at = 0;
  while (len - at >= BLOCK && memcmp(a - at - BLOCK, b - at - BLOCK, BLOCK) == 0) at += BLOCK;
  for (; len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
    uint64_t x, y;
    memcpy(&x, a - at - sizeof x, sizeof x);
    memcpy(&y, b - at - sizeof y, sizeof y);
    if (x != y) break;
  }
  while (at < len && a[-(ptrdiff_t)at - 1] == b[-(ptrdiff_t)at - 1]) at++;
  return at;
}

ck_splice ck_splice_get(ck_bytes old, ck_bytes new) {
  if (old.len < VALUE_MIN || new.len < VALUE_MIN) return (ck_splice){0, 0};
  size_t shorter = old.len < new.len ? old.len : new.len;
  size_t prefix = first_difference(old.data, new.data, shorter);
  return (ck_splice){prefix,
                     equal_from_behind(old.data + old.len, new.data + new.len, shorter - prefix)};
}

bool ck_splice_pays(ck_splice self, ck_bytes new) {
  size_t saved = self.prefix + self.suffix;
  return saved >= SAVED_MIN && saved >= new.len / SAVED_PART;
}

ck_splice_memo *ck_splice_memo_new(void) {
  ck_splice_memo *self = aligned_alloc(_Alignof(ck_splice_memo), sizeof *self);
  if (self) self->len = 0;
  return self;
}

void ck_splice_memo_free(ck_splice_memo *self) { free(self); }

ck_digest ck_splice_digest(ck_splice_memo *memo, ck_bytes value, size_t same) {
  if (!memo || value.len < CK_SPLICE_MEMO_FROM) {
    if (memo) memo->len = 0;
    return ck_digest_of(value);
  }
  if (memo->len == 0 || memo->len > same || memo->len > value.len - MEMO_TAIL) {
    ck_digester_init(&memo->at);
    memo->len = 0;
  }
  size_t stop = value.len - MEMO_TAIL;
  ck_digester_update(&memo->at, value.data + memo->len, stop - memo->len);
  memo->len = stop;
  ck_digester end = memo->at;
  ck_digester_update(&end, value.data + stop, value.len - stop);
  return ck_digester_final(&end);
}
