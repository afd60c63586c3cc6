/* own_process.h - what other processes may see of this one. */
#ifndef CK_HOST_SESSION_OWN_PROCESS_H
#define CK_HOST_SESSION_OWN_PROCESS_H

#include <stdbool.h>

/* The first thing that the program does.
 *
 * No process of the same user may read this one's memory, environment and descriptors, or trace it
 * (PR_SET_DUMPABLE in prctl(2)): its programs would find every secret there that is kept from them.
 * Not with CKRUN_DUMPABLE=1, for a debugger, and not in builds without optimization or with a
 * sanitizer, which traces the program itself.
 *
 * The variables are moved, and the block that the kernel shows as /proc/PID/environ is wiped,
 * also from root, except for the marks of runs (core/effect/process/mark.h). getenv and environ
 * are as before. False: no memory. */
bool ck_own_process_hide(void);

/* True for "NAME=value" that /proc/PID/environ keeps, or that a new ckrun needs before its first
 * line: marks, and what the loader and sanitizers read. */
bool ck_own_process_is_shown(const char *variable);

#endif
