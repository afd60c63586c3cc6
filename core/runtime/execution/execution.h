/* execution.h - runs a flow under a session: coroutines on one side, drivers on the other, the
 * ledger between them. */
#ifndef CK_RUNTIME_EXECUTION_EXECUTION_H
#define CK_RUNTIME_EXECUTION_EXECUTION_H

#include "core/model/driver.h"
#include "core/runtime/session/flow.h"
#include "core/runtime/session/session.h"

typedef struct ck_execution ck_execution;

/* What a progress line can show; borrowed for the call.
 *
 *   effect, probe     a driver begins
 *   replay            an outcome is taken from the ledger
 *   outcome, failure  one is durable
 *   call              a function of the flow's is called: what comes of it is the flow's to know
 *   note              of an outcome: what people should know of it, `text`
 *   boundary          one was reached (its checkpoint, if any, is queued)
 *   checkpoint        it is durable
 *   unsaved           saving has begun to fail
 *   saved             saving works again, and has caught up */
typedef struct ck_progress {
  const char *what;
  const char *key;                  /* of the effect; NULL */
  const char *text;                 /* a tool's name, a boundary's kind, a note; NULL */
  const ck_saved *saved;            /* boundaries and checkpoints; NULL */
  const ck_saving *saving;          /* unsaved, saved; NULL */
  const char *scope, *agent, *node; /* where, as far as it is known by then; NULL */
} ck_progress;

/* All borrowed for the execution's life. */
typedef struct ck_execution_options {
  ck_session *session;
  const ck_flow_engine *engine;
  ck_flow *flow;
  const ck_effect_driver *const
      *drivers;                /* NULL-terminated; the first that serves an effect is taken */
  const char *recorded_prompt; /* of the cassette; NULL */
  ck_clock clock;
  ck_waker *waker; /* woken when a turn is due */
  /* the caller's loop serves nothing that a commit to a disk in good health keeps waiting: see
   * ck_channel_commit */
  bool commits;
  /* a wait before a policy's next try that an earlier run had begun is gone on with, and tries are
   * counted on; else the effect is tried at once, as for the first time */
  bool goes_on_waiting;
  /* the reason of a session that the store fails, and then takes a pause of; NULL: what failed */
  const char *parked;
  void (*progress)(void *to, const ck_progress *progress);
  /* before the session comes to rest: what others want of it by now can still be given to the
   * execution; NULL */
  void (*before_rest)(void *to);
  void *to;
} ck_execution_options;

typedef struct ck_execution_counts {
  int64_t boundaries, checkpoints;
  int64_t model_calls, tool_calls, asks; /* done by a driver in this run */
  int64_t replayed;                      /* outcomes taken from the ledger in this run */
  int64_t cut_off;                       /* of the model calls: those whose answers are cut off */
} ck_execution_counts;

/* How it ended. */
typedef struct ck_execution_result {
  ck_session_status status;     /* completed, paused, failed, in_doubt, waiting, cancelled */
  ck_status cause;              /* CK_OK, or why it stopped */
  char text[CK_ERROR_TEXT_MAX]; /* one line for a person; "" */
} ck_execution_result;

CK_CHECKED ck_status ck_execution_open(ck_execution **out, const ck_execution_options *options,
                                       ck_error *err);
/* Goes on as far as it can without waiting. CK_E_PENDING: call again when the waker fires. CK_OK:
 * it ended, the session's end is durable, *result is filled. Another status: the store failed or
 * the session was fenced, and nothing more can be written; or (CK_E_NO_MEMORY) there was no memory
 * even to pause it, as is done when memory runs out. */
CK_CHECKED ck_status ck_execution_turn(ck_execution_result *result, ck_execution *self,
                                       ck_error *err);
/* Asks for a pause: every coroutine goes on to its next boundary, sleeps and questions are put off.
 * Then the turn ends the session. `reason` is kept; NULL: "user_requested". Of several the first
 * is, but one that programs go on from (pause_reason.h) gives way to one that they do not. */
void ck_execution_pause(ck_execution *self, const char *reason);
/* Cancels everything under way; the session ends as cancelled. */
void ck_execution_cancel(ck_execution *self, const char *reason);
/* The grace period is over: effects still under way are cancelled. An effect that may have happened
 * and must not be repeated leaves the session in doubt. */
void ck_execution_stop(ck_execution *self);
/* While all that it does is sleep, wait before a policy's next try, and wait for answers of
 * persons: when the first of these times ends, in wall time; *retries: a try follows it. A session
 * that is paused then goes on with them (tries: see goes_on_waiting). 0: it does something else, or
 * is to end. */
int64_t ck_execution_sleeps_until(bool *retries, const ck_execution *self);
/* True from the moment it is to end (by a request, a limit, a failure) until it has. */
bool ck_execution_is_ending(const ck_execution *self);
/* A person's answer to a question that a coroutine waits for, while others go on. `key` NULL: the
 * only question. `by`: who gives it, see person.h; NULL: not known. CK_E_NOT_FOUND: nothing waits
 * for it; CK_E_USAGE: several do. */
CK_CHECKED ck_status ck_execution_answer_as(ck_execution *self, const char *key, const char *text,
                                            const ck_value *by, ck_error *err);
CK_CHECKED ck_status ck_execution_answer(ck_execution *self, const char *key, const char *text,
                                         ck_error *err);
const ck_execution_counts *ck_execution_get_counts(const ck_execution *self);
/* Cancels all effects under way, and frees. */
void ck_execution_close(ck_execution *self);

#endif
