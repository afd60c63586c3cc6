/* model.h - what must be true of a world's session, from what people and services outside of its
 * processes see: what was begun, done, paid and said, which checkpoints were announced as saved. It
 * shares no code with core. */
#ifndef CK_TESTS_WORLDS_MODEL_H
#define CK_TESTS_WORLDS_MODEL_H

#include "core/runtime/execution/execution.h"
#include "tests/tap.h"

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

#endif
