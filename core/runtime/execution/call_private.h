/* call_private.h - the effects that a strand waits for: begun, probed, recorded, replayed,
 * cancelled. */
#ifndef CK_RUNTIME_EXECUTION_CALL_PRIVATE_H
#define CK_RUNTIME_EXECUTION_CALL_PRIVATE_H

#include "core/runtime/execution/execution_private.h"

/* ---- call.c ---- */

/* The strand asked for effects: each is replayed, or its intent is committed, or the session
 * stops. */
CK_CHECKED ck_status ck_runner_begin_calls(ck_runner *self, ck_error *err);
/* Nothing stands against it any more but its limits. */
CK_CHECKED ck_status ck_call_commit_intent(ck_call *self, ck_error *err);
/* Neither ledger nor driver can tell what came of it: the policies decide. */
CK_CHECKED ck_status ck_call_settle_doubt(ck_call *self, ck_error *err);
CK_CHECKED ck_status ck_call_stop_in_doubt(ck_call *self);
/* The strand fails of it; what was asked for together with it is still waited for, and recorded. */
void ck_call_fail(ck_call *self, ck_status cause, const char *text);
/* What only waits, for a time or a person: put off when the session is to end, and never a sign of
 * trouble. */
bool ck_call_waits_only(const ck_effect *effect);
ck_session *ck_call_session(const ck_call *self);
/* Whether the driver (NULL: there is none) can tell what came of the effect. */
bool ck_driver_probes(const ck_effect_driver *driver, const ck_effect *effect);

/* ---- context.c ---- */

/* What an agent was told at this very call in an earlier process, it is told again; false in *told
 * when it was not. */
CK_CHECKED ck_status ck_call_restore_notifications(bool *told, ck_call *self, ck_error *err);
/* Tells an agent its tail where its context is gone. */
CK_CHECKED ck_status ck_call_notify_agent(bool *told, ck_call *self, ck_error *err);

/* ---- call_run.c ---- */

/* An effect that failed in this attempt fails again; not (false in *failed) where a policy would
 * have it tried again or by hand. */
CK_CHECKED ck_status ck_call_fail_again(bool *failed, ck_call *self, const ck_ledger_entry *entry,
                                        ck_error *err);
/* Its intent is committed, or it is to be probed: start the driver. */
CK_CHECKED ck_status ck_call_start(ck_call *self, ck_error *err);
/* One step of all of them; false in *moved when they wait. */
CK_CHECKED ck_status ck_runner_advance_calls(bool *moved, ck_runner *self, ck_error *err);
/* Nobody waits for them any more: what drivers deliver all the same is recorded; false in *closed
 * when some have not yet. */
CK_CHECKED ck_status ck_runner_close_calls(bool *closed, ck_runner *self, ck_error *err);
/* Cancels what its driver still does; `harmless` only: what is simply asked for again later
 * (sleeps, questions). */
void ck_runner_cancel_calls(ck_runner *self, bool harmless);
void ck_runner_drop_calls(ck_runner *self);
/* A person's answer to the question it waits for. */
CK_CHECKED ck_status ck_call_answer(ck_call *self, const char *text, ck_error *err);

/* ---- call_record.c ---- */

/* The outcome's event, folded and queued. Takes `outcome`, which becomes self->outcome. */
CK_CHECKED ck_status ck_call_record(ck_call *self, ck_outcome *outcome, const char *via,
                                    ck_error *err);
CK_CHECKED ck_status ck_call_replay(ck_call *self, const ck_ledger_entry *entry, ck_error *err);
CK_CHECKED ck_status ck_call_record_divergence(ck_call *self, const char *recorded, ck_error *err);
/* The message that a done effect adds to the conversation; NULL when it adds none. */
CK_CHECKED ck_status ck_call_make_message(ck_value **out, const ck_call *self, ck_error *err);
ck_durability ck_call_durability(const ck_effect *effect, const ck_outcome *outcome);
void ck_call_notify(const ck_call *self, const char *what);

#endif
