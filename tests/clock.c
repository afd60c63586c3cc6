/* clock.c - time that passes by being read, or not at all. */
#include "tests/clock.h"

#include <stdatomic.h>

static int64_t count(void *self) {
  static atomic_int_least64_t readings;
  (void)self;
  return atomic_fetch_add(&readings, 1) + 1;
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

ck_clock clock_of_readings(void) {
  ck_clock clock = ck_clock_system();
  clock.mono_us = count;
  return clock;
}
