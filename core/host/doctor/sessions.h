/* sessions.h - sessions that wait for somebody, and what is left of those that ended. */
#ifndef CK_HOST_DOCTOR_SESSIONS_H
#define CK_HOST_DOCTOR_SESSIONS_H

#include "core/host/doctor/findings.h"
#include "core/store/store.h"

/* What a session that nobody runs needs: a dead owner's lease, a doubt, a question, failing. Its
 * flow, its profile and its policies: who may write them. Files of long outputs and locks that
 * belong to nothing. `store_path` NULL: the store is no file. */
CK_CHECKED ck_status ck_doctor_check_sessions(ck_findings *to, const ck_host *host, ck_store *store,
                                              const char *store_path, ck_error *err);
/* The command that makes most room without harm: prunes the session that is over and has the
 * largest checkpoints. Empty: there is none. */
CK_CHECKED ck_status ck_doctor_find_prune(ck_buffer *out, const ck_host *host, ck_store *store,
                                          ck_error *err);

#endif
