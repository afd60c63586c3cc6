/* execution_private.h - an execution under way, for the files of this room.
 *
 * From below upwards; a file calls those of its own line or of lines above it in this list:
 *
 *   execution_state.c, call_state.c, runner_state.c, runners.c, position.c,
 *   notifications.c, saved_scopes.c        basics
 *   reserves.c, unsettled.c, limits_ask.c, limits.c      what may be spent
 *   call_record.c, call_doubt.c, context.c,
 *   call_permit.c, corrections.c             an effect's leave, intent, outcome, doubt
 *   runner_open.c, scope_reopen.c            a coroutine is opened at its position
 *   scope_end.c, scope_join.c, scope_fork.c  child scopes
 *   call_run.c, call.c                       the effects that a coroutine waits for
 *   runner.c                                 one coroutine is resumed, and its yield acted on
 *   execution.c, dry_run.c                   all coroutines of a session are turned */
#ifndef CK_RUNTIME_EXECUTION_EXECUTION_PRIVATE_H
#define CK_RUNTIME_EXECUTION_EXECUTION_PRIVATE_H

#include "core/runtime/budget/dimension.h"
#include "core/runtime/execution/execution.h"
#include "core/runtime/execution/notifications.h"
#include "core/runtime/execution/reserves.h"
#include "core/runtime/execution/runners.h"
#include "core/runtime/execution/saved_scopes.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/record.h"
#include "core/runtime/session/session_private.h"

typedef struct ck_call ck_call; /* one effect, see call_private.h */

enum { CK_NODE_TEXT_MAX = 128 };

/* How the session (or a scope) is to end. */
typedef struct ck_ending {
  ck_session_status status; /* 0: it is not to end */
  ck_status cause;
  char text[CK_ERROR_TEXT_MAX];
  char node[CK_NODE_TEXT_MAX]; /* where it has failed; "": it has not, or nobody knows where */
} ck_ending;

struct ck_execution {
  ck_execution_options options;
  ck_session *session;
  ck_runners runners;
  ck_value *flow_options; /* what the profile says to flows */
  ck_ending ending;       /* carried out once every coroutine has come to rest */
  ck_limit_hit limit_hit; /* why it is to end, when `limit_ends`; see ck_limits_update_ending */
  char *limit_agent;      /* its agent; owned */
  bool limit_ends;
  ck_execution_counts counts;
  ck_notifications notifications; /* outcomes and checkpoints, reported once they are durable */
  ck_state *limits_reported;      /* as keys AGENT/DIMENSION: limits whose approach is recorded */
  ck_state *agents_asked;         /* as keys: agents that were asked something in this process */
  ck_state *answered;             /* by the names of first models, see chain_memory.h */
  ck_state *prompted;             /* agents that are processes: what they heard, see untrusted.h */
  /* scopes that are not open: the session goes on from a checkpoint, or has set one aside */
  ck_saved_scopes saved;
  int64_t turn_us; /* monotonic time at which the present turn began */
  ck_reserves reserves;
  const ck_ledger_entry **corrections; /* see corrections.h */
  size_t correction_count;
  ck_buffer
      said_masked;      /* "PLACEHOLDER KEY" lines: those in answers of this run, of which effect */
  ck_bytes answered_by; /* while an answer is taken: who gives it, see person.h; no bytes */
  bool rooms;           /* calls may be waiting for room: see ck_execution_wake_rooms */
  bool stopping;        /* everything under way was cancelled */
  bool ended;
  ck_execution_result result;
};

/* ---- execution_state.c ---- */

/* What was reserved is free, or the session is to end: calls that wait for room look again. */
void ck_execution_wake_rooms(ck_execution *self);
/* The session is to end so: coroutines are not resumed any more, or (for a pause) only up to their
 * next boundary. Of several endings the first holds, but a failure and a cancel come before a
 * pause, and an effect in doubt before everything else. */
void ck_execution_end(ck_execution *self, ck_session_status status, ck_status cause,
                      const char *text);
/* The same, because of a failure at a node; NULL: not known. */
void ck_execution_end_at(ck_execution *self, const char *node, ck_session_status status,
                         ck_status cause, const char *text);
/* The main scope has ended, with its runner's result: so does the session. */
void ck_execution_complete(ck_execution *self);
/* Shows progress to the execution's owner. */
void ck_execution_notify(const ck_execution *self, const ck_progress *progress);
int64_t ck_execution_now_us(const ck_execution *self);
/* NULL: there is none. */
ck_runner *ck_execution_find(const ck_execution *self, const char *scope);
/* The first that serves `effect`; NULL: none does. */
const ck_effect_driver *ck_execution_find_driver(const ck_execution *self, const ck_effect *effect);

#endif
