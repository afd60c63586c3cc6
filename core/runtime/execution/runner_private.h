/* runner_private.h - one coroutine under way, and what stands between it and the outside. */
#ifndef CK_RUNTIME_EXECUTION_RUNNER_PRIVATE_H
#define CK_RUNTIME_EXECUTION_RUNNER_PRIVATE_H

#include "core/base/name_set.h"
#include "core/runtime/execution/execution_private.h"
#include "core/runtime/session/flow.h"

/* What a coroutine waits for. */
typedef enum {
  CK_PHASE_READY, /* nothing: resume it */
  CK_PHASE_CALLS, /* its effects */
  CK_PHASE_SAVE,  /* its checkpoint to be durable */
  CK_PHASE_JOIN,  /* other scopes to end */
  CK_PHASE_REST,  /* the session to end: it is not resumed in this process any more */
  CK_PHASE_ENDED  /* see ck_runner_set_ended */
} ck_phase;

/* A join under way. */
typedef struct ck_joining {
  bool any;            /* until one of them has ended, instead of all */
  size_t wanted, open; /* the scopes it waits for; those of them that have not ended */
} ck_joining;

/* What its parent's join wants of a scope. */
typedef enum { CK_JOIN_NOTHING, CK_JOIN_NAMED, CK_JOIN_WANTED } ck_join_part;

/* How a scope failed: class and node, should the flow pass its error on. */
typedef struct ck_failed_scope {
  struct ck_failed_scope *next;
  ck_ending how;
  char scope[];
} ck_failed_scope;

struct ck_runner {
  ck_execution *execution;
  ck_place place;
  ck_runner *parent; /* NULL: of the main scope */
  char *scope;
  char *agent; /* who acts in it; NULL: nobody */
  char *tag;   /* of the fork that made it; NULL for the main scope */
  ck_value *task;
  int depth;
  ck_coroutine *coroutine; /* NULL: not open (any more) */
  ck_phase phase;
  ck_flow_yield yield;
  char **overlays; /* prefixes of state keys it reads first, its own first; NULL-terminated */

  /* Its position; see scope_private.h. */
  int64_t born;               /* seq that the next event had when it was forked */
  int64_t cut;                /* seq up to which its events belong to its position */
  int64_t report_seq;         /* of a person's report behind its cut, after a rewind; 0: none */
  int64_t end;                /* once it has ended: seq of its last event, or later */
  ck_value *joined_untrusted; /* see untrusted.h: of the scopes that it has joined; NULL: none */
  ck_value *position;         /* as yielded at the last boundary; NULL: at the top */
  char path[256];             /* its "path" member */
  ck_value *counts; /* of a BEFORE_CALL: what was counted before it, see position.c; NULL */
  char *node;       /* of the last boundary that named one; NULL: none */
  bool tagged;      /* the flow gave it its tag */
  bool set_aside;   /* it failed, was joined, and can be forked again */

  /* Since its last boundary. */
  uint32_t ordinals[CK_EFFECT_KIND_COUNT], pauses, forks, joins;
  ck_state *used;      /* as keys: effects asked for, each once */
  ck_name_set paths;   /* every path so far */
  int64_t boundary_us; /* monotonic time of that boundary */
  ck_change *changes;  /* its writes */
  size_t change_count;
  ck_state *written; /* of a forked scope: its overlay, by key; a removal is null */

  /* Waiting. */
  ck_value *context; /* what was untrusted in its scope's context as `calls` were asked for; NULL */
  ck_call **calls;   /* under way, in the order asked */
  size_t call_count;
  ck_ending call_failure; /* of the first call that FAILED */
  uint64_t ticket;        /* of the checkpoint it waits for */
  ck_outcome *outcome;    /* its next resume gets it */
  ck_joining joining;

  /* How a forked scope ended; kept until its parent is past the boundary behind its join. */
  ck_value *result;
  char *error;
  ck_status error_status;
  ck_failed_scope *failures; /* of the scopes below it, the newest first; NULL: none has failed */
  bool joined;
  bool abandoned; /* its parent ended without it */
  bool unknown;   /* an effect that must not be repeated, its own or of a scope that it joined,
                     has an unknown outcome */
  bool refused;   /* an effect, likewise, was refused (see ck_outcome) */
  ck_join_part join_part;
  bool orphans_settled; /* it has reached a boundary: orphans below it are put away */
};

/* ---- runner_state.c ---- */

/* Its effects' keys begin so: "main", "analyst@round#2". */
void ck_runner_name(char out[CK_STATE_KEY_MAX], const ck_runner *self);
/* The node where it is: its own, else that of a scope above. NULL: nobody knows. */
const char *ck_runner_node(const ck_runner *self);
/* Its depth of delegation: so many agents asked, one for the other, until this scope was forked. A
 * scope in which an agent's own work goes on, as of a step and of its agent, adds none. */
int ck_runner_agents_above(const ck_runner *self);
/* True when it does not move before the session ends. */
bool ck_runner_rests(const ck_runner *self);
/* As many of the scopes that it joins have ended as the join waits for. */
bool ck_runner_join_is_over(const ck_runner *self);
/* Notes in `names` that `name` is used; false in *fresh when it was before. */
CK_CHECKED ck_status ck_runner_use(bool *fresh, ck_state *names, const char *name, ck_error *err);
/* Writes one of the scope's own keys: of the session, or in its overlay. `value` NULL removes it.
 */
CK_CHECKED ck_status ck_runner_write(ck_runner *self, const char *key, const ck_value *value,
                                     ck_error *err);
/* Adds the yield's writes to those since its last boundary. */
CK_CHECKED ck_status ck_runner_buffer_changes(ck_runner *self, ck_error *err);
/* Writes them. */
CK_CHECKED ck_status ck_runner_apply_changes(ck_runner *self, ck_error *err);
/* Forgets them. */
void ck_runner_drop_changes(ck_runner *self);
/* All that are linked by `next`. */
void ck_runner_free_outcomes(ck_outcome *outcome);

/* ---- runner_open.c ---- */

/* A runner of the execution's list, without a coroutine. */
CK_CHECKED ck_status ck_runner_new(ck_runner **out, ck_execution *execution, ck_runner *parent,
                                   const char *scope, ck_error *err);
/* Opens its coroutine at its position. */
CK_CHECKED ck_status ck_runner_open(ck_runner *self, ck_error *err);
void ck_runner_free(ck_runner *self);
/* Takes it off the lists and frees it; its children are gone already. */
void ck_runner_drop(ck_runner *self);

/* ---- failed_scopes.c ---- */

/* The scope `below` it has failed so; in the place of what it failed of before. */
CK_CHECKED ck_status ck_runner_keep_failure(ck_runner *self, const char *below,
                                            const ck_ending *how, ck_error *err);
void ck_runner_clear_failures(ck_runner *self);

/* ---- scope_end.c ---- */

/* The coroutine is dead, or cannot get what it asked for: the session ends, or the scope with an
 * error for its parent. */
CK_CHECKED ck_status ck_runner_fail(ck_runner *self, ck_status cause, const char *text,
                                    ck_error *err);

/* ---- runner.c ---- */

/* One step; false in *moved when nothing can be done now. */
CK_CHECKED ck_status ck_runner_advance(bool *moved, ck_runner *self, ck_error *err);

#endif
