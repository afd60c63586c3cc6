/* name_set.c - two names with one mark are not to be expected: 2^-89 for a million of them. */
#include "core/base/name_set.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"

enum { FIRST_CAP = 16 };

void ck_name_set_clear(ck_name_set *self) {
  free(self->marks);
  *self = (ck_name_set){0};
}

static bool is_free(const ck_name_mark *mark) { return !mark->parts[0] && !mark->parts[1]; }

static ck_name_mark mark_of(const char *name) {
  ck_digest digest = ck_digest_of(ck_bytes_text(name));
  ck_name_mark mark;
  memcpy(&mark, digest.bytes, sizeof mark);
  if (is_free(&mark)) mark.parts[0] = 1;
  return mark;
}

/* Its place, or the free one where it belongs. */
static ck_name_mark *find(ck_name_mark *marks, size_t cap, const ck_name_mark *mark) {
  size_t at = mark->parts[0] & (cap - 1);
  while (!is_free(&marks[at]) && memcmp(&marks[at], mark, sizeof *mark) != 0)
    at = (at + 1) & (cap - 1);
  return &marks[at];
}

static bool grow(ck_name_set *self) {
  size_t cap = self->cap ? 2 * self->cap : FIRST_CAP;
  ck_name_mark *marks = calloc(cap, sizeof *marks);
  if (!marks) return false;
  for (size_t i = 0; i < self->cap; i++)
    if (!is_free(&self->marks[i])) *find(marks, cap, &self->marks[i]) = self->marks[i];
  free(self->marks);
  self->marks = marks;
  self->cap = cap;
  return true;
}

ck_status ck_name_set_add(bool *fresh, ck_name_set *self, const char *name, ck_error *err) {
  *fresh = false;
  bool full = self->count + 1 > self->cap - self->cap / 8;
  if (full && !grow(self)) return ck_error_no_memory(err);
  ck_name_mark mark = mark_of(name), *place = find(self->marks, self->cap, &mark);
  *fresh = is_free(place);
  *place = mark;
  self->count += *fresh;
  return CK_OK;
}
