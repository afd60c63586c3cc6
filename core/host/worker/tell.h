/* tell.h - what a worker prints: a line, or with --json an object, for each beginning and end of a
 * run. */
#ifndef CK_HOST_WORKER_TELL_H
#define CK_HOST_WORKER_TELL_H

#include "core/host/worker/child.h"

void ck_tell_begin(ck_output *output, const char *session, pid_t pid);
/* `record` as it is now; NULL: it is gone. */
void ck_tell_end(ck_output *output, const char *session, const ck_session_record *record,
                 const ck_worker_end *end);
/* Another worker has it. */
void ck_tell_taken(ck_output *output, const char *session, const ck_worker_end *end);
/* It could not be begun. */
void ck_tell_refusal(ck_output *output, const char *session, const ck_worker_end *end);

#endif
