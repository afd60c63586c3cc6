/* test_view.c - a folded view sees exactly the events that walking up the timelines one by one
 * would see. */
#include <stdlib.h>
#include <string.h>

#include "core/model/session.h"
#include "tests/tap.h"

enum { TREES = 400, TIMELINES_MAX = 24, EVENTS_MAX = 9, LONG_CHAIN = 20000 };

static uint64_t seed = 0x2545f4914f6cdd1d;
static uint64_t next_random(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

/* Seqs are given out as a store does: each timeline a contiguous range, in the order of their
 * making. */
typedef struct tree {
  ck_timeline timelines[TIMELINES_MAX]; /* index = no - 1 */
  int64_t ends[TIMELINES_MAX];          /* last seq */
  size_t count;
} tree;

/* Does timeline `no` see `seq`? By the definition, one ancestor at a time. */
static bool sees(const tree *self, int64_t no, int64_t seq) {
  const ck_timeline *at = &self->timelines[no - 1];
  if (seq >= at->begin) return seq <= self->ends[no - 1];
  return at->parent != 0 && seq <= at->cut && sees(self, at->parent, seq);
}

static void grow(tree *self) {
  *self = (tree){.count = 1 + next_random() % TIMELINES_MAX};
  int64_t next = 1;
  for (size_t i = 0; i < self->count; i++) {
    ck_timeline *at = &self->timelines[i];
    at->no = (int64_t)i + 1;
    at->begin = next;
    if (i > 0) {
      at->parent = 1 + (int64_t)(next_random() % i);
      at->cut =
          (int64_t)(next_random() % (uint64_t)(self->ends[at->parent - 1] + 1)); /* in a gap, too */
      if (next_random() % 3 == 0) at->cut = self->timelines[at->parent - 1].begin - 1;
    }
    next += 1 + (int64_t)(next_random() % EVENTS_MAX);
    self->ends[i] = next - 1;
  }
}

static void shuffle(ck_timeline *timelines, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = next_random() % i;
    ck_timeline other = timelines[i - 1];
    timelines[i - 1] = timelines[j];
    timelines[j] = other;
  }
}

static int disorder(const ck_view *view) {
  int bad = view->count == 0 || view->ranges[view->count - 1].last != INT64_MAX;
  for (size_t i = 0; i < view->count; i++) {
    bad += view->ranges[i].first < 1 || view->ranges[i].first > view->ranges[i].last;
    bad += i > 0 && view->ranges[i].first <= view->ranges[i - 1].last;
  }
  return bad;
}

/* A live timeline is open at its end, so seqs behind its last event are not compared: other
 * timelines' events there are kept out by its being the last one that writes. Ancestors are
 * compared in full. */
static int compare(const tree *self, const ck_timeline *shuffled, int64_t no) {
  ck_view view = {0};
  if (ck_view_make(&view, shuffled, self->count, no, NULL) != CK_OK) return 1;
  int bad = disorder(&view);
  for (int64_t seq = 0; seq <= self->ends[no - 1]; seq++)
    bad += ck_view_contains(&view, seq) != sees(self, no, seq);
  bad += !ck_view_contains(&view, INT64_MAX) || ck_view_contains(&view, -1);
  ck_view_clear(&view);
  return bad;
}

static void test_random_trees(void) {
  int bad = 0, views = 0;
  for (int i = 0; i < TREES; i++) {
    tree at;
    grow(&at);
    ck_timeline shuffled[TIMELINES_MAX];
    memcpy(shuffled, at.timelines, sizeof shuffled);
    if (i % 2) shuffle(shuffled, at.count);
    for (size_t no = 1; no <= at.count; no++, views++) bad += compare(&at, shuffled, (int64_t)no);
  }
  tap_is_int(bad, 0, "%d views of %d random trees are those of brute force", views, TREES);
}

static void test_exact(void) {
  /* 1: 1..10; 2 cut at 5: 11..12; 3 of 2 cut at 3, before 2 begins: sees 1..3, then its own. */
  static const ck_timeline timelines[] = {{.no = 1, .begin = 1},
                                          {.no = 2, .parent = 1, .cut = 5, .begin = 11},
                                          {.no = 3, .parent = 2, .cut = 3, .begin = 13}};
  ck_view view = {0};
  tap_is_status(ck_view_make(&view, timelines, 3, 1, NULL), CK_OK, NULL,
                "the first timeline has a view");
  tap_ok(view.count == 1 && view.ranges[0].first == 1 && view.ranges[0].last == INT64_MAX,
         "of everything from 1");
  ck_view_clear(&view);
  tap_is_status(ck_view_make(&view, timelines, 3, 3, NULL), CK_OK, NULL,
                "a cut before the parent begins");
  tap_ok(view.count == 2 && view.ranges[0].first == 1 && view.ranges[0].last == 3 &&
             view.ranges[1].first == 13,
         "drops the parent's own events");
  tap_ok(!ck_view_contains(&view, 4) && !ck_view_contains(&view, 11) &&
             !ck_view_contains(&view, 12) && ck_view_contains(&view, 3) &&
             ck_view_contains(&view, 13),
         "and shows none of them");
  ck_view_clear(&view);
  static const ck_timeline gaps[] = {{.no = 90, .parent = 7, .cut = 5, .begin = 9},
                                     {.no = 7, .begin = 1}};
  tap_is_status(ck_view_make(&view, gaps, 2, 90, NULL), CK_OK, NULL,
                "numbers may have gaps and any order");
  tap_ok(view.count == 2 && view.ranges[0].last == 5 && view.ranges[1].first == 9,
         "the view is the same");
  ck_view_clear(&view);
  tap_ok(view.ranges == NULL && !ck_view_contains(&view, 1), "a cleared view sees nothing");
  ck_view_clear(&view);
}

