/* test_worlds.c - whole histories, each decided by a number: processes that crash, lose their
 * machine, or meet a failing disk at any write, threads in any order, an outside that ends effects
 * in every way. Whatever happens, what an independent model knows is true of the store.
 *
 * WORLDS_FIRST=N, WORLDS_COUNT=N: from which number, how many. WORLDS_TRACE=1 prints histories.
 * WORLDS_SCRIPT=FILE lives one; WORLDS_TRIES=N tries longer to make a failing history short.
 * WORLDS_TOTALS=FILE adds what was come through to the file's. */
/* link: @tests/worlds/wrapped.list */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/worlds/cover.h"
#include "tests/worlds/disk.h"
#include "tests/worlds/shrink.h"
#include "tests/worlds/world.h"

#define KEPT "tests/worlds/kept"
enum { SHRINKING_TRIES = 400, SHOWN = 10, MEETS = 80 };

static uint64_t number(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

static void trace(void) {
  if (getenv("WORLDS_TRACE")) fprintf(stderr, "%s", the_world.log.data);
}

static bool live(uint64_t seed) {
  chance_begin(seed);
  bool good = world_live(tap_tmpdir());
  trace();
  return good;
}

static bool fails(const chance_script *script) {
  chance_begin_script(script);
  return !world_live(tap_tmpdir());
}

/* ---- scripts that are kept ---- */

/* What a script was kept for, in a line "# meets: THING" of cover.h; it is counted when the code of
 * today still comes there. Empty: it does not say. */
static void read_meets(char out[MEETS], const char *path) {
  char line[200];
  FILE *in = fopen(path, "re");
  tap_must(in != NULL, "%s can be read", path);
  out[0] = 0;
  while (!out[0] && fgets(line, sizeof line, in))
    if (sscanf(line, "# meets: %79[^\n]", out) != 1) out[0] = 0;
  fclose(in);
}

static void test_script(const char *path) {
  chance_script script = {0};
  char meets[MEETS];
  script_read(&script, path);
  read_meets(meets, path);
  uint64_t before = cover_get(meets);
  bool good = !fails(&script);
  trace();
  tap_ok(good, "%s", path);
  if (!good) tap_diag("%s", the_world.model.problem);
  if (good && meets[0]) tap_ok(cover_get(meets) > before, "%s meets: %s", path, meets);
  free(script.list);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void test_kept(void) {
  struct dirent **list;
  char path[400];
  int count = scandir(KEPT, &list, NULL, by_name);
  tap_must(count >= 0, "%s is there: tests are run from the repository", KEPT);
  for (int i = 0; i < count; i++) {
    snprintf(path, sizeof path, "%s/%s", KEPT, list[i]->d_name);
    if (strstr(list[i]->d_name, ".world")) test_script(path);
    free(list[i]);
  }
  free(list);
}

/* ---- histories by number ---- */

static void test_same_seed(uint64_t seed) {
  live(seed);
  uint64_t first = the_world.digest;
  live(seed);
  tap_ok(the_world.digest == first, "number %llu decides all of its history",
         (unsigned long long)seed);
}

static void copy_made(chance_script *out) {
  const chance_script *made = chance_made();
  for (size_t i = 0; i < made->count; i++) chance_script_add(out, made->list[i]);
}

/* What a history fails of, without the numbers in it: made short, it could fail of something else.
 */
enum { ALIKE = 12 };
static char failure[ALIKE + 1];

static bool fails_alike(const chance_script *script) {
  return fails(script) && strncmp(the_world.model.problem, failure, ALIKE) == 0;
}

/* The first that fails is made short and printed, to be kept as a file. */
static void show_failure(uint64_t seed) {
  chance_script script = {0};
  copy_made(&script);
  tap_diag("number %llu: %s", (unsigned long long)seed, the_world.model.problem);
  snprintf(failure, sizeof failure, "%.*s", ALIKE, the_world.model.problem);
  shrink(&script, fails_alike, (int)number("WORLDS_TRIES", SHRINKING_TRIES));
  tap_diag("as a script: %s", fails(&script) ? the_world.model.problem : "it does not fail");
  script_print(stderr, &script);
  free(script.list);
}

static void test_numbers(uint64_t first, uint64_t count) {
  int64_t wrong = 0, lives = 0;
  for (uint64_t seed = first; seed < first + count; seed++) {
    bool good = live(seed);
    lives += the_world.lives;
    wrong += !good;
    if (!good && wrong == 1)
      show_failure(seed);
    else if (!good && wrong <= SHOWN)
      tap_diag("number %llu: %s", (unsigned long long)seed, the_world.model.problem);
  }
  cover_add("histories", count);
  cover_add("lives", (uint64_t)lives);
  tap_is_int(wrong, 0, "%llu histories of %lld lives", (unsigned long long)count, (long long)lives);
}

static void count_disk(void) {
  static const char *const names[] = {
#define X(name, text) "disk: " text,
      DISK_EVENT_TABLE(X)
#undef X
  };
  for (int i = 0; i < DISK_EVENTS; i++) cover_add(names[i], disk_counts()[i]);
}

static void test_corners(void) {
  static const char *const corners[] = {"corner: a death in the recovery of a recovery",
                                        "corner: gone back in doubt",
                                        "corner: pruned beside a fork",
                                        "corner: replaced while it lives",
                                        "request answer: CK_OK",
                                        "request checkpoint is taken",
                                        "request prune: CK_OK",
                                        "request cancel is over: noted",
                                        "request is left for a run before",
                                        "question: answered anew before it was told",
                                        "doubt: resolved as abort",
                                        "what the flow says is in the files with a key: no",
                                        "what the flow says is in the files without a key: yes"};
  for (size_t i = 0; i < sizeof corners / sizeof *corners; i++)
    tap_ok(cover_get(corners[i]) > 0, "%s: %llu times", corners[i],
           (unsigned long long)cover_get(corners[i]));
}

/* Its files are written often, and never for good. */
static void choose_folder(void) {
  if (!getenv("TMPDIR") && access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
}

int main(void) {
  const char *sparse = getenv("CKRUN_SPARSE"), *script = getenv("WORLDS_SCRIPT");
  uint64_t count = number("WORLDS_COUNT", sparse && *sparse ? 100 : 1000);
  choose_folder();
  disk_install();
  if (script) {
    test_script(script);
    cover_show();
  } else {
    test_kept();
    for (uint64_t seed = 1; seed <= 5; seed++) test_same_seed(seed);
    test_numbers(number("WORLDS_FIRST", 1), count);
    count_disk();
    cover_show();
    if (count >= 1000) test_corners();
    if (getenv("WORLDS_TOTALS")) cover_save(getenv("WORLDS_TOTALS"));
  }
  ck_buffer_clear(&the_world.log);
  return tap_done();
}
