/* random_runs.h - a random flow and its outside, which answers by the effect's key alone and
 * counts what it is asked. */
#ifndef CK_TESTS_RUNTIME_RANDOM_RUNS_RANDOM_RUNS_H
#define CK_TESTS_RUNTIME_RANDOM_RUNS_RANDOM_RUNS_H

#include "core/runtime/execution/execution.h"

/* A flow.custom: input {seed, strict}. */
extern const char random_runs_program[];

enum { RUNNING_MAX = 128, RESERVE = 1000, RUNS_MAX = 400, FAULTY_RUNS = 150 };

typedef struct running {
  ck_effect_sink *sink;
  ck_effect_kind kind;
  char key[CK_STATE_KEY_MAX];
  bool cancelled;
} running;

/* What was seen of one key. */
typedef struct fact {
  char key[CK_STATE_KEY_MAX];
  bool once, model, open;
  int times;        /* begun, and not known to have failed */
  uint64_t asked;   /* of an undisturbed run: what it was asked with */
  uint32_t paid_in; /* attempt */
} fact;

typedef struct random_run {
  ck_runtime *runtime;
  ck_session *session;
  ck_execution *execution;
  ck_flow_engine *engine;
  ck_flow *flow;
  ck_effect_driver driver;
  const ck_effect_driver *drivers[2];
  ck_policy_engine policies;
  ck_profile *profile; /* with a limit that is raised whenever it is met; NULL: none */
  running list[RUNNING_MAX];
  size_t count;
  fact *facts;
  size_t fact_count;
  const struct random_run *whole; /* the undisturbed run; NULL: this is it */
  uint64_t random;
  bool calm;
  int64_t paid, lost;
  int twice, paid_twice, other, over_limit, runs, crashes, failures, rewinds, doubts;
  char id[32], result[256], why[512];
  ck_execution_result ending;
  ck_status status;
} random_run;

/* ---- run.c ---- */

typedef struct random_runs_mode {
  const char *name;
  bool strict, fails, rewinds, limited;
  bool same;     /* it must ask what the undisturbed run asks */
  bool diverges; /* what it asks depends on what has failed: it may end for good at an effect that
                    was done with another request */
} random_runs_mode;

/* Sessions of each mode, most in memory, some in sqlite. Arguments or RANDOM_RUNS_COUNT and
 * RANDOM_RUNS_FIRST: how many, from which seed; a third argument: one mode only. */
void random_runs_test_modes(const random_runs_mode *modes, size_t count, int argc, char **argv);
void random_runs_test_mode(const random_runs_mode *m, const char *store, unsigned first,
                           unsigned rounds);

/* ---- random_runs.c ---- */

uint32_t random_runs_draw(random_run *self, uint32_t below);
fact *random_runs_note(random_run *self, const char *key);
bool random_runs_serves(void *self, const ck_effect *effect);
int64_t random_runs_reserve(void *self, const ck_effect *effect);
ck_status random_runs_start(ck_effect_run **out, void *to, const ck_effect *effect,
                            ck_effect_sink *sink, ck_error *err);
void random_runs_cancel(void *to, ck_effect_run *run);
void random_runs_answer(char out[128], const char *key, ck_effect_kind kind);
ck_value *random_runs_value_of(const char *json);
void random_runs_turn(random_run *self);
void random_runs_deliver(random_run *self, size_t index, ck_status failure);

#endif
