/* execution_private.h - strands under way: what execution.c, runner*.c, fork.c, position.c, call*.c
 * and limits*.c share.
 *
 *   execution   all strands of a session, and how it is to end     execution.c
 *   runner      one strand and what it waits for                   runner.c, position.c, fork.c
 *   call        one effect that a strand waits for                 call.c, call_run.c,
 *               call_record.c */
#ifndef CK_RUNTIME_EXECUTION_EXECUTION_PRIVATE_H
#define CK_RUNTIME_EXECUTION_EXECUTION_PRIVATE_H

#include "core/runtime/budget/dimension.h"
#include "core/runtime/execution/execution.h"
#include "core/runtime/execution/notifications.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/record.h"
#include "core/runtime/session/session_private.h"

typedef struct ck_runner ck_runner;

/* What an effect waits for. */
typedef enum {
  CK_CALL_INTENT,  /* its intent to be committed */
  CK_CALL_DRIVER,  /* its driver to deliver */
  CK_CALL_WAITING, /* a person's answer: its intent stays open, and nothing in this process will
                      close it */
  CK_CALL_LEFT,    /* it was cancelled, or cannot be begun: what is known of it is in the ledger */
  CK_CALL_FAILED,  /* the strand fails of it, once those asked for with it have ended */
  CK_CALL_DONE     /* its outcome is recorded */
} ck_call_phase;

/* The sink handed to drivers knows its call. */
typedef struct ck_call ck_call;
typedef struct ck_call_sink {
  ck_effect_sink sink;
  ck_call *call;
} ck_call_sink;

/* One effect under way. */
struct ck_call {
  ck_runner *runner;
  ck_call_phase phase;
  ck_effect effect;
  char key[CK_STATE_KEY_MAX];
  char label[64]; /* for people: a tool's name; "" */
  char digest[CK_REQUEST_DIGEST_SIZE];
  ck_value *request; /* as the ledger keeps it: redacted */
  const ck_effect_driver *driver;
  ck_call_sink sink;
  ck_effect_run *run;
  bool probing, delivered;
  const char **payers;    /* of the effect */
  ck_value *tail;         /* of the effect */
  bool asks_limit;        /* WAITING for a word on a limit, not for its own outcome */
  ck_limit_hit hit;       /* that limit */
  unsigned limit_answers; /* words on limits that this process has carried out */
  bool held;              /* in doubt, though never begun: another action has its place */
  bool left_open; /* its driver was asked, and its intent stays open: it may have cost what it
                     reserved */
  bool in_batch;  /* its message enters the conversation with those of its batch */
  unsigned tries;
  uint64_t ticket;
  int64_t begun_us;    /* monotonic time its driver was started */
  ck_outcome *outcome; /* delivered by the driver, then recorded; handed to the strand */
};

/* How the session is to end, once every strand has come to rest. */
typedef struct ck_ending {
  ck_session_status status; /* 0: it is not */
  ck_status cause;
  char text[CK_ERROR_TEXT_MAX];
} ck_ending;

/* What a strand waits for. */
typedef enum {
  CK_PHASE_READY, /* nothing: resume it */
  CK_PHASE_CALLS, /* its effects */
  CK_PHASE_SAVE,  /* its checkpoint to be durable */
  CK_PHASE_JOIN,  /* other scopes to end */
  CK_PHASE_REST,  /* the session to end: it is not resumed in this process any more */
  CK_PHASE_ENDED
} ck_phase;

/* One strand and what stands between it and the outside. */
struct ck_runner {
  ck_execution *execution;
  ck_runner *parent; /* NULL: of the main scope */
  char *scope, *agent,
      *tag; /* agent: NULL when nobody; tag: of the fork it came from, NULL for the main scope */
  ck_value *task;
  int depth;
  int64_t born;    /* seq the next event had when it was forked */
  int64_t cut;     /* seq up to which its events belong to where it stands */
  int64_t said;    /* seq of what a person told it behind its cut, when going back; 0: nothing */
  int64_t end;     /* once it has ended: seq of its last event, or later */
  char **overlays; /* prefixes of state keys it reads first, its own first; NULL-terminated */
  ck_coroutine *strand; /* NULL: not open (any more) */
  ck_phase phase;
  ck_flow_yield yield;
  ck_value *position; /* as yielded at the last boundary; NULL: at the top */
  char path[256];     /* its "path" member */
  uint32_t ordinals[CK_EFFECT_KIND_COUNT], pauses, forks, joins;
  ck_state *used; /* keys asked for since the last boundary, and every path so far: each once */
  ck_state *paths;
  int64_t boundary_us; /* monotonic time of the last boundary */
  ck_change *changes;  /* written since the last boundary */
  size_t change_count;
  ck_state *written; /* of a forked scope: what lies in its overlay, by key; removed: null */
  ck_call **calls;   /* under way, in the order asked */
  size_t call_count;
  ck_ending call_failure; /* of the first call that FAILED */
  uint64_t ticket;        /* of the checkpoint it waits for */
  ck_outcome *outcome;    /* to be handed to the strand */
  /* How a forked scope ended; kept until its parent is past the boundary behind its join. */
  ck_value *result;
  char *error;
  ck_status error_status;
  bool joined, abandoned; /* abandoned: its parent ended without it */
  bool settled;           /* it has reached a boundary: its strays are gone */
  bool tagged, set_aside; /* the flow gave it its tag; set_aside: it failed, was joined, and can be
                             forked again */
};

