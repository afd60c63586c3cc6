/* view.c - folds timelines into the ranges of seq in the view of one of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/session.h"

void ck_view_clear(ck_view *self) {
  free(self->ranges);
  *self = (ck_view){0};
}

/* The only range that can hold `seq` is the last one that begins at or before it. */
bool ck_view_contains(const ck_view *self, int64_t seq) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->ranges[middle].first <= seq) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low > 0 && seq <= self->ranges[low - 1].last;
}

/* Stores list timelines by number from 1, so the first guess is nearly always right. */
static const ck_timeline *find_timeline(const ck_timeline *timelines, size_t count, int64_t no) {
  if (no >= 1 && (uint64_t)no <= count && timelines[no - 1].no == no) return &timelines[no - 1];
  for (size_t i = 0; i < count; i++) {
    if (timelines[i].no == no) return &timelines[i];
  }
  return NULL;
}

/* A cut after the parent's end would include another timeline's events; one after the timeline's
 * own begin would include some events twice. A timeline ends where the next one begins. */
static ck_status check_cut(const ck_timeline *at, const ck_timeline *timelines, size_t count,
                           ck_error *err) {
  bool has_next = at->parent != 0 && at->parent < INT64_MAX;
  const ck_timeline *next = has_next ? find_timeline(timelines, count, at->parent + 1) : NULL;
  int64_t bound = next && next->begin < at->begin ? next->begin : at->begin;
  if (at->begin >= 1 && at->cut >= 0 && at->cut < bound) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "timeline %" PRId64 ", which begins at seq %" PRId64 ", is cut at %" PRId64
                      ", where its parent %" PRId64 " has no events",
                      at->no, at->begin, at->cut, at->parent);
}

/* Walks from the timeline up to its first ancestor and fills `ranges` from the end; *first: the
 * first one filled. */
static ck_status fold(size_t *first, ck_range *ranges, const ck_timeline *timelines, size_t count,
                      int64_t no, ck_error *err) {
  int64_t until = INT64_MAX;
  size_t steps = 0;
  for (*first = count; no != 0; steps++) {
    if (steps == count)
      return ck_error_set(err, CK_E_CORRUPT, "timeline %" PRId64 " is its own ancestor", no);
    const ck_timeline *at = find_timeline(timelines, count, no);
    if (!at) return ck_error_set(err, CK_E_CORRUPT, "timeline %" PRId64 " is missing", no);
    ck_status status = check_cut(at, timelines, count, err);
    if (status != CK_OK) return status;
    if (at->begin <= until) ranges[--*first] = (ck_range){at->begin, until, at->session};
    if (at->cut < until) until = at->cut;
    no = at->parent;
  }
  return CK_OK;
}

ck_status ck_view_make(ck_view *out, const ck_timeline *timelines, size_t count, int64_t timeline,
                       ck_error *err) {
  *out = (ck_view){0};
  if (timeline == 0 || !find_timeline(timelines, count, timeline)) {
    return ck_error_set(err, CK_E_CORRUPT, "timeline %" PRId64 " is missing", timeline);
  }
  ck_range *ranges = calloc(count, sizeof *ranges);
  if (!ranges) return ck_error_no_memory(err);
  size_t first;
  ck_status status = fold(&first, ranges, timelines, count, timeline, err);
  if (status != CK_OK) {
    free(ranges);
    return status;
  }
  memmove(ranges, ranges + first, (count - first) * sizeof *ranges);
  *out = (ck_view){ranges, count - first};
  return CK_OK;
}
