/* last_run.h - what the last run of a session executed, as it was recorded with it. */
#ifndef CK_HOST_SESSION_LAST_RUN_H
#define CK_HOST_SESSION_LAST_RUN_H

#include "core/store/store.h"

/* Of the last run that began, on whichever timeline: what a person did at rest ran nothing, and to
 * go back in the session does not take back what it ran under. Zero-initialise. */
typedef struct ck_last_run {
  ck_value *about;  /* see ck_engine_describe_run; NULL: none was kept */
  int64_t timeline; /* of it */
  bool resumed;     /* it was no first run of the session, nor of the one that it was forked from */
} ck_last_run;
void ck_last_run_clear(ck_last_run *self);

CK_CHECKED ck_status ck_last_run_read(ck_last_run *out, ck_store *store, const ck_head *head,
                                      ck_error *err);
/* All borrowed; no bytes: not recorded. The policies of the profile alone, of a run that was
 * resumed; those of a session's first run are in its launch. */
ck_bytes ck_last_run_own_policies(const ck_last_run *self);
/* With those that the run had for itself, and their options in force. */
ck_bytes ck_last_run_policies(const ck_last_run *self);
/* A JSON string: of the flow. */
ck_bytes ck_last_run_flow_digest(const ck_last_run *self);
/* A JSON string: the profile that it was resumed with in the place of the session's. */
ck_bytes ck_last_run_profile(const ck_last_run *self);

/* Whether a run of the session executed another flow than that of `digest`. */
CK_CHECKED ck_status ck_last_run_had_other_flow(bool *out, ck_store *store, const ck_head *head,
                                                const char *digest, ck_error *err);

#endif
