/* execution_private.h - strands under way: what execution.c, runner*.c, fork.c, position.c, call*.c and limits*.c share.
 *
 *   execution   all strands of a session, and how it is to end     execution.c
 *   runner      one strand and what it waits for                   runner.c, position.c, fork.c
 *   call        one effect that a strand waits for                 call.c, call_run.c, call_record.c */
#ifndef CK_RUNTIME_EXECUTION_PRIVATE_H
#define CK_RUNTIME_EXECUTION_PRIVATE_H

#include "core/runtime/dimension.h"
#include "core/runtime/execution.h"
#include "core/runtime/news.h"
#include "core/runtime/session_private.h"

typedef struct ck_runner ck_runner;

/* What an effect waits for. */
typedef enum {
  CK_CALL_INTENT,  /* its intent to be committed */
  CK_CALL_DRIVER,  /* its driver to deliver */
  CK_CALL_WAITING, /* a person's answer: its intent stays open, and nothing in this process will close it */
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
  char label[64];                     /* for people: a tool's name; "" */
  char digest[CK_REQUEST_DIGEST_SIZE];
  ck_value *request;                  /* as the ledger keeps it: redacted */
  const ck_effect_driver *driver;
  ck_call_sink sink;
  ck_effect_run *run;
  bool probing, delivered;
  const char **payers;                /* of the effect */
  ck_value *tail;                     /* of the effect */
  bool asks_limit;                    /* WAITING for a word on a limit, not for its own outcome */
  ck_limit_hit hit;                   /* that limit */
  unsigned limit_answers;             /* words on limits that this process has carried out */
  bool in_batch;                      /* its message enters the conversation with those of its batch */
  unsigned tries;
  uint64_t ticket;
  int64_t begun_us;                   /* monotonic time its driver was started */
  ck_outcome *outcome;                /* delivered by the driver, then recorded; handed to the strand */
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
  ck_runner *parent;                  /* NULL: of the main scope */
  char *scope, *agent, *tag;          /* agent: NULL when nobody; tag: of the fork it came from, NULL for the main scope */
  ck_value *task;
  int depth;
  int64_t born;                       /* seq the next event had when it was forked */
  int64_t cut;                        /* seq up to which its events belong to where it stands */
  char **overlays;                    /* prefixes of state keys it reads first, its own first; NULL-terminated */
  ck_strand *strand;                  /* NULL: not open (any more) */
  ck_phase phase;
  ck_flow_yield yield;
  ck_value *position;                 /* as yielded at the last boundary; NULL: at the top */
  char path[256];                     /* its "path" member */
  uint32_t ordinals[CK_EFFECT_KIND_COUNT], pauses, forks, joins;
  ck_state *used;                     /* keys asked for since the last boundary, and every path so far: each once */
  ck_state *paths;
  int64_t boundary_us;                /* monotonic time of the last boundary */
  ck_change *changes;                 /* written since the last boundary */
  size_t change_count;
  ck_state *written;                  /* of a forked scope: what lies in its overlay, by key; removed: null */
  ck_call **calls;                    /* under way, in the order asked */
  size_t call_count;
  ck_ending call_failure;             /* of the first call that FAILED */
  uint64_t ticket;                    /* of the checkpoint it waits for */
  ck_outcome *outcome;                /* to be handed to the strand */
  /* How a forked scope ended; kept until its parent is past the boundary behind its join. */
  ck_value *result;
  char *error;
  ck_status error_status;
  bool joined, abandoned;             /* abandoned: its parent ended without it */
  bool settled;                       /* it has reached a boundary: its strays are gone */
  bool tagged, set_aside;             /* the flow gave it its tag; set_aside: it failed, was joined, and can be forked again */
};

