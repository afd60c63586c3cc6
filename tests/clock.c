/* clock.c - counts how often it was looked at. */
#include "tests/clock.h"

#include <stdatomic.h>

static int64_t count(void *self) {
  static atomic_int_least64_t looks;
  (void)self;
  return atomic_fetch_add(&looks, 1) + 1;
}

ck_clock clock_of_looks(void) {
  ck_clock clock = ck_clock_system();
  clock.mono_us = count;
  return clock;
}
