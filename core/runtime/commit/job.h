/* job.h - what a session gives the writer to commit together. */
#ifndef CK_RUNTIME_COMMIT_JOB_H
#define CK_RUNTIME_COMMIT_JOB_H

#include "core/store/prepared.h"
#include "core/store/store.h"

/* What is committed together. ck_channel_put takes everything (the array, the events, the
 * checkpoint), also on failure. */
typedef struct ck_job {
  ck_event **events; /* malloc'd array */
  size_t event_count;
  ck_prepared_event *prepared; /* malloc'd, of each event; NULL */
  ck_checkpoint *checkpoint;
  bool has_update;
  ck_session_status update_status;
  char *update_reason;        /* malloc'd; NULL */
  const char *update_failure; /* name of a status; NULL */
  ck_durability durability;
  bool waited;   /* the caller goes on with ck_channel_wait or ck_channel_check: for a few of these
                    the writer thread need not be woken */
  bool may_wait; /* the session may go on before it is in the store; see backlog.h */
  int64_t at_us; /* when it was queued, monotonic; of jobs that may wait */
} ck_job;
/* Of bodies and values. */
int64_t ck_job_bytes(const ck_job *job);
/* Frees what it owns. */
void ck_job_clear(ck_job *self);

#endif
