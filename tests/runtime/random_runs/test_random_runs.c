/* test_random_runs.c - random trees of scopes that die, pause, fail, go back and go on: whatever
 * happens to them, they do what an undisturbed run does, nothing twice, and every micro-dollar is
 * known.
 *
 * What the outside answers depends on the effect's key alone, so that an undisturbed run
 * tells what each call must be asked. */
#include <stdlib.h>

#include "tests/runtime/random_runs/random_runs.h"
#include "tests/tap.h"

int main(int argc, char **argv) {
  static const random_runs_mode modes[] = {
      {.name = "crashes", .strict = true, .same = true},
      {.name = "steps back", .strict = true, .rewinds = true, .same = true},
      {.name = "failures", .strict = true, .fails = true, .same = true},
      {.name = "failures and steps back",
       .strict = true,
       .fails = true,
       .rewinds = true,
       .same = true},
      {.name = "caught failures", .fails = true, .diverges = true},
      {.name = "caught failures and steps back", .fails = true, .rewinds = true, .diverges = true},
  };
  random_runs_test_modes(modes, sizeof modes / sizeof *modes, argc, argv);
  return tap_done();
}
