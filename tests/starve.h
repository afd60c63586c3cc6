/* starve.h - for tests in which every allocation fails once: a budget, and wrappers that spend it.
 *
 * A test names the functions twice: to the linker in its line 2 (link: -Wl,--wrap=malloc,…) and
 * here with WRAP, so that each wraps just what its subject calls. */
#ifndef CK_TESTS_STARVE_H
#define CK_TESTS_STARVE_H

#include <stdbool.h>
#include <stdlib.h>

static long budget = -1; /* allocations that still succeed; -1: all */
static bool spent(void) {
  if (budget == 0) return true;
  if (budget > 0) budget--;
  return false;
}

#define WRAP(name, params, args) \
  void *__real_##name params;    \
  void *__wrap_##name params;    \
  void *__wrap_##name params {   \
    if (spent()) return NULL;    \
    return __real_##name args;   \
  }

#endif
