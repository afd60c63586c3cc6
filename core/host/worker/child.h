/* child.h - one session that a worker runs: 'ckrun resume --queued' in a process of its own. */
#ifndef CK_HOST_WORKER_CHILD_H
#define CK_HOST_WORKER_CHILD_H

#include <sys/types.h>

#include "core/host/worker/worker.h"
#include "core/store/reservation.h"

/* How a child ended. */
typedef struct ck_worker_end {
  int exit;                     /* its exit code; 128 and the signal of one that was killed */
  bool killed;                  /* by a signal */
  bool died;                    /* so, or it left a session running that nobody has */
  bool fenced;                  /* it had the session, and lost it to another process */
  bool lapsed;                  /* it had it, could not renew its lease, and stopped */
  char text[CK_ERROR_TEXT_MAX]; /* of its error; "" */
} ck_worker_end;

/* Zero-initialise; a child is there while `pid` is not 0. */
typedef struct ck_worker_child {
  pid_t pid;
  int errors, said; /* anonymous files: its stderr and stdout */
  uint64_t limits;  /* that it counts for */
  uint64_t epoch;   /* that the session has once it has taken it */
  ck_reservation reserved;
  char session[CK_ID_SIZE];
  bool over; /* it has ended so, and nobody has taken note of it yet */
  ck_worker_end end;
} ck_worker_child;

/* CK_E_UNAVAILABLE: no process, memory or descriptor can be had for it. */
CK_CHECKED ck_status ck_worker_child_start(ck_worker_child *out, const ck_worker_options *options,
                                           const char *session, ck_error *err);
/* Whether it is over by now. */
bool ck_worker_child_reap(ck_worker_child *self);
/* What one that is over said of its run: the document of `ckrun --json resume`; "" where it said
 * none, or more than is read. */
void ck_worker_child_read(ck_buffer *out, const ck_worker_child *self);
/* Its end was taken note of: it is there no more. */
void ck_worker_child_forget(ck_worker_child *self);

#endif
