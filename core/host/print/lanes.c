/* lanes.c - draws a tree beside its rows, newest first, as `git log --graph` does. */
#include "core/host/print/lanes.h"

#include <stdlib.h>

#include "core/base/array.h"

static size_t find(const ck_lanes *self, int64_t node) {
  size_t lane = 0;
  while (lane < self->count && self->waits[lane] != node) lane++;
  return lane;
}

/* The lane of a node to which no line leads: the first free one. */
static size_t take_free(ck_lanes *self) {
  size_t lane = find(self, 0);
  if (lane < self->count) return lane;
  int64_t *waits = ck_array_grow(self->waits, self->count, &self->cap, sizeof *waits);
  if (!waits) {
    self->failed = true;
    return 0;
  }
  self->waits = waits;
  self->waits[self->count++] = 0;
  return lane;
}

void ck_lanes_keep(ck_lanes *self, int64_t node) {
  size_t lane = take_free(self);
  if (!self->failed) self->waits[lane] = node;
}

/* Free lanes at the right end take no room. */
static void trim(ck_lanes *self) {
  while (self->count > 0 && self->waits[self->count - 1] == 0) self->count--;
}

/* Between two lanes. */
static void append_gap(ck_buffer *out, bool joins) {
  ck_buffer_append_text(out, joins ? "─" : " ");
}

bool ck_lanes_join(ck_buffer *out, ck_lanes *self, int64_t node) {
  size_t first = find(self, node), last = first;
  for (size_t i = first; i < self->count; i++)
    if (self->waits[i] == node) last = i;
  if (self->failed || last == first) return false;
  for (size_t i = 0; i < self->count && i < CK_LANES_DRAWN; i++) {
    bool ends = i > first && self->waits[i] == node;
    bool crossed = i > first && i < last;
    const char *plain = self->waits[i] ? crossed ? "┼" : "│" : crossed ? "─" : " ";
    const char *joint = ends ? i == last ? "╯" : "┴" : i == first ? "├" : plain;
    if (i) append_gap(out, i > first && i <= last);
    ck_buffer_append_text(out, joint);
  }
  if (self->count > CK_LANES_DRAWN) ck_buffer_append_text(out, "…");
  for (size_t i = first + 1; i < self->count; i++)
    if (self->waits[i] == node) self->waits[i] = 0;
  trim(self);
  return true;
}

void ck_lanes_draw(ck_buffer *out, ck_lanes *self, int64_t node, int64_t parent, const char *mark) {
  size_t lane = find(self, node);
  if (lane == self->count) lane = take_free(self);
  if (self->failed) return;
  for (size_t i = 0; i < self->count && i < CK_LANES_DRAWN; i++) {
    if (i) append_gap(out, false);
    ck_buffer_append_text(out, i == lane ? mark : self->waits[i] ? "│" : " ");
  }
  if (self->count > CK_LANES_DRAWN) ck_buffer_append_text(out, "…");
  if (lane >= CK_LANES_DRAWN) ck_buffer_append_text(out, mark);
  self->waits[lane] = parent;
  trim(self);
}

void ck_lanes_clear(ck_lanes *self) {
  free(self->waits);
  *self = (ck_lanes){0};
}
