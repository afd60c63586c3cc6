/* session_private.h - what the files of one session share: session.c, boundary.c, prune.c,
 * resume.c, end.c. */
#ifndef CK_RUNTIME_SESSION_SESSION_PRIVATE_H
#define CK_RUNTIME_SESSION_SESSION_PRIVATE_H

#include "core/redact/redact.h"
#include "core/runtime/session/edit.h"
#include "core/runtime/ledger/ledger.h"
#include "core/runtime/session/scope.h"
#include "core/runtime/session/session.h"
#include "core/runtime/budget/spending.h"

/* What has happened since the last checkpoint was queued. */
typedef struct ck_since {
  int64_t begun_us; /* monotonic */
  int64_t seq;
  ck_totals totals;
  int64_t changed_bytes;
} ck_since;

struct ck_session {
  ck_runtime *runtime;
  const ck_profile *profile; /* may be NULL */
  const ck_policy_engine *policies;
  ck_redactor *redactor;    /* everything written passes it */
  unsigned policy_failures; /* in a row */
  ck_session_record record;
  ck_timeline timeline;
  ck_view view; /* what the live timeline sees, the open range last */
  ck_lease lease;
  ck_channel *channel;
  int64_t next_seq;
  ck_event **pending; /* appended, not yet given to the writer */
  size_t pending_count, pending_cap;
  ck_state *state;
  ck_state *changed; /* keys changed since the last checkpoint; `removed` stands for a removal */
  ck_value *removed;
  ck_spending spending; /* of each agent; rounds */
  int64_t rounds_base;
  ck_totals totals, base;           /* what was spent, and from where each constraint counts */
  ck_resume_rules rules;            /* of the last resume */
  int64_t active_base_us, began_us; /* active time before this run; when this run began */
  ck_since since;
  ck_value *place; /* node, next and agent of the boundary that the main scope reached last; NULL:
                      none yet */
  bool clean;
  ck_status failure;  /* what it fails with, when it does; CK_OK: not known */
  uint64_t random;    /* state of the numbers that policies are given */
  int64_t checkpoint; /* seq of the last checkpoint queued or resumed from; 0: none */
  int64_t resumed_from;
  int64_t unpruned;  /* checkpoints since the policies were last asked what to prune */
  int64_t cut;       /* seq up to which the transcript was folded at resume: what lies behind is the
                        ledger's */
  ck_ledger *ledger; /* of what lies behind the checkpoint resumed from */
  ck_scope **scopes;
  size_t scope_count;
  struct {
    bool failing;
    int64_t times, late, since_us;
  } saving; /* what the transcript tells of saving so far */
};

/* The parts that start and resume share: an object with clocks, state and counters at their
 * beginning. */
CK_CHECKED ck_status ck_session_new(ck_session **out, ck_runtime *runtime,
                                    const ck_profile *profile, const ck_policy_engine *policies,
                                    ck_error *err);
/* Its redactor, with the store's fingerprint key, the profile's keys and the policies' hook. */
CK_CHECKED ck_status ck_session_make_redactor(ck_session *self, ck_error *err);
/* Values that were kept as slots come from the environment or a file again. CK_E_SECRET_MISSING
 * names key and slot. With `keep` they stay slots, and what is there of them becomes known to the
 * redactor. */
CK_CHECKED ck_status ck_session_fill_secret_references(ck_session *self, bool keep, ck_error *err);
/* What ck_session_rehearse says: the session can only be looked at and closed. */
CK_CHECKED ck_status ck_session_prepare(ck_session **out, bool *failing, ck_runtime *runtime,
                                        const char *id, const ck_resume_options *options,
                                        ck_error *err);
/* What the record will say of restarts when the session is gone on with now. */
CK_CHECKED ck_status ck_session_count_restart(ck_restarts *out, ck_session *self,
                                              const ck_head *head, ck_error *err);
/* A person's edits: checked before anything is acquired, announced in the opening of a run behind
 * its first event, then made and kept by a checkpoint that is durable on return. `out` holds
 * edits->count + 1 events, all NULL on failure; free each. */
CK_CHECKED ck_status ck_session_check_edits(ck_session *self, const ck_state_edits *edits,
                                            ck_error *err);
CK_CHECKED ck_status ck_session_make_opening(ck_event **out, const ck_event *first,
                                             const ck_state_edits *edits, ck_error *err);
CK_CHECKED ck_status ck_session_make_edits(ck_session *self, const ck_state_edits *edits,
                                           ck_error *err);
/* Those that the live timeline announces and no checkpoint of it holds yet: a crash came in
 * between. Appends to `out`. */
