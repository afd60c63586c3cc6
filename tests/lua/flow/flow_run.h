/* flow_run.h - runs a flow file under the real runtime, with answers from the test, and kills it
 * wherever the test says. */
#ifndef CK_TESTS_LUA_FLOW_FLOW_RUN_H
#define CK_TESTS_LUA_FLOW_FLOW_RUN_H

#include "core/runtime/execution/execution.h"
#include "lua/flow/flow.h"

typedef struct flow_under_way {
  ck_effect_sink *sink;
  ck_outcome *outcome;
} flow_under_way;

enum { FLOW_UNDER_WAY_MAX = 64 };

/* Zero-initialise, set `answer`, then flow_run_open. What was carried out is kept over all
 * runs. */
typedef struct flow_run {
  /* The JSON that the effect comes to, "!text" for an error, NULL for "ended". Borrowed until the
   * next call. */
  const char *(*answer)(void *to, const ck_effect *effect);
  void *to;
  uint64_t random;   /* 0: what began first is delivered first; else in any order */
  const char *input; /* JSON of what the session keeps, {"input": …}; NULL */
  const ck_profile *profile;
  bool no_checkpoints; /* else one at every boundary, waited for */
  int seldom;          /* not 0: at so many of a hundred boundaries, at random, waited for or not */
  ck_runtime *runtime;
  ck_session *session; /* of the last run, open until the next */
  ck_flow_engine *engine;
  ck_flow *flow;
  ck_state *ran;   /* effect key -> {"times": n, "answer": …}: what a probe finds */
  ck_buffer log;   /* a line for each effect that was carried out: key and request */
  ck_buffer marks; /* a line for each boundary: kind, scope, node, path */
  flow_under_way under_way[FLOW_UNDER_WAY_MAX];
  size_t under_way_count;
  ck_policy_engine policies;
  ck_execution_result result;
  int runs, moves; /* moves: of the last run */
  int most_under_way;
} flow_run;

void flow_run_open(flow_run *self, const char *path);
/* Starts the session or resumes it, and runs until it ends or has waited `moves` times, for an
 * effect or a checkpoint: then the process is "killed". True when it has ended; self->result tells
 * how. */
bool flow_run_once(flow_run *self, int moves);
/* The same until the session has ended, without dying. */
ck_session_status flow_run_finish(flow_run *self);
/* The JSON of a key of the state; "nothing" when it is absent. */
const char *flow_run_get(const flow_run *self, const char *key);
/* Sets a key of the state for the next run. */
void flow_run_put(flow_run *self, const char *key, const char *json);
/* How many effects were carried out more than once under one key. */
int flow_run_twice(const flow_run *self);
/* What the flow gave at its end, JSON; "nothing". Lives until the next call. */
const char *flow_run_result(const flow_run *self);
/* A line for each event of the kind, on all timelines: scope, agent, body. Lives until the next
 * call. */
const char *flow_run_events(const flow_run *self, ck_event_kind kind);
/* The conversation of a scope, a message a line. Lives until the next call. */
const char *flow_run_messages(const flow_run *self, const char *scope);
const char *flow_run_log(flow_run *self);
/* Whether the log's first line with `first` stands before its first one with `second`. */
bool flow_run_is_before(flow_run *self, const char *first, const char *second);
/* The log's lines in alphabetical order: effects that are asked for side by side begin in any. */
const char *flow_run_sort_log(flow_run *self);
const char *flow_run_marks(flow_run *self);
void flow_run_close(flow_run *self);

#endif
