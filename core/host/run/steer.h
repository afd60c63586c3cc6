/* steer.h - stops a running execution from outside: signals, requests of other processes, the end
 * of a grace period. */
#ifndef CK_HOST_RUN_STEER_H
#define CK_HOST_RUN_STEER_H

#include "core/effect/loop.h"
#include "core/host/run/reporter.h"
#include "core/runtime/execution/execution.h"
#include "core/runtime/session/requests.h"

enum { CK_STEER_POLL_MS = 200, CK_STEER_GRACE_MS = 10000 };

/* Zero-initialise; set everything up to clock before ck_steer_begin, which borrows it.
 * ck_steer_clear. */
typedef struct ck_steer {
  int64_t grace_ms; /* how long a signal waits for the next boundary */
  ck_loop *loop;
  ck_session *session;
  ck_execution *execution;
  ck_reporter *reporter;
  ck_output *output;
  ck_clock clock;
  const char *reason; /* of a pause by a signal; NULL: "user_requested" */
  int signals;
  int64_t give_up_us; /* monotonic; 0: no grace period runs */
  /* answers that were left for a run before, whose questions have not come up yet. Owned */
  ck_session_request *held;
  size_t held_count, held_cap;
  /* before there is an execution: how the session is to end at once, and why; 0: it is not. Owned
   */
  ck_session_status first;
  char *first_reason;
  /* CK_E_INTERRUPTED: stopped at once; CK_E_FENCED; both have stopped the loop */
  ck_status failure;
  ck_error *err;
} ck_steer;

/* Before the session is made or resumed: SIGINT, SIGTERM and SIGHUP wait for ck_steer_begin, so
 * that none of them leaves a session that looks as if its run had died. And when its run is over,
 * so that the program ends as that did. */
void ck_steer_hold(void);
/* They act as usual again, until the next hold: while a person is asked before anything is begun.
 */
void ck_steer_release(void);
/* Before anything is begun: serves the requests that a run before has left undone, or that came
 * since. True in *ended when one of them was a pause or a cancel: the session has ended so, and
 * `result` says it. Set up `session` and `output` before. */
CK_CHECKED ck_status ck_steer_serve_first(bool *ended, ck_execution_result *result, ck_steer *self,
                                          ck_error *err);
/* From now on SIGINT, SIGTERM and SIGHUP request a pause, and a second one stops at once; the store
 * is polled for requests every CK_STEER_POLL_MS. `err` is for `failure`. */
CK_CHECKED ck_status ck_steer_begin(ck_steer *self, ck_error *err);
/* Looks for requests now. */
void ck_steer_look(ck_steer *self);
void ck_steer_clear(ck_steer *self);

#endif