struct ck_execution {
  ck_execution_options options;
  ck_session *session;
  ck_runner **runners;                /* the main one first; parents before their children */
  size_t runner_count;
  ck_value *flow_options;             /* what the profile says to flows */
  ck_ending ending;
  ck_ending failure;                  /* of the forked scope that failed last: its class, should the flow pass it on */
  ck_execution_counts counts;
  ck_news news;                       /* outcomes and checkpoints told once they are durable */
  ck_state *told;                     /* limits whose coming near was told: AGENT/DIMENSION */
  bool has_strays;                    /* it goes on from a checkpoint: the state may hold scopes that are not forked again */
  ck_state *told_agents;              /* those that were asked something in this process */
  int64_t turn_us;                    /* monotonic time at which the present turn began */
  bool stopping;                      /* what runs was cancelled */
  bool ended;
  ck_execution_result result;
};

/* ---- execution.c ---- */

/* The session is to end so: strands are not resumed any more, or (for a pause) only up to their next boundary. Of several
 * the first holds, but an effect in doubt comes before everything else. */
void ck_execution_end(ck_execution *self, ck_session_status status, ck_status cause, const char *text);
/* Tells whoever watches. */
void ck_execution_tell(const ck_execution *self, const ck_progress *progress);
int64_t ck_execution_now_us(const ck_execution *self);
/* NULL: there is none. */
ck_runner *ck_execution_find(const ck_execution *self, const char *scope);
/* Frees a runner of the list. */
void ck_execution_drop(ck_execution *self, ck_runner *gone);

/* ---- runner.c ---- */

/* A runner without a strand; Takes nothing. */
CK_CHECKED ck_status ck_runner_new(ck_runner **out, ck_execution *execution, ck_runner *parent, const char *scope, ck_error *err);
void ck_runner_free(ck_runner *self);
/* Its effects' keys begin so: "main", "analyst@round#2". */
void ck_runner_name(char out[CK_STATE_KEY_MAX], const ck_runner *self);
/* Opens its strand where its position says. */
CK_CHECKED ck_status ck_runner_open(ck_runner *self, ck_error *err);
/* One step; false in *moved when nothing can be done now. */
CK_CHECKED ck_status ck_runner_advance(bool *moved, ck_runner *self, ck_error *err);
/* The strand is dead, or what it asked for cannot be had: the session ends, or the scope with an error for its parent. */
CK_CHECKED ck_status ck_runner_fail(ck_runner *self, ck_status cause, const char *text, ck_error *err);
/* Notes that `name` is used; false in *fresh when it was before. */
CK_CHECKED ck_status ck_runner_use(bool *fresh, ck_state *names, const char *name, ck_error *err);
/* What it wrote since its last boundary is gone. */
void ck_runner_drop_changes(ck_runner *self);
/* All that are linked. */
void ck_runner_free_outcomes(ck_outcome *outcome);
/* True when it does not move before the session ends. */
bool ck_runner_rests(const ck_runner *self);

/* ---- position.c: the state key position.<scope> ----
 *
 * {"cut": seq, "at"?: …, and of a forked scope "parent", "tag", "born", "agent"?, "task"?, "tagged"?: true (the flow gave the
 * tag), "aside"?: true (not open, but can be forked again), and once it has ended "done": true, "result"?, "error"?, "status"?, "attempt"}: `cut` is the seq up to which its events are in the checkpoint, `at` what the
 * strand gave at its last boundary. */

CK_CHECKED ck_status ck_runner_put_position(ck_runner *self, int64_t cut, ck_error *err);
/* Takes over what `saved` says; `*done` when the scope had ended (and need not run again). */
CK_CHECKED ck_status ck_runner_take_position(ck_runner *self, bool *done, const ck_value *saved, ck_error *err);
/* Reads the path of self->position, and begins to count anew. */
CK_CHECKED ck_status ck_runner_read_path(ck_runner *self, ck_error *err);

/* ---- fork.c ---- */

CK_CHECKED ck_status ck_runner_fork(ck_runner *self, ck_error *err);
CK_CHECKED ck_status ck_runner_begin_join(ck_runner *self, ck_error *err);
/* Hands the outcome over when what it waits for has ended; false in *moved otherwise. */
CK_CHECKED ck_status ck_runner_join(bool *moved, ck_runner *self, ck_error *err);
/* The strand of a forked scope has ended, with self->result or self->error. */
CK_CHECKED ck_status ck_runner_end(ck_runner *self, ck_error *err);
/* Past a boundary: the scopes that were joined before it are gone. */
CK_CHECKED ck_status ck_runner_forget_joined(ck_runner *self, ck_error *err);

