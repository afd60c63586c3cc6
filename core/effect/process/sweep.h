/* sweep.h - ends processes that a session's programs left behind, also those in a session and
 * process group of their own.
 *
 * They are found in two ways. While a run lives, this process is the child subreaper: orphans below
 * it are given to it, so everything that its programs ever started stays below it. After a kill -9
 * of this process nothing is below it any more: then the marks identify them (mark.h). Out of reach
 * are processes of another user, and a process that moved away, cleared its environment and set
 * RLIMIT_RSS.
 *
 * A process is held by a pidfd before it is examined, so a pid that was reused in between is never
 * hit. */
#ifndef CK_EFFECT_PROCESS_SWEEP_H
#define CK_EFFECT_PROCESS_SWEEP_H

#include <stddef.h>

#include "core/base/error.h"

struct uv_loop_s;

/* From now on orphans are given to this process, and the processes that it starts are marked. */
CK_CHECKED ck_status ck_sweep_begin(const char *session, const char *run, ck_error *err);
/* Collects orphans that have ended. `loop` identifies the children that it collects itself. Does
 * nothing before ck_sweep_begin. */
void ck_sweep_collect(struct uv_loop_s *loop);

/* Both kill, wait until all are gone, and give up after CK_SWEEP_MS: CK_E_FAILED names one that is
 * left. `*ended`: how many there were at first. CK_E_UNAVAILABLE: there is no descriptor to look
 * with. CK_E_UNSUPPORTED: a kernel without pidfds, or no /proc. */
enum { CK_SWEEP_MS = 5000 };
/* Ends all processes below this one; collects them. No loop may be waiting for one of them any
 * more. */
CK_CHECKED ck_status ck_sweep_children(size_t *ended, ck_error *err);
/* Ends them from any thread, and leaves it to the loop to collect them. Does nothing before
 * ck_sweep_begin. */
void ck_sweep_stop(void);
/* Ends all processes marked with one of these runs, NULL-terminated, unless the run lives; never
 * this process and its ancestors. */
CK_CHECKED ck_status ck_sweep_runs(size_t *ended, const char *const *runs, ck_error *err);

#endif
