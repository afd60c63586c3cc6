/* test_map.c - a map answers as a plain list does, however keys come and go. */
#include "core/base/map.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

enum { KEYS = 300, STEPS = 20000 };

static char keys[KEYS][16];

/* The same numbers each time. */
static unsigned draw(unsigned below) {
  static unsigned long long state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % below;
}

/* Adds or removes keys in any order; true when the map agreed with the list at each step. */
static bool agrees_with_a_list(ck_map *map) {
  bool listed[KEYS] = {false}, agrees = true;
  size_t count = 0;
  ck_error err = CK_ERROR_INIT;
  for (int step = 0; step < STEPS && agrees; step++) {
    unsigned at = draw(KEYS);
    void *found = ck_map_get(map, keys[at]);
    agrees = listed[at] ? found == keys[at] : !found;
    if (listed[at]) {
      ck_map_slot gone = ck_map_remove(map, keys[at]);
      agrees &= gone.key == keys[at] && gone.value == keys[at];
      count--;
    } else {
      agrees &= ck_map_add(map, keys[at], keys[at], &err) == CK_OK;
      count++;
    }
    listed[at] = !listed[at];
    agrees &= map->count == count;
  }
  for (int i = 0; i < KEYS; i++) agrees &= (ck_map_get(map, keys[i]) != NULL) == listed[i];
  return agrees;
}

int main(void) {
  ck_map map = {0};
  for (int i = 0; i < KEYS; i++) snprintf(keys[i], sizeof keys[i], "key%d", i);
  tap_ok(!ck_map_find(&map, "key0") && !ck_map_remove(&map, "key0").key, "an empty map has no key");
  tap_ok(agrees_with_a_list(&map), "it holds what was added and not removed, at each of %d steps",
         STEPS);
  ck_map_clear(&map);
  tap_ok(map.count == 0 && !ck_map_get(&map, "key0"), "cleared, it is empty");
  return tap_done();
}
