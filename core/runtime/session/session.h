/* session.h - one durable execution: its transcript, its keyed state, its boundaries. Start reading
 * here.
 *
 *   start or resume  ->  append, put, effects  ->  boundary (policy decides)  ->  checkpoint queued
 *                    ->  durable
 *
 * A session has a transcript (events, numbered by seq, never changed) and a state (keys and JSON
 * values). Events are durable soon after they are appended; the state is durable as of the last
 * checkpoint. A checkpoint can be taken at a boundary only: the policies decide, or the boundary's
 * kind does. A resume continues from a checkpoint, on a new timeline of the transcript; outcomes
 * that are recorded behind it are replayed from the ledger instead of being done again.
 *
 *   opening/start.h    a new session                     ck_session_start
 *   opening/resume.h   an existing session goes on       ck_session_resume
 *   transcript.h       events, from append to durable    ck_session_append, _push, _wait, _flush
 *   state.h            keys and values                   ck_session_put, ck_session_get
 *   scopes.h           conversations                     ck_session_conversation
 *   boundary.h         where a checkpoint may be taken   ck_session_boundary
 *   saving.h           saving fails, or works again      ck_session_get_saving, _watch_saving
 *   totals.h           money, tokens, calls, time        ck_session_totals
 *   redaction.h        secrets                           ck_session_register_secrets
 *   end.h              the end of a run                  ck_session_end, ck_session_delete
 *   policy.h           contract with a policy engine     ck_policy_engine
 *   flow.h             contract with a flow engine       ck_flow_engine
 *
 * This file includes all of them but flow.h: a program that drives sessions itself needs no other
 * header of this room. The part of a header below "within the runtime" is for core/runtime only.
 * The fields are in session_private.h, with the file that writes each.
 *
 * A session is used by one thread at a time. Nothing blocks except ck_session_wait,
 * ck_session_flush and the closing calls, a boundary at which pruning is due (the profile's
 * prune_every_n_nodes), and any call while the writer's queue is full. After the store failed or
 * the session was fenced, every call that writes answers with that same error. */
#ifndef CK_RUNTIME_SESSION_SESSION_H
#define CK_RUNTIME_SESSION_SESSION_H

#include "core/runtime/session/boundary.h"
#include "core/runtime/session/end.h"
#include "core/runtime/session/opening/resume.h"
#include "core/runtime/session/opening/start.h"
#include "core/runtime/session/redaction.h"
#include "core/runtime/session/saving.h"
#include "core/runtime/session/scopes.h"
#include "core/runtime/session/state.h"
#include "core/runtime/session/totals.h"
#include "core/runtime/session/transcript.h"

typedef struct ck_session ck_session;

/* Waits for what is queued, releases the session's lock, frees. A session closed without an end is
 * left as paused and can be resumed from its latest checkpoint, as after a crash; unlike one it
 * does not count as a death (see opening/resume.h). NULL is fine. */
void ck_session_close(ck_session *self);

/* Borrowed for the session's life. */
const char *ck_session_id(const ck_session *self);
/* Id of this process's attempt at the session, "run_<uuid>". */
const char *ck_session_run(const ck_session *self);
/* The run that this one goes on from; NULL: it is the session's first. */
const char *ck_session_parent_run(const ck_session *self);
/* The session's row; its status as this run knows it. */
const ck_session_record *ck_session_get_record(const ck_session *self);
/* From 1. It rises where recorded outcomes may not simply be replayed: see ck_ledger_plan. */
uint32_t ck_session_attempt(const ck_session *self);
/* seq of this run's first event. */
int64_t ck_session_first_seq(const ck_session *self);
/* seq of the checkpoint this run went on from; 0: from the first event. */
int64_t ck_session_resumed_from(const ck_session *self);

/* ---- within ckrun ---- */

#include "core/runtime/session/policy.h"

/* CK_E_LAPSED: its lease could not be renewed in time; nothing is begun or written any more. */
CK_CHECKED ck_status ck_session_check_lease(const ck_session *self, ck_error *err);

#endif
