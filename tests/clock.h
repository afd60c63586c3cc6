/* clock.h - a clock for tests that must come out the same on a machine that stands still for a
 * while. */
#ifndef CK_TESTS_CLOCK_H
#define CK_TESTS_CLOCK_H

#include "core/base/clock.h"

/* Each look takes a microsecond, and nothing else takes any; the wall's time is the system's. Any
 * thread. */
ck_clock clock_of_looks(void);

/* Each look takes `step_us`, and nothing else takes any; 0: time stands, and no limit of time can
 * strike. */
typedef struct clock_steps {
  int64_t step_us, now_us;
} clock_steps;
/* Borrows `self`. One thread. */
ck_clock clock_of_steps(clock_steps *self);

#endif
