/* boundary.h - a point between actions where a checkpoint may be taken, as its flow marks it and
 * as policies see it. */
#ifndef CK_MODEL_BOUNDARY_H
#define CK_MODEL_BOUNDARY_H

#include "core/model/checkpoint.h"
#include "core/model/effect_class.h"

/* A boundary as policies see it (`at` in Lua). Borrowed for the call. */
typedef struct ck_boundary {
  ck_boundary_kind kind;
  const char *scope;
  const char *node;        /* NULL: none */
  const char *agent;       /* NULL: none */
  int depth;               /* of delegation; 0: top level */
  int64_t seq;             /* of the boundary event */
  int64_t now_ms;          /* wall time; recorded, so that it can be replayed */
  uint64_t random;         /* recorded likewise; 53 bits */
  int64_t node_latency_ms; /* since the node or turn began */
  struct {
    int64_t ms, events, cost_micros, tokens, changed_keys, changed_bytes, tool_calls;
    int64_t boundaries, iterations;        /* told to permit alone; else the engine counts itself */
    const struct ck_changed_keys *changed; /* NULL: not known */
  } since;                                 /* since the last checkpoint (or the start) */
  struct {
    const char *node, *tool;
    bool has_class;
    ck_effect_class effect_class;
  } next; /* the next node and its effect, as far as the flow knows them */
  /* BEFORE_CALL: what the model's answer calls, in its order, a JSON array of {tool, class?, id?};
   * empty: not given */
  ck_bytes calls;
  /* of the scope, JSON, see turn.h; empty: none. message: the last that is no tool's result; tools:
   * those that ran, model: the name that answered last, since the scope's last boundary */
  ck_bytes message, tools, model;
  struct {
    int64_t spent_micros, limit_micros; /* limit -1: none */
    bool is_set;                        /* a person set the limit, over the profile's */
  } budget;
  bool clean;                 /* no retry or failure since the session began, see incidents.h */
  int64_t checkpoint_cost_us; /* measured, of this store; 0: not yet known */
  const char *last_error;     /* NULL: none */
  /* How its checkpoint is described to people; policies do not see these. */
  const char *description; /* in the words of who marks it; NULL: by the others */
  const char *reason;      /* of a pause or another end: why; NULL: not known */
  int64_t number, of;      /* which round, turn or visit, and of how many; 0: not known */
  /* JSON array: the requests of other processes for a checkpoint here, which is taken whatever the
   * policies decide; NULL: none. Policies do not see it. */
  const char *asked;
  /* What policies took out of keys since the last boundary, see masked.h; they do not see it. */
  ck_bytes masked;
  /* The run ends here and waits for a person, which its kind alone does not tell: a flow has that
   * kind, too. Policies do not see it. */
  bool waits;
} ck_boundary;

#endif
