/* still_vm.h - VMs for which no time passes, so that which of their budgets is spent first is the
 * same on every machine. */
#ifndef CK_TESTS_LUA_STILL_VM_H
#define CK_TESTS_LUA_STILL_VM_H

#include <stdbool.h>

/* From now on time stands in each VM that is made and given no clock, wherever it is made; false:
 * no longer. The test is linked with  -Wl,--wrap=ck_vm_new  (see own_flags in the Makefile). */
void still_vm_set(bool still);

#endif
