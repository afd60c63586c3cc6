/* clock.h - clocks for tests whose result does not depend on the speed of the machine. */
#ifndef CK_TESTS_CLOCK_H
#define CK_TESTS_CLOCK_H

#include "core/base/clock.h"

/* Each reading of the monotonic time takes a microsecond, and nothing else takes any; wall time is
 * the system's. Any thread. */
ck_clock clock_of_readings(void);

/* Each reading takes `step_us`, and nothing else takes any; 0: time does not pass, and no limit of
 * time is reached. */
typedef struct clock_steps {
  int64_t step_us, now_us;
} clock_steps;
/* Borrows `self`. One thread. */
ck_clock clock_of_steps(clock_steps *self);

#endif
