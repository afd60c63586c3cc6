/* script.h - runs one script in a VM and gives its value as JSON. */
#ifndef CK_TESTS_LUA_SCRIPT_H
#define CK_TESTS_LUA_SCRIPT_H

#include "lua/vm.h"

/* Runs `text` as the file "t.lua"; its first result is appended to `out` as JSON. */
ck_status script_run(ck_buffer *out, ck_vm *vm, const char *text, ck_error *err);
/* Writes a file into the test's folder and gives its path, which lives until exit. */
const char *script_file(const char *name, const char *text);
/* This thread's own processor time. */
int64_t script_cpu_us(void);

#endif