/* ---- fork_reopen.c ---- */

/* Opens the scopes that stood open in the checkpoint and were forked before their parent's cut. */
CK_CHECKED ck_status ck_execution_reopen(ck_execution *self, ck_error *err);
/* The same for those below `self`. */
CK_CHECKED ck_status ck_runner_reopen_below(ck_runner *self, ck_error *err);
/* A new runner goes on where `saved` says, or has ended and waits for its join. */
CK_CHECKED ck_status ck_runner_reattach(ck_runner *self, const ck_value *saved, ck_error *err);
/* Past a boundary: what an earlier process had forked behind the one before, and this one has not, is put away. */
CK_CHECKED ck_status ck_runner_settle_strays(ck_runner *self, ck_error *err);
/* Removes position.<scope> (`key`), what the scope wrote, and all that is saved below it. */
CK_CHECKED ck_status ck_execution_remove_saved(ck_execution *self, const char *key, ck_error *err);

/* ---- */

/* Writes what changed to the scope's own keys: those of the session, or its overlay. */
CK_CHECKED ck_status ck_runner_apply_changes(ck_runner *self, ck_error *err);

/* ---- call.c ---- */

/* The strand asked for effects: each is replayed, or its intent is committed, or the session stops. */
CK_CHECKED ck_status ck_runner_begin_calls(ck_runner *self, ck_error *err);
/* Nothing stands against it any more but its limits. */
CK_CHECKED ck_status ck_call_commit_intent(ck_call *self, ck_error *err);
/* Neither ledger nor driver can tell what came of it: the policies decide. */
CK_CHECKED ck_status ck_call_settle_doubt(ck_call *self, ck_error *err);
CK_CHECKED ck_status ck_call_stop_in_doubt(ck_call *self);
/* The strand fails of it; what was asked for together with it is still waited for, and recorded. */
void ck_call_fail(ck_call *self, ck_status cause, const char *text);
/* What only waits, for a time or a person: put off when the session is to end, and never a sign of trouble. */
bool ck_call_waits_only(const ck_effect *effect);
ck_session *ck_call_session(const ck_call *self);

/* ---- context.c ---- */

/* What an agent was told at this very call in an earlier process, it is told again; false in *told when it was not. */
CK_CHECKED ck_status ck_call_restore_telling(bool *told, ck_call *self, ck_error *err);
/* Tells an agent its tail where its context is gone. */
CK_CHECKED ck_status ck_call_tell_agent(bool *told, ck_call *self, ck_error *err);

/* ---- call_run.c ---- */

/* Its intent is committed, or it is to be probed: start the driver. */
CK_CHECKED ck_status ck_call_start(ck_call *self, ck_error *err);
/* One step of all of them; false in *moved when they wait. */
CK_CHECKED ck_status ck_runner_advance_calls(bool *moved, ck_runner *self, ck_error *err);
/* Cancels what its driver still does; `harmless` only: what is simply asked for again later (sleeps, questions). */
void ck_runner_cancel_calls(ck_runner *self, bool harmless);
void ck_runner_drop_calls(ck_runner *self);
/* A person's answer to the question it waits for. */
CK_CHECKED ck_status ck_call_answer(ck_call *self, const char *text, ck_error *err);

/* ---- call_record.c ---- */

/* The outcome's event, folded and queued. Takes `outcome`, which becomes self->outcome. */
CK_CHECKED ck_status ck_call_record(ck_call *self, ck_outcome *outcome, const char *via, ck_error *err);
CK_CHECKED ck_status ck_call_replay(ck_call *self, const ck_ledger_entry *entry, ck_error *err);
CK_CHECKED ck_status ck_call_record_divergence(ck_call *self, const char *recorded, ck_error *err);
/* The message that a done effect adds to the conversation; NULL when it adds none. */
CK_CHECKED ck_status ck_call_make_message(ck_value **out, const ck_call *self, ck_error *err);
ck_durability ck_call_durability(const ck_effect *effect, const ck_outcome *outcome);
void ck_call_tell(const ck_call *self, const char *what);

#endif
