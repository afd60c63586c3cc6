/* checkpoint.h - makes a session's checkpoints, and counts what has happened since the last one.
 * Within the runtime. */
#ifndef CK_RUNTIME_SESSION_CHECKPOINT_H
#define CK_RUNTIME_SESSION_CHECKPOINT_H

#include "core/model/checkpoint.h"
#include "core/runtime/session/policy.h"

typedef struct ck_session ck_session;

/* A checkpoint of the changed keys, announced by the event at `at->seq`, for the policies' reasons
 * (NULL: none). Nothing of the session but its active time is changed. Its info is as
 * ck_checkpoint.info says, redacted. */
CK_CHECKED ck_status ck_session_make_checkpoint(ck_checkpoint **out, ck_session *self,
                                                const ck_boundary *at, const ck_value *reasons,
                                                ck_error *err);
/* {node?, next?, agent?}: where the boundary lies. */
CK_CHECKED ck_status ck_checkpoint_write_place(ck_value **out, const ck_boundary *at,
                                               ck_error *err);

/* The checkpoint at `seq` is made: the next one follows it, and everything counts from here. */
void ck_session_mark_checkpoint(ck_session *self, int64_t seq);
/* The next checkpoint follows the one at `seq` (0: none), which is in the store already. */
void ck_session_follow_checkpoint(ck_session *self, int64_t seq);
/* Everything counts from behind the event at `seq`, without a checkpoint there. */
void ck_session_count_from(ck_session *self, int64_t seq);
/* A boundary is reached. */
void ck_session_count_boundary(ck_session *self, ck_boundary_kind kind);
/* The same for events alone. */
void ck_session_count_events_from(ck_session *self, int64_t seq);
/* Something failed: no checkpoint from here on is a clean one (see incidents.h). */
void ck_session_mark_unclean(ck_session *self);
/* The policies are asked what to prune: checkpoints count anew. */
void ck_session_mark_pruned(ck_session *self);

#endif