static void is_corrupt(const ck_timeline *timelines, size_t count, int64_t no, const char *what) {
  ck_view view = {(ck_range *)1, 9};
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_view_make(&view, timelines, count, no, &err);
  tap_is_status(status, CK_E_CORRUPT, &err, "%s is corrupt", what);
  tap_ok(view.ranges == NULL && view.count == 0 && err.text[0], "%s gives no view and a reason",
         what);
}

static void test_corrupt(void) {
  is_corrupt(NULL, 0, 1, "no timeline at all");
  is_corrupt((ck_timeline[]){{.no = 1, .begin = 1}}, 1, 2, "an unknown timeline");
  is_corrupt((ck_timeline[]){{.no = 1, .begin = 1}}, 1, 0, "timeline 0");
  is_corrupt((ck_timeline[]){{.no = 1, .begin = 1}}, 1, INT64_MIN, "the least timeline");
  is_corrupt((ck_timeline[]){{.no = 2, .parent = 1, .cut = 1, .begin = 2}}, 1, 2,
             "a missing parent");
  is_corrupt((ck_timeline[]){{.no = 1, .parent = INT64_MAX, .begin = 1}}, 1, 1,
             "the greatest parent");
  is_corrupt(
      (ck_timeline[]){{.no = 3, .parent = 2, .begin = 3}, {.no = 2, .parent = 1, .begin = 2}}, 2, 3,
      "a missing grandparent of whom nothing is seen");
  is_corrupt((ck_timeline[]){{.no = 1, .parent = 1, .begin = 1}}, 1, 1,
             "a timeline that is its own parent");
  is_corrupt((ck_timeline[]){{.no = 1, .parent = 2, .cut = 1, .begin = 5},
                             {.no = 2, .parent = 3, .cut = 1, .begin = 9},
                             {.no = 3, .parent = 1, .cut = 1, .begin = 12}},
             3, 2, "a ring of three");
  is_corrupt((ck_timeline[]){{.no = 1, .begin = 1}, {.no = 2, .parent = 1, .cut = 7, .begin = 7}},
             2, 2, "a cut within the timeline's own events");
  is_corrupt((ck_timeline[]){{.no = 1, .begin = 1},
                             {.no = 2, .parent = 1, .cut = 4, .begin = 7},
                             {.no = 3, .parent = 1, .cut = 8, .begin = 12}},
             3, 3, "a cut behind the parent's end, among another branch's events,");
  is_corrupt((ck_timeline[]){{.no = 1, .begin = 1}, {.no = 2, .parent = 1, .cut = -1, .begin = 7}},
             2, 2, "a negative cut");
  is_corrupt((ck_timeline[]){{.no = 1, .begin = 0}}, 1, 1, "a timeline that begins at 0");
}

/* Recursion would end the stack, a search per ancestor the patience. */
static void test_long_chain(void) {
  ck_timeline *timelines = calloc(LONG_CHAIN, sizeof *timelines);
  tap_must(timelines, "memory");
  for (int64_t i = 0; i < LONG_CHAIN; i++)
    timelines[i] =
        (ck_timeline){.no = i + 1, .parent = i, .begin = 2 * i + 1, .cut = 2 * i - (i > 0)};
  ck_view view = {0};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_view_make(&view, timelines, LONG_CHAIN, LONG_CHAIN, &err), CK_OK, &err,
                "a chain of %d", LONG_CHAIN);
  tap_is_int((int64_t)view.count, LONG_CHAIN, "has a range of each");
  int bad = disorder(&view);
  for (int64_t seq = 1; seq < 2 * LONG_CHAIN; seq++)
    bad += ck_view_contains(&view, seq) != (seq % 2 == 1);
  tap_is_int(bad, 0, "and sees one event of each");
  ck_view_clear(&view);
  free(timelines);
}

int main(void) {
  test_exact();
  test_corrupt();
  test_random_trees();
  test_long_chain();
  return tap_done();
}