CK_CHECKED ck_status ck_session_find_edits(ck_state_edits *out, ck_session *self,
                                           const ck_head *head, int64_t from, ck_error *err);
/* Monotonic time since the session first ran, over all runs. */
void ck_session_update_active(ck_session *self);
/* The scope's fold; made when first asked for. Borrowed. */
CK_CHECKED ck_status ck_session_scope(ck_scope **out, ck_session *self, const char *name,
                                      ck_error *err);
/* How what is pending is queued. */
typedef struct ck_queueing {
  ck_checkpoint *checkpoint;       /* taken; NULL: none */
  const ck_session_update *update; /* NULL: the status stays */
  ck_durability durability;
  bool waited, may_wait; /* see ck_job */
} ck_queueing;
CK_CHECKED ck_status ck_session_queue(uint64_t *ticket, ck_session *self, const ck_queueing *how,
                                      ck_error *err);
/* Its line into the writer, with what the profile says of failed saves. */
CK_CHECKED ck_status ck_session_open_channel(ck_session *self, ck_error *err);
/* What its profile says of compression, as ck_opening has it. */
size_t ck_session_compress_from(const ck_session *self);
/* Before the closing event: that all was saved, if it had not been. */
CK_CHECKED ck_status ck_session_close_saving(ck_session *self, ck_error *err);
/* The timeline that goes on from the checkpoint `from` (its seq 0: from the first event), its view,
 * what was spent, and the ledger of what can be met again. `edited`: the attempt rises in any
 * case. */
CK_CHECKED ck_status ck_session_load_checkpoint_list(ck_session *self, const ck_head *head,
                                                     const ck_checkpoint_info *from, bool edited,
                                                     ck_error *err);
/* An edit boundary without asking the policies: its event is appended, its checkpoint is the
 * caller's. */
CK_CHECKED ck_status ck_session_mark_edit(ck_checkpoint **out, ck_session *self, ck_error *err);
/* Asks the policies' rules, refuses or sets the bases; writes the rules as a member; makes the
 * bases a key of the state. */
CK_CHECKED ck_status ck_session_ask_rules(ck_session *self, const ck_head *head,
                                          const ck_checkpoint_info *from, ck_error *err);
const char *ck_rule_name(ck_rule rule);
void ck_session_write_rules(const ck_session *self, ck_json_writer *w);
CK_CHECKED ck_status ck_session_put_base(ck_session *self, ck_error *err);
/* Writes a member "cuts": the seq up to which the conversation of each scope that has a position is
 * gone on with. */
CK_CHECKED ck_status ck_session_write_cuts(const ck_session *self, ck_json_writer *w,
                                           ck_error *err);
/* Starts counting anew from here. */
void ck_session_mark_checkpoint(ck_session *self, int64_t seq);
/* Asks the policies what of the history goes, drops it (waiting for what is queued), and records
 * what was dropped. A hook or a prune that fails drops nothing and fails nothing. */
CK_CHECKED ck_status ck_session_prune(ck_session *self, ck_error *err);
/* The same of all but the latest `keep`; -1: as the policies say. */
CK_CHECKED ck_status ck_session_prune_to(ck_session *self, int64_t keep, ck_error *err);
CK_CHECKED ck_status ck_session_record_policy_error(ck_session *self, const char *hook,
                                                    const ck_error *cause, ck_error *err);
/* After the store failed: tries, once and past the queue, to leave the session as paused with the
 * failure as reason. A fenced session is left alone. Whether it worked shows in the store only: a
 * session left `running` is resumable too. */
void ck_session_park(ck_session *self, ck_status cause);
/* Frees what a session holds; nothing is written, the lock is not given back. */
void ck_session_free(ck_session *self);

/* What execution.c records: each appends the event and folds it into its scope; an outcome also
 * into the totals. */
CK_CHECKED ck_status ck_session_record_message(ck_session *self, const char *scope_name,
                                               const char *agent, const ck_value *message,
                                               ck_error *err);
CK_CHECKED ck_status ck_session_record_rewind(ck_session *self, const char *scope_name,
                                              const ck_value *rewind, ck_error *err);
CK_CHECKED ck_status ck_session_record_outcome(ck_session *self, const ck_effect *effect,
                                               const ck_value *body, int64_t *seq, ck_error *err);
/* An outcome that brings nothing but a cost; its seq is filled in. */
CK_CHECKED ck_status ck_session_record_cost(ck_session *self, ck_event *outcome, ck_error *err);
CK_CHECKED ck_status ck_session_record_replay(ck_session *self, const ck_effect *effect,
                                              const ck_value *body, int64_t of, ck_error *err);

#endif
