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
  WORLD_WORDS = 4, /* that a question can be answered with */
  WORLD_FACTS = 512,
  WORLD_PLACES = 2048,
  WORLD_STEPS = 9, /* of the main scope, at most */
  /* the main one, then two for each step that can fork them */
  WORLD_SCOPES = 1 + 2 * (WORLD_STEPS + 1),
  WORLD_PAYERS = 4, /* the session, then agents: money.c */
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
  uint32_t words;         /* of a question: a bit for each answer that counts; behind them of
                             those that were given to whichever question was open */
  int word;               /* from 1: the one that the flow was told; 0: none */
  bool retry;             /* a person said that it was not done; until it is begun again */
  bool absent;            /* a probe told that it was not carried out */
  uint32_t kept_attempt;  /* of the outcome that was announced as durable; 0: none was */
  ck_outcome_status told; /* what the flow was told last */
  bool was_told;
  uint64_t talk; /* of a call of a model: what was said in its scope before it */
} world_fact;

/* Where a scope stood from an event on: at a boundary, or where a run begins. */
typedef struct world_place {
  int64_t seq;
  int scope, step;
  uint64_t sum;
  bool unknown;
} world_place;

/* A checkpoint that was announced as saved. */
typedef struct world_checkpoint {
  int64_t seq;
  bool pinned, pruned, seen;
  bool doubtful; /* a prune that might have dropped it was cut off */
} world_checkpoint;

/* Of calls of models that somebody pays for. */
typedef struct world_purse {
  int64_t paid;  /* micro-dollars, of answers that were given */
  int64_t begun; /* calls */
  int64_t told;  /* of them: those whose outcome was announced as durable */
  int64_t lost;  /* of them: those under way when their process died */
} world_purse;

typedef struct world_model {
  world_fact facts[WORLD_FACTS];
  size_t fact_count;
  world_place places[WORLD_PLACES];
  size_t place_count;
  struct world_end {
    int64_t seq; /* the last event before it */
    int scope;
  } ends[WORLD_PLACES]; /* of agents that have come to their end */
  size_t end_count;
  world_checkpoint checkpoints[WORLD_PLACES];
  int64_t
      pruned_before; /* a checkpoint that is announced behind its prune might have been dropped */
  size_t checkpoint_count;
  struct world_fork {
    char id[16];
    int64_t from; /* the checkpoint that it goes on from */
  } forks[WORLD_FORKS];
  size_t fork_count;
  bool created, completed, cancelled;
  int64_t timeline;  /* before a change of history that was cut off; 0: none was */
  int64_t saved_seq; /* the last announced checkpoint of the history that counts */
  int64_t top_seq;   /* the last event that is known to be durable */
  int64_t deaths;    /* of processes that crashed, or could not write */
  world_purse purses[WORLD_PAYERS];
  struct world_scope {
    int step;
    uint64_t sum; /* what it has come to, as told last */
    bool unknown; /* it was told of something that nobody knows what became of it */
  } scopes[WORLD_SCOPES];
  int open[3];                 /* of the main scope, a and b: which of the scopes has the name */
  uint64_t result;             /* of the scope that ended */
  char problem[WORLD_PROBLEM]; /* the first thing that must not be; "" */
} world_model;

world_fact *model_fact(world_model *self, const char *key);
/* Notes the first problem. */
void model_fail(world_model *self, const char *format, ...) CK_TAP_FORMAT(2);
void model_begins(world_model *self, const ck_effect *effect);
/* What the flow was told of the effect with this key. */
void model_told(world_model *self, const char *key, const ck_outcome *outcome);
/* The scope that `child` (0: a, 1: b) is when it is forked at that step of the main scope, which is
 * scope 0. */
int model_scope(int child, int at);
int model_scope_child(int scope);
/* As effect keys begin. */
void model_scope_name(char out[24], int scope);
/* A coroutine is opened there, goes on to a boundary, is joined: {result, writes: {key}};
 * false: with an error, which some effect of it explains. */
void model_opened(world_model *self, int scope, int step, uint64_t sum);
void model_moves(world_model *self, int scope, int step, uint64_t sum);
bool model_joined(world_model *self, int scope, ck_bytes outcome, const char *key);
/* It has come to its end, behind event `seq`. */
void model_ended(world_model *self, int scope, int64_t seq);
/* The scope of that name is at a boundary, whose event has this seq. */
void model_boundary(world_model *self, const char *name, int64_t seq);
void model_progress(world_model *self, const ck_progress *progress, uint32_t attempt);
/* Where a scope stands in a checkpoint; NULL: at the beginning. */
const world_place *model_place(const world_model *self, int scope, int64_t seq);
world_checkpoint *model_checkpoint(world_model *self, int64_t seq);
/* A run goes on from the checkpoint `seq` (0: the first event), and begins with event `first`. */
void model_resumed(world_model *self, int64_t seq, int64_t first);
/* A person has gone back to the checkpoint `from`; `made` keeps that. */
void model_rewound(world_model *self, int64_t from, int64_t made);
void model_died(world_model *self, bool power);
void model_lost_power(world_model *self);

#endif
