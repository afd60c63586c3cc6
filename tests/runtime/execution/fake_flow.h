/* fake_flow.h - runs Lua flows under the runtime with an outside that a test delivers by
 * hand. */
#ifndef CK_TESTS_RUNTIME_EXECUTION_FAKE_FLOW_H
#define CK_TESTS_RUNTIME_EXECUTION_FAKE_FLOW_H

#include "core/runtime/execution/execution.h"

enum { STRANDS_MAX = 512 };

/* Effects that were started and not delivered, in the order started. */
typedef struct fake_flow {
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
  bool goes_on_waiting;             /* as of ck_execution_options */
  ck_execution_result result;
  ck_status status; /* of the last turn */
} fake_flow;

/* The store, and the flow of this text. */
void fake_flow_open(fake_flow *self, const char *flow);
void fake_flow_open_file(fake_flow *self, const char *path);
void fake_flow_start(fake_flow *self, const char *id);
/* As after a crash: what was under way is forgotten. */
void fake_flow_crash(fake_flow *self);
void fake_flow_resume(fake_flow *self, const char *id);
void fake_flow_close(fake_flow *self);

/* Turns until nothing moves; waits for what is queued. */
ck_status fake_flow_turn(fake_flow *self);
/* Delivers to the effect whose key contains `part`, and turns: {"ok": JSON} as an outcome that
 * costs `cost` micro-dollars. */
void fake_flow_ok(fake_flow *self, const char *part, const char *json, int64_t cost);
void fake_flow_failed(fake_flow *self, const char *part, ck_status cause, const char *text);
/* It was carried out, and ended badly. */
void fake_flow_error(fake_flow *self, const char *part, const char *text);
/* An ending that does not tell its outcome; `text` is what it had written, too. */
void fake_flow_unknown(fake_flow *self, const char *part, ck_status cause, const char *text);
/* Delivers an interruption to all that were cancelled. */
void fake_flow_deliver_cancelled(fake_flow *self);
bool fake_flow_is_running(const fake_flow *self, const char *part);
/* The main coroutine's result as JSON, of the session_completed event; "" when there is none. */
const char *fake_flow_result(fake_flow *self, const char *id);

#endif
