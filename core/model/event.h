/* event.h - one immutable fact in a session's transcript. */
#ifndef CK_MODEL_EVENT_H
#define CK_MODEL_EVENT_H

#include "core/model/value.h"

/* X(enumerator, number on disk, name). The numbers never change. */
/* clang-format off */
#define CK_EVENT_TABLE(X) \
  /* {profile, flow, flow_digest, run, input?} */ \
  X(CK_EVENT_SESSION_STARTED, 1, "session_started") \
  /* {run, parent_run, checkpoint?, attempt, cuts, rules, seen?, answers?, accepted?}; seen: */ \
  /* what policies were told of it, {now, spent, limit?, and what the host says}, see */ \
  /* ck_resume_options; answers: of each policy, by name, see ck_resume_rules; also of */ \
  /* RESUME_REFUSED; accepted: what a person accepted as changed: core/host/session/accepted.h */ \
  X(CK_EVENT_SESSION_RESUMED, 2, "session_resumed") \
  /* {reason, status?, checkpoint?}: status: waiting or in_doubt */ \
  X(CK_EVENT_SESSION_PAUSED, 3, "session_paused") \
  X(CK_EVENT_SESSION_FAILED, 4, "session_failed") /* {status, error} */ \
  X(CK_EVENT_SESSION_COMPLETED, 5, "session_completed") /* {result?} */ \
  X(CK_EVENT_SESSION_CANCELLED, 6, "session_cancelled") /* {reason} */ \
  /* {run, parent_run, origin, checkpoint}: the first event of a fork's own */ \
  X(CK_EVENT_SESSION_FORKED, 7, "session_forked") \
  /* {run, parent_run, checkpoint, left, cuts}: by a person; `left`: the previous timeline */ \
  X(CK_EVENT_SESSION_REWOUND, 8, "session_rewound") \
  /* {run, parent_run, checkpoint, left, undone}: back to the timeline that `undone` had left */ \
  X(CK_EVENT_SESSION_UNDONE, 9, "session_undone") \
  /* {untrusted?, message, report?}: added to the scope's conversation; a report not before its */ \
  /* prompt; untrusted: see sources.h */ \
  X(CK_EVENT_MESSAGE, 10, "message") \
  X(CK_EVENT_INTENT, 11, "intent") /* see ledger.h */ \
  X(CK_EVENT_OUTCOME, 12, "outcome") /* see ledger.h; may carry a message */ \
  X(CK_EVENT_REPLAY, 13, "replay") /* {key, of}: the outcome at seq `of`, re-announced here */ \
  /* {key, verdict, result?}: a person's verdict on an effect in doubt; with {call, name, */ \
  /* correction} on one that was recorded as unknown, see core/runtime/history/correct.h; with */ \
  /* {policy} the answer of that policy's in_doubt: retry or tell */ \
  X(CK_EVENT_RESOLUTION, 14, "resolution") \
  /* {key, recorded, asked}: request digests that differ */ \
  X(CK_EVENT_DIVERGENCE, 15, "divergence") \
  /* {to, report, keep?, labelled?}: see ck_conversation_rewind */ \
  X(CK_EVENT_REWIND, 16, "rewind") \
  /* {kind, inputs, decision}; announces a checkpoint if one was taken; of the inputs */ \
  /* last_message, ran (tools) and model as turn.h has them, limit_set: a person set the limit, */ \
  /* over the profile's; {outcome} */ \
  /* of a step that completed when none was; {redacted_keys}, see masked.h. Any */ \
  /* event has {redacted} when policies took something out of it */ \
  X(CK_EVENT_BOUNDARY, 20, "boundary") \
  X(CK_EVENT_POLICY_ERROR, 21, "policy_error") /* {hook, policy, error} */ \
  X(CK_EVENT_EDIT, 22, "edit") /* {key, value|removed} */ \
  X(CK_EVENT_DELEGATION, 23, "delegation") /* {id, target|targets|parallel|sequential, message} */ \
  /* {ids, bytes, policies?, candidates?}: the dropped checkpoints, bytes freed; policies: that */ \
  /* a person had asked, in the place of the run's; candidates: [{from, to?, drop?, keep?}]: */ \
  /* the checkpoint at a seq, or those up to another, that policies (by place) drop, or keep; */ \
  /* last {more}: of how many others it is not kept */ \
  X(CK_EVENT_PRUNE, 24, "pruned") \
  /* {key, update}: a notification of a running effect, such as an agent's progress */ \
  X(CK_EVENT_UPDATE, 25, "update") \
  /* {dimension, what: approaching|hit|conflict, agent?, spent, limit} */ \
  X(CK_EVENT_CONSTRAINT, 26, "constraint") \
  /* {what: failing|saved, error?, checkpoints?, ms?}: see backlog.h */ \
  X(CK_EVENT_SAVING, 27, "saving") \
  /* {reason, policy?, seen?}: a resume was refused; policy: none where the profile's rule does */ \
  X(CK_EVENT_RESUME_REFUSED, 28, "resume_refused") \
  /* {question, policies, answer?: allow|deny, seen?, changed?}: a person approves the next */ \
  /* resume; with an answer: has said so, see approval.h */ \
  X(CK_EVENT_RESUME_APPROVAL, 29, "resume_approval") \
  X(CK_EVENT_NOTE, 30, "note") /* anything a host appends */ \
  /* {rules, counts, left?}: by a person: a secret was taken out of what is stored, see */ \
  /* core/runtime/history/scrub.h */ \
  X(CK_EVENT_SCRUBBED, 31, "scrubbed")
/* clang-format on */

typedef enum {
#define X(name, number, text) name = number,
  CK_EVENT_TABLE(X)
#undef X
} ck_event_kind;

/* "outcome"; NULL for a number outside the table (written by a newer version). */
const char *ck_event_kind_name(ck_event_kind kind);
/* 0 when there is no such kind. */
ck_event_kind ck_event_kind_of(const char *name);

/* `seq` numbers the events of a session from 1 without gaps, over all timelines; each timeline is
 * one contiguous range of seqs, because only one run writes at a time. */
typedef struct ck_event {
  int64_t seq;
  int64_t timeline; /* from 1 */
  ck_event_kind kind;
  int64_t at_ms;     /* wall time; never used for order */
  const char *scope; /* "main"; never NULL */
  const char *agent; /* NULL when no agent took part */
  ck_value *body;    /* a JSON object; never NULL */
  /* What each policy answered to the hooks that come from it, see answers.h, in numbers; no bytes:
   * none. No part of what happened, so not in the event's digest. */
  ck_bytes decision;
} ck_event;

/* ---- within ckrun ---- */

/* Copies the texts, shares the body. One allocation; free with ck_event_free. */
CK_CHECKED ck_status ck_event_new(ck_event **out, const ck_event *from, ck_error *err);
void ck_event_free(ck_event *self);

#endif
