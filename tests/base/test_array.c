/* test_array.c - lists that grow: room for one more, moved with what they hold, left as they are
 * without memory. */
/* link: -Wl,--wrap=realloc */
#include "core/base/array.h"

#include <stdint.h>

#include "tests/starve.h"
#include "tests/tap.h"

WRAP(realloc, (void *block, size_t size), (block, size))

static void test_growth(void) {
  size_t cap = 0, count = 0, moves = 0;
  int *list = NULL;
  bool room = true, kept = true;
  for (int i = 0; i < 1000; i++) {
    size_t before = cap;
    int *grown = ck_array_grow(list, count, &cap, sizeof *list);
    tap_must(grown != NULL, "it grows");
    list = grown;
    room &= cap > count;
    moves += cap != before;
    list[count++] = i;
  }
  for (int i = 0; i < 1000; i++) kept &= list[i] == i;
  tap_ok(room, "there is room for one more each time");
  tap_ok(kept, "what it holds stays");
  tap_ok(moves < 11, "it is doubled: %zu times for 1000 items", moves);
  free(list);
}

static void test_starved(void) {
  size_t cap = 0;
  budget = 0;
  void *none = ck_array_grow(NULL, 0, &cap, sizeof(int));
  budget = -1;
  tap_ok(!none && cap == 0, "without memory there is none, and no room is claimed");
  int *list = ck_array_grow(NULL, 0, &cap, sizeof *list);
  tap_must(list != NULL, "with memory there is");
  size_t full = cap;
  list[0] = 7;
  budget = 0;
  int *same = ck_array_grow(list, 0, &cap, sizeof *list);
  int *more = ck_array_grow(list, full, &cap, sizeof *list);
  budget = -1;
  tap_ok(same == list, "one with room needs no memory");
  tap_ok(!more && cap == full && list[0] == 7, "a full one stays as it was");
  free(list);
}

static void test_limits(void) {
  size_t cap = SIZE_MAX / 2;
  tap_ok(!ck_array_grow(NULL, cap, &cap, 16) && cap == SIZE_MAX / 2,
         "more bytes than can be counted are refused");
  cap = SIZE_MAX / 2 + 1;
  tap_ok(!ck_array_grow(NULL, cap, &cap, 1) && cap == SIZE_MAX / 2 + 1, "so are more items");
}

int main(void) {
  test_growth();
  test_starved();
  test_limits();
  return tap_done();
}
