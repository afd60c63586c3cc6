/* still_vm.c - VMs for which no time passes, so that which of their budgets is spent first is the
 * same on every machine. */
#include "tests/lua/still_vm.h"

#include "lua/vm/vm.h"
#include "tests/clock.h"

static bool stands;

void still_vm_set(bool still) { stands = still; }

ck_status __real_ck_vm_new(ck_vm **out, const ck_vm_limits *limits, const ck_clock *clock,
                           ck_error *err);
ck_status __wrap_ck_vm_new(ck_vm **out, const ck_vm_limits *limits, const ck_clock *clock,
                           ck_error *err);

ck_status __wrap_ck_vm_new(ck_vm **out, const ck_vm_limits *limits, const ck_clock *clock,
                           ck_error *err) {
  static clock_steps no_steps;
  const ck_clock still = clock_of_steps(&no_steps);
  return __real_ck_vm_new(out, limits, clock || !stands ? clock : &still, err);
}
