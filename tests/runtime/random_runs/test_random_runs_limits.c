/* test_random_runs_limits.c - the random runs under a budget that a person raises whenever it is
 * met: it is never passed, whatever was lost, and the sessions end all the same. */
#include <stdlib.h>

#include "tests/runtime/random_runs/random_runs.h"
#include "tests/tap.h"

int main(int argc, char **argv) {
  static const random_runs_mode modes[] = {
      {.name = "limits", .strict = true, .limited = true, .same = true},
      {.name = "limits and steps back",
       .strict = true,
       .rewinds = true,
       .limited = true,
       .same = true},
      {.name = "limits, failures, steps back",
       .fails = true,
       .rewinds = true,
       .limited = true,
       .diverges = true},
  };
  random_runs_test_modes(modes, sizeof modes / sizeof *modes, argc, argv);
  return tap_done();
}
