/* random_runs.h - a random flow and its outside world, which answers by the effect's key alone and
 * counts what it is asked. */
#ifndef CK_TESTS_RUNTIME_RANDOM_RUNS_RANDOM_RUNS_H
#define CK_TESTS_RUNTIME_RANDOM_RUNS_RANDOM_RUNS_H

#include "core/runtime/execution/execution.h"

/* A flow.custom: input {seed, strict}. */
extern const char lives_program[];

enum { RUNNING_MAX = 128, RESERVE = 1000, LIVES_MAX = 400, TROUBLE_LIVES = 150 };

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

typedef struct world {
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
  const struct world *whole; /* the undisturbed run; NULL: this is it */
  uint64_t random;
  bool calm;
  int64_t paid, lost;
  int twice, paid_twice, other, over_limit, lives, crashes, failures, rewinds, doubts;
  char id[32], result[256], why[512];
  ck_execution_result ending;
  ck_status status;
} world;

/* ---- lives_run.c ---- */

typedef struct lives_mode {
  const char *name;
  bool strict, fails, rewinds, limited;
  bool same;     /* it must ask what the undisturbed run asks */
  bool diverges; /* what it asks depends on what has failed: it may end for good at an effect that
                    was done with another request */
} lives_mode;

/* Sessions of each mode, most in memory, some in sqlite. Arguments or LIVES_COUNT and LIVES_FIRST:
 * how many, from which seed; a third argument: one mode only. */
void lives_test_modes(const lives_mode *modes, size_t count, int argc, char **argv);
void lives_test_mode(const lives_mode *m, const char *store, unsigned first, unsigned rounds);

/* ---- lives.c ---- */

uint32_t lives_draw(world *self, uint32_t below);
fact *lives_note(world *self, const char *key);
bool lives_serves(void *self, const ck_effect *effect);
int64_t lives_reserve(void *self, const ck_effect *effect);
ck_status lives_start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                      ck_error *err);
void lives_cancel(void *to, ck_effect_run *run);
void lives_answer(char out[128], const char *key, ck_effect_kind kind);
ck_value *lives_value_of(const char *json);
void lives_turn(world *self);
void lives_deliver(world *self, size_t index, ck_status failure);

#endif
