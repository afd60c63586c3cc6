/* session_private.h - the fields of a session, and which file of the room writes them.
 *
 * Every file of core/runtime may read them; each group is written by the file named above it alone,
 * whose header has the verbs for everybody else. */
#ifndef CK_RUNTIME_SESSION_SESSION_PRIVATE_H
#define CK_RUNTIME_SESSION_SESSION_PRIVATE_H

#include "core/base/map.h"
#include "core/model/changed_keys.h"
#include "core/runtime/budget/spending.h"
#include "core/runtime/ledger/ledger.h"
#include "core/runtime/session/asked.h"
#include "core/runtime/session/incidents.h"
#include "core/runtime/session/kept_sums.h"
#include "core/runtime/session/masked.h"
#include "core/runtime/session/scope.h"
#include "core/runtime/session/session.h"
#include "core/runtime/session/taken.h"

/* Answers that the next event of a kind has as its decision; no bytes: none. */
enum { CK_KEPT_ANSWERS = 4 };
typedef struct ck_kept_answers {
  ck_event_kind kind;
  size_t len;
  char bytes[CK_ANSWERS_SIZE];
} ck_kept_answers;

/* transcript.c: events that were appended and are not yet with the writer. */
typedef struct ck_transcript {
  int64_t next_seq; /* of the event that is appended next */
  ck_event **pending;
  size_t count, cap;
  size_t bytes; /* that the pending ones take */
  ck_kept_answers kept[CK_KEPT_ANSWERS];
} ck_transcript;

/* state.c: what the next checkpoint has to write of the state. */
typedef struct ck_state_changes {
  ck_state *keys;        /* changed since the last checkpoint, as they may be written */
  ck_value *removed;     /* the value in `keys` that means a removal: compared by address */
  int64_t bytes;         /* of the values that were put since the last checkpoint */
  ck_state *written;     /* each key as it was put last: what a checkpoint here would have */
  ck_changed_keys named; /* of `keys` those of the flow, as policies see them */
} ck_state_changes;

/* totals.c: what was spent, and from where each constraint counts it. */
typedef struct ck_spent {
  ck_totals totals, base;
  ck_totals earlier;  /* of the totals: recorded by this run, for calls that earlier ones began */
  ck_spending agents; /* of each agent; rounds */
  int64_t rounds_base;
  bool inherits_base;     /* a fork's, which the state that it goes on from does not have */
  int64_t active_base_us; /* active time before this run */
  int64_t began_us;       /* when this run began; monotonic */
} ck_spent;

/* checkpoint.c: since the last checkpoint was queued. */
typedef struct ck_since {
  int64_t begun_us;               /* monotonic */
  int64_t seq;                    /* of the last event before it began */
  ck_totals totals;               /* as they were then */
  int64_t checkpoint;             /* seq of the last checkpoint queued or resumed from; 0: none */
  int64_t unpruned;               /* checkpoints since the policies were last asked what to prune */
  int64_t boundaries, iterations; /* as policies count them at boundaries */
} ck_since;

/* boundary.c: what one boundary leaves for the next. */
typedef struct ck_boundaries {
  /* {node?, next?, agent?} of the boundary that the main scope reached last; NULL: none yet */
  ck_value *reached;
  unsigned policy_failures; /* checkpoint hooks that failed in a row */
  ck_error policy_failure;  /* the last of them */
  uint64_t random;          /* state of the numbers that policies are given */
} ck_boundaries;

/* scopes.c: the scopes of the transcript, and those that were asked for. Owned. */
typedef struct ck_scopes {
  ck_scope **list;
  size_t count;
  ck_map by_name;
  bool folded; /* those of the transcript are there */
} ck_scopes;
void ck_scopes_clear(ck_scopes *self);

/* saving.c: what the transcript says of saving so far, see ck_saving. */
typedef struct ck_saving_recorded {
  bool failing;
  int64_t times, late, since_us;
} ck_saving_recorded;

struct ck_session {
  /* session.c. All borrowed but the redactor (redaction.c). */
  ck_runtime *runtime;
  const ck_profile *profile; /* may be NULL */
  const ck_policy_engine *policies;
  const ck_policy_engine *redacting; /* whose `redact` is asked; at rest those of the runtime */
  ck_redactor *redactor;             /* everything written passes it */
  ck_masked masked;                  /* redaction.c, transcript.c: what policies take out of that */
  ck_status failure;  /* the run's, for its closing event; CK_OK: none, or not known */
  bool holds_reserve; /* see core/base/reserve.h */
  char *failed_node;  /* where it failed, likewise; NULL: not known */

  /* opening/opening.c: which run of which session it is. Its end changes status and lease. */
  ck_session_record record;
  ck_timeline timeline;
  ck_view view; /* what the live timeline sees, the open range last */
  ck_lease lease;

  /* opening/load.c: what the run goes on from. */
  int64_t resumed_from; /* seq of the checkpoint; 0: the first event */
  int64_t cut;          /* seq up to which the transcript is folded; the events behind it are the
                           ledger's. 0: a new session */
  ck_ledger *ledger;    /* of what lies behind the checkpoint resumed from */

  ck_state *state;       /* state.c: as the running session has it */
  ck_resume_rules rules; /* opening/rules.c: of the last resume */
  ck_value
      *asked_before; /* opening/rules.c: of a dry run, the question to a person; see approval.h */
  bool unchanged;    /* a resume by the host, that nobody had to accept anything for as changed */
  ck_value *answers; /* opening/rules.c: what policies answered to that case; NULL. Owned */
  ck_value *seen;    /* opening/rules.c: of the case that policies were asked about; NULL. Owned */
  ck_channel *channel; /* saving.c; NULL: not open */
  ck_saving_recorded saving;
  ck_transcript transcript;
  ck_state_changes changes;
  ck_spent spent;
  ck_since since;
  ck_incidents incidents; /* incidents.c */
  ck_sums sums;           /* kept_sums.c: of all events so far */
  ck_boundaries boundaries;
  ck_asked asked; /* asked.c */
  ck_taken taken; /* requests.c, taken.c */
  ck_scopes scopes;
};

/* A session with its clocks, state and counters at their beginning, neither open nor in the
 * store. */
CK_CHECKED ck_status ck_session_new(ck_session **out, ck_runtime *runtime,
                                    const ck_profile *profile, const ck_policy_engine *policies,
                                    ck_error *err);
/* Memory is kept back for it while it runs. CK_E_UNAVAILABLE: there is none: it is not begun. */
CK_CHECKED ck_status ck_session_hold_reserve(ck_session *self, ck_error *err);
/* Frees it without writing anything; the session's lock in the store is not released. */
void ck_session_free(ck_session *self);
/* As the store has it by now. */
void ck_session_set_status(ck_session *self, ck_session_status status);
/* The session is deleted: there is no lock to release. */
void ck_session_drop_lease(ck_session *self);
/* Why and at which node the run fails, for its closing event. CK_OK, NULL: not known. */
CK_CHECKED ck_status ck_session_set_failure(ck_session *self, ck_status failure, const char *node,
                                            ck_error *err);

#endif
