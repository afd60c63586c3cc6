/* stretches.c - grows the last stretch, or joins two for a new one. */
#include "core/model/stretches.h"

#include <string.h>

static void join_nearest(ck_stretches *self) {
  size_t at = 1;
  for (size_t i = 2; i < self->count; i++)
    if (self->list[i].first - self->list[i - 1].last <
        self->list[at].first - self->list[at - 1].last)
      at = i;
  self->list[at - 1].last = self->list[at].last;
  memmove(&self->list[at], &self->list[at + 1], (--self->count - at) * sizeof *self->list);
}

void ck_stretches_take(ck_stretches *self, int64_t seq) {
  ck_stretch *last = self->count ? &self->list[self->count - 1] : NULL;
  if (last && seq - last->last <= CK_STRETCHES_GAP) {
    last->last = seq;
    return;
  }
  if (self->count == CK_STRETCHES_MAX) join_nearest(self);
  self->list[self->count++] = (ck_stretch){seq, seq};
}

/* A changed digit would hide events from whoever trusts it: FNV-1a over the numbers. */
static int64_t check_of(const ck_stretches *self) {
  uint32_t sum = 2166136261u;
  for (size_t i = 0; i < 2 * self->count; i++) {
    uint64_t number = (uint64_t)(i % 2 ? self->list[i / 2].last : self->list[i / 2].first);
    for (int byte = 0; byte < 8; byte++) sum = (sum ^ (number >> 8 * byte & 0xff)) * 16777619u;
  }
  return sum;
}

void ck_stretches_write(ck_json_writer *w, const ck_stretches *self) {
  ck_json_begin(w, '[');
  ck_json_put_int(w, check_of(self));
  for (size_t i = 0; i < self->count; i++) {
    ck_json_put_int(w, self->list[i].first);
    ck_json_put_int(w, self->list[i].last);
  }
  ck_json_end(w, ']');
}

bool ck_stretches_read(ck_stretches *out, ck_bytes json) {
  int64_t check;
  *out = (ck_stretches){0};
  ck_json_iterator it = ck_json_iterate(json);
  if (ck_json_type_of(json) != CK_JSON_ARRAY || !ck_json_next(&it) ||
      !ck_json_read_int(&check, it.value))
    return false;
  while (ck_json_next(&it)) {
    ck_stretch *next = &out->list[out->count];
    if (out->count == CK_STRETCHES_MAX || !ck_json_read_int(&next->first, it.value) ||
        !ck_json_next(&it) || !ck_json_read_int(&next->last, it.value))
      return false;
    out->count++;
  }
  return check == check_of(out);
}
