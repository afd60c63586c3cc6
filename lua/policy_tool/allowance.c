/* allowance.c - the processor time that policy check and policy bench give to one hook. */
#include "lua/policy_tool/allowance.h"

#include <time.h>

enum { HOOK_US = 1000000 };

static int64_t now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void ck_policy_allowance_begin(policy_allowance *self) { self->end_us = now_us() + HOOK_US; }

bool ck_policy_allowance_spent(const policy_allowance *self) { return now_us() >= self->end_us; }
