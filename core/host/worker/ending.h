/* ending.h - what the end of a child says of its session, by the session's record behind it. */
#ifndef CK_HOST_WORKER_ENDING_H
#define CK_HOST_WORKER_ENDING_H

#include "core/host/worker/child.h"
#include "core/host/worker/metrics.h"

/* It went on with the session and left it running, or due, with nobody who has it: the store did
 * not take its end. Counts as a death, as when it is killed. */
bool ck_worker_has_left(const ck_worker_child *child, const ck_session_record *record,
                        ck_store *store);
/* Once child->end.died is set. */
ck_run_ending ck_worker_ending_of(const ck_worker_child *child, const ck_session_record *record);

#endif
