/* scripted_flow.h - a flow engine and a driver for tests: a coroutine that follows a list of steps,
 * and an outside that counts what it is asked. */
#ifndef CK_TESTS_RUNTIME_SCRIPTED_FLOW_H
#define CK_TESTS_RUNTIME_SCRIPTED_FLOW_H

#include "core/runtime/execution/execution.h"

/* What one iteration of the scripted flow does: a model call, tools, a boundary; `iterations` of
 * them, then done. */
typedef struct scripted_flow {
  int iterations;
  int tools;             /* tool calls per iteration */
  ck_effect_class class; /* of the tools */
  const char *salt;      /* goes into each request: change it and digests differ */
  int fail_at;           /* iteration at which the coroutine raises; 0: never */
  /* The outside. */
  int ran[64];       /* times tool number n (iteration * tools + index) ran */
  int models;        /* model calls that ran */
  bool happened[64]; /* what a probe finds */
  bool probes;       /* whether the driver can probe */
  int stop_after;    /* number of starts after which the driver delivers nothing; 0: never */
  int starts;
} scripted_flow;

/* Both borrow `self`. Completed effects are delivered by scripted_flow_deliver, never inside start.
 */
ck_flow_engine scripted_flow_engine(scripted_flow *self);
ck_effect_driver scripted_flow_driver(scripted_flow *self);
/* Delivers what is under way; false when nothing is (or the driver has stopped). */
bool scripted_flow_deliver(scripted_flow *self);

/* How a run went. */
typedef struct scripted_ending {
  ck_status turn;
  ck_execution_result result;
  ck_execution_counts counts;
  bool crashed; /* it died: the session is closed without an end */
} scripted_ending;
/* Runs until it ends, or for at most `moves` moves (turns and deliveries) and then dies. */
scripted_ending scripted_flow_run(scripted_flow *self, ck_runtime *runtime, ck_session *session,
                                  int moves);

#endif
