/* orphans.h - ends the programs of the session's earlier runs before a run, and its own after
 * it. */
#ifndef CK_HOST_RUN_ORPHANS_H
#define CK_HOST_RUN_ORPHANS_H

#include "core/host/print/output.h"
#include "core/runtime/session/session.h"

/* Ends the programs that dead runs (kill -9) of a session left behind. The session is owned by this
 * process; `run` is its current run, NULL: none. */
CK_CHECKED ck_status ck_orphans_end_runs(const ck_head *head, const char *run, ck_output *output,
                                         ck_error *err);
/* The same, for a session whose head is read first. */
CK_CHECKED ck_status ck_orphans_end_dead(const ck_session *session, ck_store *store,
                                         ck_output *output, ck_error *err);
/* The same; then marks the programs that this run will start. */
CK_CHECKED ck_status ck_orphans_begin(ck_session *session, ck_store *store, ck_output *output,
                                      ck_error *err);
/* Ends the remaining programs of this process. After the loop is freed. */
void ck_orphans_end(ck_output *output);

#endif
