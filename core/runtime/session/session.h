/* session.h - one durable execution: its transcript, its keyed state, its boundaries. Start reading
 * here.
 *
 *   start or resume  ->  append, put, effects  ->  boundary (policy decides)  ->  checkpoint queued
 *                    ->  durable
 *
 *   opening/start.h    a new session                  ck_session_start
 *   opening/resume.h   an existing one goes on        ck_session_resume
 *   transcript.h   what happened: events              ck_session_append, _push, _flush, _wait
 *   state.h        what is known: keys and values     ck_session_put, _get
 *   scopes.h       the conversations                  ck_session_conversation
 *   boundary.h     a place for a checkpoint           ck_session_boundary
 *   saving.h       whether the store takes it         ck_session_get_saving, _watch_saving
 *   totals.h       what was spent                     ck_session_totals
 *   redaction.h    its secrets                        ck_session_register_secrets
 *   end.h          the run's end                      ck_session_end, _delete
 *   policy.h       the questions a policy answers     contract with the policy engine
 *   flow.h         the steps a flow yields            contract with the flow engine
 *
 * This file includes them all but flow.h, so that it is enough for a program that drives sessions
 * itself. Below the line "within the runtime" a header declares what only core/runtime calls.
 *
 * A session is used by one thread at a time. Nothing blocks except ck_session_wait,
 * ck_session_flush and the closing calls, a boundary at which pruning is due (the profile's
 * prune_every_n_nodes), and any call while the writer's queue is full. After the store failed or
 * the session was fenced, every call that writes answers with that same error. */
#ifndef CK_RUNTIME_SESSION_SESSION_H
#define CK_RUNTIME_SESSION_SESSION_H

#include "core/runtime/session/boundary.h"
#include "core/runtime/session/end.h"
#include "core/runtime/session/policy.h"
#include "core/runtime/session/redaction.h"
#include "core/runtime/session/opening/resume.h"
#include "core/runtime/session/saving.h"
#include "core/runtime/session/scopes.h"
#include "core/runtime/session/opening/start.h"
#include "core/runtime/session/state.h"
#include "core/runtime/session/totals.h"
#include "core/runtime/session/transcript.h"

typedef struct ck_session ck_session;

/* Waits for what is queued, releases the session's lock, frees. The status in the store stays what
 * it is: a session closed without an end can be resumed, as after a crash. NULL is fine. */
void ck_session_close(ck_session *self);

/* All borrowed. */
const char *ck_session_id(const ck_session *self);
const char *ck_session_run(const ck_session *self);
const ck_session_record *ck_session_get_record(const ck_session *self);
/* From 1; it rises where effects that were done are asked for anew (see ledger.h). */
uint32_t ck_session_attempt(const ck_session *self);
/* seq of this run's first event. */
int64_t ck_session_first_seq(const ck_session *self);
/* seq of the checkpoint this run went on from; 0: from the first event. */
int64_t ck_session_resumed_from(const ck_session *self);

#endif
