/* clock.c - time that goes on by being looked at, or not at all. */
#include "tests/clock.h"

#include <stdatomic.h>

static int64_t count(void *self) {
  static atomic_int_least64_t looks;
  (void)self;
  return atomic_fetch_add(&looks, 1) + 1;
}

static int64_t step(void *to) {
  clock_steps *self = to;
  return self->now_us += self->step_us;
}

ck_clock clock_of_steps(clock_steps *self) {
  ck_clock clock = ck_clock_system();
  clock.mono_us = step;
  clock.self = self;
  return clock;
}

ck_clock clock_of_looks(void) {
  ck_clock clock = ck_clock_system();
  clock.mono_us = count;
  return clock;
}
