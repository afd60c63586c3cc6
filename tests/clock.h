/* clock.h - a clock for tests that must come out the same on a machine that stands still for a
 * while. */
#ifndef CK_TESTS_CLOCK_H
#define CK_TESTS_CLOCK_H

#include "core/base/clock.h"

/* Each look takes a microsecond, and nothing else takes any; the wall's time is the system's. Any
 * thread. */
ck_clock clock_of_looks(void);

#endif
