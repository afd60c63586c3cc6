/* session.h - one durable execution: its transcript, its keyed state, its boundaries. Start reading
 * here.
 *
 *   start or resume  ->  append, put, effects  ->  boundary (policy decides)  ->  checkpoint queued
 *                    ->  durable
 *
 * A session is used by one thread at a time. Nothing blocks except ck_session_wait,
 * ck_session_flush and the closing calls, a boundary at which pruning is due (the profile's
 * prune_every_n_nodes), and any call while the writer's queue is full. After the store failed or
 * the session was fenced, every call that writes answers with that same error. */
#ifndef CK_RUNTIME_SESSION_SESSION_H
#define CK_RUNTIME_SESSION_SESSION_H

#include "core/model/conversation.h"
#include "core/model/profile.h"
#include "core/redact/redact.h"
#include "core/runtime/session/edit.h"
#include "core/runtime/session/policy.h"
#include "core/runtime/commit/runtime.h"

typedef struct ck_session ck_session;

/* All borrowed; profile and policies for the session's life. */
typedef struct ck_session_options {
  const char *id;                   /* NULL: one is made */
  const ck_profile *profile;        /* NULL: no limits, named "none" */
  const ck_policy_engine *policies; /* NULL: ck_policy_always */
  const char *flow;                 /* path of the flow; NULL */
  const ck_value *input;            /* kept with the session; NULL */
  const ck_state_edits *edits;      /* of the empty state; NULL: none */
} ck_session_options;

/* CK_E_USAGE: a malformed id; CK_E_EXISTS: it is taken; CK_E_SECRET_MISSING: of the profile's.
 * Power-durable when it returns. */
CK_CHECKED ck_status ck_session_start(ck_session **out, ck_runtime *runtime,
                                      const ck_session_options *options, ck_error *err);

enum { CK_RESTARTS_MAX = 3, CK_RESTART_SOON_MS = 30000 };

typedef struct ck_resume_options {
  const ck_profile *profile;
  const ck_policy_engine *policies;
  const char *checkpoint; /* id; NULL: the latest resumable one; none at all: the first event */
  const ck_state_edits *edits; /* of the checkpoint's state; NULL: none. The attempt rises */
  int64_t flow_version;        /* of the flow that goes on with it; see migrate.h */
  bool retry;                  /* also a session that died again and again, and is failing */
  bool keep_slots; /* what was kept as a reference stays one: for who only adds events */
} ck_resume_options;

/* A session that died three times in a row within CK_RESTART_SOON_MS of being resumed, without a
 * new outcome or boundary, becomes `failing` instead (CK_E_REFUSED), and stays so until a resume
 * with `retry`. CK_E_SECRET_MISSING: of the profile's, or one that a key was kept as;
 * CK_E_NOT_FOUND, CK_E_REFUSED (completed, cancelled), CK_E_OWNED, CK_E_FENCED, the store's answers
 * about the checkpoint. Nothing was changed on any other failure. */
CK_CHECKED ck_status ck_session_resume(ck_session **out, ck_runtime *runtime, const char *id,
                                       const ck_resume_options *options, ck_error *err);
/* Waits for what is queued, gives the lock back, frees. The status in the store stays what it is: a
 * session closed without an end can be resumed, as after a crash. NULL is fine. */
void ck_session_close(ck_session *self);

const char *ck_session_id(const ck_session *self);
const char *ck_session_run(const ck_session *self);
const ck_session_record *ck_session_get_record(const ck_session *self);
const ck_totals *ck_session_totals(const ck_session *self);
uint32_t ck_session_attempt(const ck_session *self);
/* seq of this run's first event, and of the last one that was appended. */
int64_t ck_session_first_seq(const ck_session *self);
int64_t ck_session_last_seq(const ck_session *self);
/* seq of the checkpoint this run went on from; 0: from the first event. */
int64_t ck_session_resumed_from(const ck_session *self);

/* Adds an event. It is kept in order and committed with the next boundary, intent, flush or
 * close. */