struct ck_execution {
  ck_execution_options options;
  ck_session *session;
  ck_runner **runners; /* the main one first; parents before their children */
  size_t runner_count;
  ck_value *flow_options; /* what the profile says to flows */
  ck_ending ending;
  ck_ending
      failure; /* of the forked scope that failed last: its class, should the flow pass it on */
  ck_execution_counts counts;
  ck_notifications news; /* outcomes and checkpoints told once they are durable */
  ck_state *told;        /* limits whose coming near was told: AGENT/DIMENSION */
  bool has_strays; /* the state may hold scopes that are not open: it goes on from a checkpoint, or
                      has set one aside */
  ck_state *told_agents; /* those that were asked something in this process */
  int64_t turn_us;       /* monotonic time at which the present turn began */
  const ck_ledger_entry *
      *doubts; /* paid calls of an earlier process that are not settled; see lost.h */
  size_t doubt_count;
  bool stopping; /* what runs was cancelled */
  bool ended;
  ck_execution_result result;
};

/* ---- execution.c ---- */

/* The session is to end so: strands are not resumed any more, or (for a pause) only up to their
 * next boundary. Of several the first holds, but an effect in doubt comes before everything
 * else. */
void ck_execution_end(ck_execution *self, ck_session_status status, ck_status cause,
                      const char *text);
/* Tells whoever watches. */
void ck_execution_notify(const ck_execution *self, const ck_progress *progress);
int64_t ck_execution_now_us(const ck_execution *self);
/* NULL: there is none. */
ck_runner *ck_execution_find(const ck_execution *self, const char *scope);
/* The first that serves `effect`; NULL: none does. */
const ck_effect_driver *ck_execution_find_driver(const ck_execution *self, const ck_effect *effect);
/* Frees a runner of the list. */
void ck_execution_drop(ck_execution *self, ck_runner *gone);

/* ---- runner.c ---- */

/* A runner without a strand; Takes nothing. */
CK_CHECKED ck_status ck_runner_new(ck_runner **out, ck_execution *execution, ck_runner *parent,
                                   const char *scope, ck_error *err);
void ck_runner_free(ck_runner *self);
/* Its effects' keys begin so: "main", "analyst@round#2". */
void ck_runner_name(char out[CK_STATE_KEY_MAX], const ck_runner *self);
/* Opens its strand where its position says. */
CK_CHECKED ck_status ck_runner_open(ck_runner *self, ck_error *err);
/* One step; false in *moved when nothing can be done now. */
CK_CHECKED ck_status ck_runner_advance(bool *moved, ck_runner *self, ck_error *err);
/* The strand is dead, or what it asked for cannot be had: the session ends, or the scope with an
 * error for its parent. */
CK_CHECKED ck_status ck_runner_fail(ck_runner *self, ck_status cause, const char *text,
                                    ck_error *err);
/* Notes that `name` is used; false in *fresh when it was before. */
CK_CHECKED ck_status ck_runner_use(bool *fresh, ck_state *names, const char *name, ck_error *err);
/* What it wrote since its last boundary is gone. */
void ck_runner_drop_changes(ck_runner *self);
/* All that are linked. */
void ck_runner_free_outcomes(ck_outcome *outcome);
/* True when it does not move before the session ends. */
bool ck_runner_rests(const ck_runner *self);
/* Writes what changed to the scope's own keys: those of the session, or its overlay. */
CK_CHECKED ck_status ck_runner_apply_changes(ck_runner *self, ck_error *err);

#endif
