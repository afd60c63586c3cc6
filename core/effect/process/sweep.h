/* sweep.h - ends what a session's programs left behind, also what moved into a session and process
 * group of its own.
 *
 * Two ways to know it. While a run lives, this process is the one that orphans below it are given
 * to (a child subreaper), so all that its programs ever started stays below it. After a kill -9 of
 * this process nothing is below it any more: then the marks tell (mark.h). Out of reach are
 * processes of another user, and one that moved away, cleared its environment and set RLIMIT_RSS.
 *
 * A process is held by a pidfd before it is looked at, so a pid that was given to another in
 * between is never hit. */
#ifndef CK_EFFECT_PROCESS_SWEEP_H
#define CK_EFFECT_PROCESS_SWEEP_H

#include <stddef.h>

#include "core/base/error.h"

struct uv_loop_s;

/* From now on orphans are given to this process, and what it starts is marked. */
CK_CHECKED ck_status ck_sweep_begin(const char *session, const char *run, ck_error *err);
/* Collects orphans that have ended. `loop` knows those that are its own to collect. Nothing before
 * ck_sweep_begin. */
void ck_sweep_collect(struct uv_loop_s *loop);

/* Both kill, wait until all are gone, and give up after CK_SWEEP_MS: CK_E_FAILED names one that is
 * left. `*ended`: how many there were at first. CK_E_UNSUPPORTED: a kernel without pidfds, or no
 * /proc. */
enum { CK_SWEEP_MS = 5000 };
/* All below this process; collects them. No loop may be waiting for one of them any more. */
CK_CHECKED ck_status ck_sweep_children(size_t *ended, ck_error *err);
/* All that are marked with one of these runs, NULL-terminated, as far as the run does not live;
 * this process and those above it never. */
CK_CHECKED ck_status ck_sweep_runs(size_t *ended, const char *const *runs, ck_error *err);

#endif