CK_CHECKED ck_status ck_session_append(ck_session *self, ck_event_kind kind, const char *scope,
                                       const char *agent, const ck_value *body, ck_error *err);
/* Sets a key (value shared) or removes it (value NULL). Durable with the next checkpoint, as far as
 * redaction lets it be written: the running session keeps the whole value, a resumed one has what
 * was kept. */
CK_CHECKED ck_status ck_session_put(ck_session *self, const char *key, const ck_value *value,
                                    ck_error *err);
/* Borrowed until the key changes; NULL when absent. */
const ck_value *ck_session_get(const ck_session *self, const char *key);
const ck_state *ck_session_state(const ck_session *self);

/* Adds the secrets of this session, its profile's and what its slots were filled with, to a
 * redactor of the caller's, for what it shows. */
CK_CHECKED ck_status ck_session_register_secrets(const ck_session *self, ck_redactor *to,
                                                 ck_error *err);

/* From now on the session keeps this secret to itself, too. As ck_secret_register answers. */
CK_CHECKED ck_status ck_session_learn_secret(ck_session *self, const char *name, const char *ref,
                                             ck_error *err);

/* What a boundary came to. */
typedef struct ck_saved {
  bool taken;
  bool sync; /* the policies ask the caller to wait: its commit may not begin before ck_session_wait
                or _check */
  char id[CK_ID_SIZE]; /* of the checkpoint; "" when not taken */
  int64_t seq;         /* of the boundary event */
  uint64_t ticket;
} ck_saved;
/* Asks the policies, records the decision, and queues a checkpoint when they (or the kind) say so.
 * Of `at`, the fields kind, scope, node, agent, depth, node_latency_ms, next and last_error are
 * read. */
CK_CHECKED ck_status ck_session_boundary(ck_saved *out, ck_session *self, const ck_boundary *at,
                                         ck_error *err);

/* CK_OK when the ticket is durable (or may wait to be: on_save_failure = "continue", see
 * backlog.h), CK_E_PENDING when not yet; otherwise the session's failure. */
CK_CHECKED ck_status ck_session_check(ck_session *self, uint64_t ticket, ck_error *err);
CK_CHECKED ck_status ck_session_wait(ck_session *self, uint64_t ticket, ck_error *err);
/* True when a ticket that may be gone on from is not durable, because saving fails. */
bool ck_session_is_unsaved(ck_session *self, uint64_t ticket);
void ck_session_get_saving(ck_saving *out, const ck_session *self);
/* Appends an event when saving has begun to fail, or works again; true in *changed then. */
CK_CHECKED ck_status ck_session_watch_saving(ck_saving *out, bool *changed, ck_session *self,
                                             ck_error *err);
/* Commits all appended events and waits. Nothing is left waiting on CK_OK. */
CK_CHECKED ck_status ck_session_flush(ck_session *self, ck_durability durability, ck_error *err);
/* Commits what is pending at the given durability without waiting. Nothing pending: the last
 * ticket. What is process-durable may wait where saving fails; what must be power-durable never
 * does. */
CK_CHECKED ck_status ck_session_push(uint64_t *ticket, ck_session *self, ck_durability durability,
                                     ck_error *err);

/* Ends the run: a boundary of the fitting kind, what the policies prune (of a run that completes or
 * pauses), the closing event, the status; returns when all is power-durable. `reason` and `result`
 * may be NULL. */
CK_CHECKED ck_status ck_session_end(ck_session *self, ck_session_status status, const char *reason,
                                    const ck_value *result, ck_error *err);

/* Deletes a session that has ended, and all that is known of it; only its getters and
 * ck_session_close may follow. CK_E_REFUSED: it has forks. */
CK_CHECKED ck_status ck_session_delete(ck_session *self, ck_error *err);

/* Conversations, by scope; made empty (or refolded from the transcript after a resume) when first
 * asked for. Borrowed. */
CK_CHECKED ck_status ck_session_conversation(ck_conversation **out, ck_session *self,
                                             const char *scope, ck_error *err);

#endif
