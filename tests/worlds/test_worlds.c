/* test_worlds.c - whole histories, each decided by a number: processes that crash, lose their
 * machine, or meet a failing disk at any write, threads in any order, an outside that ends effects
 * in every way. Whatever happens, what an independent model knows is true of the store.
 *
 * WORLDS_FIRST=N, WORLDS_COUNT=N: from which number, how many. WORLDS_TRACE=1 prints histories. */
/* link: @tests/worlds/wrapped.list */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/worlds/disk.h"
#include "tests/worlds/world.h"

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static bool live(uint64_t seed) {
  chance_begin(seed);
  return world_live(tap_tmpdir());
}

static void test_same_seed(uint64_t seed) {
  live(seed);
  uint64_t first = the_world.digest;
  live(seed);
  tap_ok(the_world.digest == first, "seed %llu decides all of its history",
         (unsigned long long)seed);
}

static void show_counts(void) {
  static const char *const names[] = {
#define X(name, text) text,
      DISK_EVENT_TABLE(X)
#undef X
  };
  for (int i = 0; i < DISK_EVENTS; i++)
    tap_diag("%s: %llu", names[i], (unsigned long long)disk_counts()[i]);
}

/* Its files are written often, and never for good. */
static void choose_folder(void) {
  if (!getenv("TMPDIR") && access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
}

int main(void) {
  const char *sparse = getenv("CKRUN_SPARSE");
  uint64_t first = number("WORLDS_FIRST", 1),
           count = number("WORLDS_COUNT", sparse && *sparse ? 100 : 1000);
  int64_t wrong = 0, lives = 0;
  choose_folder();
  disk_install();
  for (uint64_t seed = 1; seed <= 5; seed++) test_same_seed(seed);
  for (uint64_t seed = first; seed < first + count; seed++) {
    bool good = live(seed);
    lives += the_world.lives;
    wrong += !good;
    if (!good && wrong <= 10)
      tap_diag("seed %llu: %s", (unsigned long long)seed, the_world.model.problem);
    if (getenv("WORLDS_TRACE")) fprintf(stderr, "%s", the_world.log.data);
  }
  show_counts();
  tap_is_int(wrong, 0, "%llu histories of %lld lives", (unsigned long long)count, (long long)lives);
  ck_buffer_clear(&the_world.log);
  return tap_done();
}
