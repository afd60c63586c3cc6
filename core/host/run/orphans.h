/* orphans.h - before a run begins, the programs of the session's earlier runs are ended; after it,
 * its own. */
#ifndef CK_HOST_RUN_ORPHANS_H
#define CK_HOST_RUN_ORPHANS_H

#include "core/host/print/output.h"
#include "core/runtime/session/session.h"

/* Ends what the runs of a session left behind that died (kill -9). The session is owned by this
 * process; `run` is its present one, NULL when there is none. */
CK_CHECKED ck_status ck_orphans_end_runs(const ck_head *head, const char *run, ck_output *output,
                                         ck_error *err);
/* The same, looked up. */
CK_CHECKED ck_status ck_orphans_end_dead(const ck_session *session, ck_store *store,
                                         ck_output *output, ck_error *err);
/* That; then marks what this run will start. */
CK_CHECKED ck_status ck_orphans_begin(ck_session *session, ck_store *store, ck_output *output,
                                      ck_error *err);
/* Ends what is left of this process's programs. After the loop is freed. */
void ck_orphans_end(ck_output *output);

#endif
