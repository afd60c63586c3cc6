/* fake_flow.h - runs Lua flows under the runtime with an outside world that a test delivers by
 * hand. */
#ifndef CK_TESTS_RUNTIME_EXECUTION_FAKE_FLOW_H
#define CK_TESTS_RUNTIME_EXECUTION_FAKE_FLOW_H

#include "core/runtime/execution/execution.h"

enum { STRANDS_MAX = 64 };

/* Effects that were started and not delivered, in the order started. */
typedef struct strands {
  ck_runtime *runtime;
  ck_session *session;
  ck_execution *execution;
  ck_flow_engine *engine;
  ck_flow *flow;
  ck_effect_driver driver;
  const ck_effect_driver *drivers[2];
  struct started {
    ck_effect_sink *sink;
    char key[CK_STATE_KEY_MAX];
    bool cancelled;
  } started[STRANDS_MAX];
  size_t count;
  ck_buffer log;                    /* a line for each start: its key */
  int64_t reserve;                  /* what each model call reserves, micro-dollars */
  ck_clock clock;                   /* set before it is opened; zero: the system's */
  const char *url;                  /* of the store; NULL: in memory */
  const ck_profile *profile;        /* of the sessions that are made; NULL */
  const ck_policy_engine *policies; /* of the sessions that are made; NULL */
  bool retry;                       /* resumes also what died again and again */
  ck_execution_result result;
  ck_status status; /* of the last turn */
} strands;

/* The store, and the flow of this text. */
void strands_open(strands *self, const char *flow);
void strands_start(strands *self, const char *id);
/* As after a crash: what was under way is forgotten. */
void strands_crash(strands *self);
void strands_resume(strands *self, const char *id);
void strands_close(strands *self);

/* Turns until nothing moves; waits for what is queued. */
ck_status strands_turn(strands *self);
/* Delivers to the effect whose key contains `part`, and turns: {"ok": JSON} as an outcome that
 * costs `cost` micro-dollars. */
void strands_ok(strands *self, const char *part, const char *json, int64_t cost);
void strands_failed(strands *self, const char *part, ck_status cause, const char *text);
/* Delivers an interruption to all that were cancelled. */
void strands_deliver_cancelled(strands *self);
bool strands_is_running(const strands *self, const char *part);
/* The main strand's result as JSON, of the session_completed event; "" when there is none. */
const char *strands_result(strands *self, const char *id);

#endif
