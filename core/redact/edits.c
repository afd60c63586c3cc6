/* edits.c - collects, orders and applies replacements. */
#include "core/redact/edits.h"

#include <stdlib.h>

#include "core/base/array.h"

void ck_edits_append(ck_edits *self, size_t start, size_t end, ck_bytes text, uint32_t rule) {
  ck_edit *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->failed = true;
    return;
  }
  self->list = list;
  self->list[self->count++] = (ck_edit){
      .start = start, .end = end, .text = self->texts.len, .text_len = text.len, .rule = rule};
  ck_buffer_append_bytes(&self->texts, text);
}

void ck_edits_cut(ck_edits *self, size_t count) {
  if (count < self->count) self->count = count;
}

static int compare(const void *left, const void *right) {
  const ck_edit *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  if (a->end != b->end) return a->end > b->end ? -1 : 1;
  return a->text < b->text ? -1 : a->text > b->text;
}

/* Of overlapping edits the longest span gives the text, so a container's edit wins over those
 * inside it. */
static void join(ck_edit *kept, const ck_edit *next) {
  if (next->end - next->start > kept->end - kept->start) {
    kept->text = next->text;
    kept->text_len = next->text_len;
    kept->rule = next->rule;
  }
  if (next->end > kept->end) kept->end = next->end;
}

void ck_edits_merge(ck_edits *self) {
  if (self->count < 2) return;
  qsort(self->list, self->count, sizeof *self->list, compare);
  size_t kept = 0;
  for (size_t i = 1; i < self->count; i++) {
    if (self->list[i].start < self->list[kept].end)
      join(&self->list[kept], &self->list[i]);
    else
      self->list[++kept] = self->list[i];
  }
  self->count = kept + 1;
}

ck_bytes ck_edits_text(const ck_edits *self, const ck_edit *edit) {
  if (self->texts.failed || edit->text_len == 0) return (ck_bytes){NULL, 0};
  return (ck_bytes){self->texts.data + edit->text, edit->text_len};
}

size_t ck_edits_find(const ck_edits *self, size_t at) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->list[middle].end <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void ck_edits_write(ck_buffer *out, const ck_edits *self, ck_bytes source) {
  size_t at = 0;
  for (size_t i = 0; i < self->count; i++) {
    const ck_edit *edit = &self->list[i];
    ck_buffer_append(out, source.data + at, edit->start - at);
    ck_buffer_append_bytes(out, ck_edits_text(self, edit));
    at = edit->end;
  }
  if (source.len > at) ck_buffer_append(out, source.data + at, source.len - at);
}

ck_status ck_edits_check(const ck_edits *self, ck_error *err) {
  return self->failed || self->texts.failed ? ck_error_no_memory(err) : CK_OK;
}

void ck_edits_clear(ck_edits *self) {
  free(self->list);
  ck_buffer_clear(&self->texts);
  *self = (ck_edits){0};
}
