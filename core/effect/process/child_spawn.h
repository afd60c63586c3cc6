/* child_spawn.h - how a child's process is made: three pipes, nothing else inherited, tied to the
 * loop's thread. */
#ifndef CK_EFFECT_PROCESS_CHILD_SPAWN_H
#define CK_EFFECT_PROCESS_CHILD_SPAWN_H

#include <uv.h>

#include "core/effect/process/child.h"

enum { CK_CHILD_PIPES = 3 };

/* `ours[i]` and `its[i]`: the two ends of the pipe that is the child's descriptor i. Nothing is
 * open on failure. */
CK_CHECKED ck_status ck_child_open_pipes(int ours[CK_CHILD_PIPES], int its[CK_CHILD_PIPES],
                                         ck_error *err);
/* Starts options->argv as the leader of a session of its own. 0, or libuv's error; then `process`
 * has no pid. */
int ck_child_spawn(uv_process_t *process, const ck_child_options *options,
                   const int its[CK_CHILD_PIPES], uv_exit_cb exited);

#endif
