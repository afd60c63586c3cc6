/* world.h - one simulated world: processes over one disk, the outside that they act on, and a model
 * of what must be true of them.
 *
 *   chance.h   every decision         baton.h   who runs, and what time it is
 *   disk.h     what is durable        flow.c    what a session does
 *   outside.c  who carries it out     model.c   what must come of it
 *   life.c     processes that begin, act and end
 *
 * The model hears only what people and services outside of a process see: what was begun, done,
 * paid and said, which checkpoints were announced as saved. It shares no code with core. */
#ifndef CK_TESTS_WORLDS_WORLD_H
#define CK_TESTS_WORLDS_WORLD_H

#include "core/runtime/execution/execution.h"
#include "tests/tap.h"
#include "tests/worlds/chance.h"

enum {
  WORLD_RESERVE = 1000, /* the most that a call of a model costs, micro-dollars */
  WORLD_RUNNING = 64,
  WORLD_FACTS = 512,
  WORLD_PLACES = 1024,
  WORLD_STEPS = 9, /* of a scope, at most */
  WORLD_FORKS = 8,
  WORLD_PROCESSES = 3,
  WORLD_PROBLEM = 400
};

/* What is known outside of one effect. */
typedef struct world_fact {
  char key[CK_STATE_KEY_MAX];
  ck_effect_kind kind;
  ck_effect_class class;
  int begun, done;        /* requests that arrived; times that it was really carried out */
  bool open;              /* requested, and nothing was answered */
  bool failed;            /* the last answer was that it could not be carried out */
  bool erred;             /* some answer was an error, as an outcome */
  bool unknown;           /* some ending told nothing */
  bool said;              /* a person said that it was done, or answered */
  bool retry;             /* a person said that it was not done; until it is begun again */
  bool absent;            /* a probe told that it was not carried out */
  uint32_t kept_attempt;  /* of the outcome that was announced as durable; 0: none was */
  ck_outcome_status told; /* what the flow was told last */
  bool was_told;
} world_fact;

/* Where the main scope stood from an event on: at a boundary, or where a run begins. */
typedef struct world_place {
  int64_t seq;
  int step;
  uint64_t sum;
} world_place;

/* A checkpoint that was announced as saved. */
typedef struct world_checkpoint {
  int64_t seq;
  bool pinned, pruned;
  bool doubtful; /* a prune that might have dropped it was cut off */
} world_checkpoint;

/* An effect under way. */
typedef struct world_running {
  ck_effect_sink *sink;
  world_fact *fact;
  uint32_t attempt;
  bool cancelled, probing, hangs;
  bool settled; /* it was carried out, or not, and nobody will hear of it */
} world_running;

typedef struct world_model {
  world_fact facts[WORLD_FACTS];
  size_t fact_count;
  world_place places[WORLD_PLACES];
  size_t place_count;
  world_checkpoint checkpoints[WORLD_PLACES];
  size_t checkpoint_count;
  struct world_fork {
    char id[16];
    int64_t from; /* the checkpoint that it goes on from */
  } forks[WORLD_FORKS];
  size_t fork_count;
  bool created, completed;
  int64_t timeline;     /* before a change of history that was cut off; 0: none was */
  int64_t saved_seq;    /* the last announced checkpoint of the history that counts */
  int64_t top_seq;      /* the last event that is known to be durable */
  int64_t deaths;       /* of processes that crashed, or could not write */
  int64_t paid;         /* micro-dollars, of answers that were given */
  int64_t models, told; /* calls of models begun; those whose outcome was announced as durable */
  uint64_t sum;         /* what the main scope has come to, as told last */
  int step;
  uint64_t result;             /* of the scope that ended */
  char problem[WORLD_PROBLEM]; /* the first thing that must not be; "" */
} world_model;

typedef struct world_process {
  int number;
  ck_runtime *runtime;
  ck_session *session;
  ck_execution *execution;
  ck_flow *flow;
  ck_execution_result ending;
  ck_status status; /* of the last turn */
  world_running running[WORLD_RUNNING];
  size_t running_count;
  ck_effect_driver driver;
  const ck_effect_driver *drivers[2];
  bool replaced; /* another process has taken the session over */
} world_process;

typedef struct world {
  char path[400], url[420];
  world_model model;
  world_process processes[WORLD_PROCESSES];
  world_process *process; /* that has the session; of those replaced the others */
  int lives, visitors;
  size_t visits; /* forks that were tried */
  bool calm;
  uint64_t digest; /* of all that was logged */
  ck_buffer log;
} world;

extern world the_world;

/* ---- world.c: a history from its beginning to its end ---- */

/* Lives one; false: model.problem says what went wrong. The decisions come from chance.h. */
bool world_live(const char *folder);
/* A line of the history. */
/* False: the running process was replaced, and what it believes is of no account. */
bool world_is_heard(void);
void world_log(const char *format, ...) CK_TAP_FORMAT(1);

/* ---- life.c: one process ---- */

/* From the opening of the store to its closing, or a crash. True: the session is over. */
bool life_live(world *self);
/* The clock of all processes. */
ck_clock life_clock(void);
/* True when the status is CK_OK. A failure that the disk or a death explains is none of the
 * runtime's; every other one is a problem. */
bool life_check(world *self, ck_status status, const ck_error *err, const char *doing);
extern const char world_session[];

/* ---- visit.c: people at other terminals ---- */

/* A process comes while nobody runs the session: goes back, prunes, pins, forks. */
void visit_at_rest(world *self);
/* The same beside the run: asks for a pause, forks, looks. */
void visit_beside(world *self);
/* A change of history that was cut off was made or not: the store tells. */
void visit_settle(world *self, const ck_head *head);

/* ---- flow.c ---- */

extern const ck_flow_engine world_flow_engine;
/* Reads a position as the flow yielded it. */
void world_flow_read(int *step, uint64_t *sum, const ck_value *position);

/* ---- outside.c ---- */

/* The driver of a process. */
ck_effect_driver outside_driver(world_process *process);
/* Something is answered; false: nothing is under way that could be. */
bool outside_answer(world *self, world_process *process);
/* The process is dead, or its answers will count for nothing: what is under way was carried out or
 * not. */
void outside_settle(world_process *process);
/* What the outside answers, as JSON. */
void outside_text(char out[64], const char *key, ck_effect_kind kind);

/* ---- model.c ---- */

world_fact *model_fact(world_model *self, const char *key);
/* Notes the first problem. */
void model_fail(world_model *self, const char *format, ...) CK_TAP_FORMAT(2);
void model_begins(world_model *self, const ck_effect *effect);
/* What the flow was told of the effect with this key. */
void model_told(world_model *self, const char *key, const ck_outcome *outcome);
/* The main scope is at a boundary, whose event has this seq. */
void model_boundary(world_model *self, int64_t seq);
void model_progress(world_model *self, const ck_progress *progress, uint32_t attempt);
/* Where the main scope stands in a checkpoint; NULL: at the beginning. */
const world_place *model_place(const world_model *self, int64_t seq);
world_checkpoint *model_checkpoint(world_model *self, int64_t seq);
/* A run goes on from the checkpoint `seq` (0: the first event), and begins with event `first`. */
void model_resumed(world_model *self, int64_t seq, int64_t first);
/* A person has gone back to the checkpoint `from`; `made` keeps that. */
void model_rewound(world_model *self, int64_t from, int64_t made);
void model_died(world_model *self, bool power);
void model_opened(world_model *self, int step, uint64_t sum);
void model_check_end(world *self);

#endif
