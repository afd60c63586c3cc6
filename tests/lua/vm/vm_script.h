/* vm_script.h - runs one script in a VM and gives its value as JSON; makes engines of policies
 * given as texts. */
#ifndef CK_TESTS_LUA_VM_VM_SCRIPT_H
#define CK_TESTS_LUA_VM_VM_SCRIPT_H

#include "lua/policy/policy.h"
#include "lua/vm/vm.h"

/* What is contained takes no more of the processor than this: the limit of time, and what lies
 * between two looks at it, which a machine that is a tenth as fast takes ten times as long for. */
enum { VM_SCRIPT_CONTAINED_US = 2000000 };

/* Runs `text` as the file "t.lua"; its first result is appended to `out` as JSON. */
ck_status vm_script_run(ck_buffer *out, ck_vm *vm, const char *text, ck_error *err);
/* Writes a file into the test's folder and gives its path, which lives until exit. */
const char *vm_script_file(const char *name, const char *text);
/* An engine over policies given as texts, in the files p1.lua, p2.lua, … of the test's folder. */
ck_status vm_script_engines(ck_policy_engine *out, const char *const *texts, size_t count,
                            ck_error *err);
/* The same with one, which must load. */
ck_policy_engine vm_script_engine(const char *text);
/* This thread's own processor time. */
int64_t vm_script_cpu_us(void);

#endif
