/* steer.h - what stops a running execution from outside: signals, requests of other processes, the end of a grace period. */
#ifndef CK_HOST_STEER_H
#define CK_HOST_STEER_H

#include "core/effect/loop.h"
#include "core/host/reporter.h"
#include "core/runtime/execution.h"
#include "core/runtime/requests.h"

enum { CK_STEER_POLL_MS = 200, CK_STEER_GRACE_MS = 10000 };

/* How an execution is stopped short of its own end. */
typedef enum {
  CK_STOP_NONE,
  CK_STOP_BREAK_OFF, /* the grace period is over: what runs is given up */
  CK_STOP_CANCEL,
  CK_STOP_NOW        /* nothing more is written; as after a crash */
} ck_stop;

/* Zero-initialise; set grace_ms. The rest is filled by ck_steer_begin, which borrows everything. */
typedef struct ck_steer {
  int64_t grace_ms;      /* how long a signal waits for the next boundary */
  ck_loop *loop;
  ck_session *session;
  ck_execution *execution;
  ck_reporter *reporter;
  ck_output *output;
  ck_clock clock;
  int signals;
  int64_t give_up_us;    /* monotonic; 0: no grace period has begun */
  ck_stop stop;
  char *reason;
  ck_status failure;     /* the session was fenced: the loop has been stopped */
  ck_error *err;
} ck_steer;

/* From now on SIGINT, SIGTERM and SIGHUP ask for a pause, the second one stops at once; requests are looked for every
 * CK_STEER_POLL_MS. A stop ends the loop's run. */
CK_CHECKED ck_status ck_steer_begin(ck_steer *self, ck_error *err);
/* After the loop has ended and the execution is closed: ends the session as `stop` says. CK_OK: *result tells. */
CK_CHECKED ck_status ck_steer_finish(ck_steer *self, ck_execution_result *result, ck_error *err);
void ck_steer_clear(ck_steer *self);

#endif
