/* world.h - one simulated world: processes over one disk, the outside that they act on, and a model
 * of what must be true of them.
 *
 *   chance.h   every decision         baton.h   who runs, and what time it is
 *   disk.h     what is durable        flow.c    what a session does
 *   outside.c  who carries it out     model.c   what must come of it
 *   money.c    who pays for it
 *   life.c     processes that begin, act and end
 */
#ifndef CK_TESTS_WORLDS_WORLD_H
#define CK_TESTS_WORLDS_WORLD_H

#include "core/store/format/seal.h"
#include "core/store/store.h"
#include "tests/worlds/chance.h"
#include "tests/worlds/model.h"

/* An effect under way. */
typedef struct world_running {
  ck_effect_sink *sink;
  world_fact *fact;
  uint32_t attempt;
  bool cancelled, probing, hangs;
  bool settled; /* it was carried out, or not, and nobody will hear of it */
} world_running;

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
  bool calm, limited, agents_limited, saves_late;
  ck_profile *profile;
  ck_key *key;                   /* of the store; NULL: it has none */
  int64_t budgets[WORLD_PAYERS]; /* micro-dollars; raised when they are met */
  int deaths_in_a_row;           /* of processes that had not begun to run the session */
  uint64_t faults;               /* of the disk, before this life */
  uint64_t digest;               /* of all that was logged */
  ck_buffer log;
} world;

/* What must be in no file of the store. */
#define WORLD_SECRET "kolibri-7Q2x-vq91ZdTe"
/* What must be in none of a store with a key. */
#define WORLD_WORD "the-word-of-this-world"

extern world the_world;

/* ---- world.c: a history from its beginning to its end ---- */

/* How each process opens the store: with its key, if it has one. */
ck_store_options world_store(bool create);
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

/* ---- person.c ---- */

/* Before a resume. False: the process that they speak through cannot go on. */
bool person_speaks(world *self);

/* ---- visit.c: people at other terminals ---- */

/* A process comes while nobody runs the session: goes back, prunes, pins, forks. */
void visit_at_rest(world *self);
/* The same beside the run: asks for a pause, or for what requests.c has, forks. `asked`: answers
 * what the run asks. */
void visit_beside(world *self, bool asked);
/* A change of history that was cut off was made or not: the store tells. */
void visit_settle(world *self, const ck_head *head);

/* ---- flow.c ---- */

extern const ck_flow_engine world_flow_engine;
/* A talk with one more word, of the user (u) or the assistant (a): its number counts. */
uint64_t world_talk_add(uint64_t talk, char who, ck_bytes text);
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
/* What the outside answers, as JSON; one of the answers to a question. */
void outside_text(char out[64], const char *key, ck_effect_kind kind);
void outside_word(char out[64], const char *key, uint32_t word);

/* ---- check.c ---- */

void model_check_end(world *self);

/* ---- tails_check.c ---- */

/* The tails of all agents, of a session that is over or at rest. */
void tails_check(world *self, ck_store *store, const ck_head *head);

/* ---- rot.c ---- */

/* Chance flips a bit of the store when all is over. */
void rot_check(world *self);

#endif
