/* totals.h - what a session has spent, and the base from which its constraints count it.
 *
 * Totals never go back: money is the sum over all timelines. A dimension that a resume resets gets
 * the totals as its base; bases are the state key "base", so that a later resume inherits those
 * that continue. */
#ifndef CK_RUNTIME_SESSION_TOTALS_H
#define CK_RUNTIME_SESSION_TOTALS_H

#include "core/model/session.h"

typedef struct ck_session ck_session;

/* Borrowed. Its active time is that of the last checkpoint; see ck_session_active_us. */
const ck_totals *ck_session_totals(const ck_session *self);
/* The part of it that this run has recorded for calls which earlier runs began: those that it found
 * lost, or learnt the outcome of. Borrowed. */
const ck_totals *ck_session_earlier(const ck_session *self);

/* ---- within the runtime ---- */

#include "core/model/state.h"
#include "core/runtime/session/policy.h"
#include "core/store/store.h"

/* Monotonic time since the session first ran, over all runs, without what lay between them. */
int64_t ck_session_active_us(const ck_session *self);
/* Brings the totals' active time up to now. */
void ck_session_update_active(ck_session *self);
/* The run's active time counts from now. */
void ck_session_restart_active(ck_session *self);

/* Adds what an outcome's body says, to the totals and to each of its payers. */
CK_CHECKED ck_status ck_session_add_outcome(ck_session *self, const ck_value *body, ck_error *err);
/* What an outcome's body says, which is in the totals, is an earlier run's. */
void ck_session_add_earlier(ck_session *self, const ck_value *body);
/* A round of the session is over. */
void ck_session_add_round(ck_session *self);
CK_CHECKED ck_status ck_session_add_ms(ck_session *self, const char *agent, int64_t ms,
                                       ck_error *err);
/* Makes what agents have spent a key of the state, when it has changed. */
CK_CHECKED ck_status ck_session_put_spending(ck_session *self, ck_error *err);

/* What was spent up to the session's latest checkpoint, on whatever branch that lies; the session's
 * state is that of `from` (seq 0: the first event). Outcomes behind it are the caller's to add. */
CK_CHECKED ck_status ck_session_load_totals(ck_session *self, const ck_head *head,
                                            const ck_checkpoint_info *from, ck_error *err);
/* Active time of this run counts on from the totals'. */
void ck_session_continue_active(ck_session *self);
/* A fork: what its origin had spent is its own total, and the base of all its constraints. */
void ck_session_begin_totals(ck_session *self, const ck_totals *totals);

/* A session from elsewhere goes on here: what it had spent counts against every constraint. */
void ck_session_carry_totals(ck_session *self, const ck_totals *totals, int64_t rounds);
/* The same of each agent: {NAME: what it had spent}, as `agents` of the key "spending". */
CK_CHECKED ck_status ck_session_carry_agents(ck_session *self, ck_bytes agents, ck_error *err);

/* Takes the bases from the state (of a fork that goes back behind its beginning, those that it
 * began with), but the totals as the base of each dimension that is reset. */
CK_CHECKED ck_status ck_session_reset_base(ck_session *self, const ck_head *head,
                                           const ck_checkpoint_info *from,
                                           const ck_resume_rules *rules, ck_error *err);
/* The bases become state. */
CK_CHECKED ck_status ck_session_put_base(ck_session *self, ck_error *err);

#endif
