/* limits.h - constraints while a session runs: how much the session and each agent have spent,
 * against their limits.
 *
 * An effect's cost counts for the session, for its agent and for every agent above it, so a
 * delegated child can never get more than those above it have left. It is checked before the effect
 * begins, with the amounts reserved for effects under way; so where a price is known beforehand, a
 * limit is never passed. */
#ifndef CK_RUNTIME_EXECUTION_LIMITS_H
#define CK_RUNTIME_EXECUTION_LIMITS_H

#include "core/runtime/execution/call_private.h"
#include "core/runtime/budget/usage.h"

void ck_limits_get(ck_limits_usage *out, const ck_session *session);
/* The same for one agent. */
void ck_limits_get_agent(ck_limits_usage *out, const ck_session *session, const char *agent);

/* Calls `visit` for each limit, of the session and of its agents, that has nothing left, or too
 * little for what is to begin. `unsettled`: micro-dollars that paid calls may have cost the
 * session. `last`: the hit at which the session stopped, its `asked` what is begun there again;
 * NULL: at none. */
void ck_limits_visit_used_up(const ck_session *session, int64_t unsettled, const ck_limit_hit *last,
                             void (*visit)(void *to, const ck_limit_hit *hit), void *to);

/* Whether the call may begin. If not, it waits until others have ended that may take less than they
 * have reserved; or the profile's on_limit has been carried out: the call is left, or waits for a
 * person. */
CK_CHECKED ck_status ck_limits_admit(bool *within, ck_call *call, ck_error *err);
/* What the tightest limits leave to the call, of all who pay for it; false: neither money nor
 * tokens are limited. */
bool ck_limits_get_left(ck_allowance *out, const ck_call *call);
/* The limit of `dimension` that leaves it least, of all who pay for it; asked: -1. Borrows the name
 * of the agent from the call's payers. */
void ck_limits_get_tightest(ck_limit_hit *out, const ck_call *call, ck_dimension dimension);
/* on_limit = "ask": applies the answer that is there (true in *raised when it was a new limit), or
 * waits for one. */
CK_CHECKED ck_status ck_limits_ask(bool *raised, ck_call *call, const ck_limit_hit *hit,
                                   ck_error *err);
/* The call is within its limits by now: a question about one of them needs no answer any more. */
CK_CHECKED ck_status ck_limits_withdraw(ck_call *call, ck_error *err);
/* Everything has come to rest: where a limit ends the session, the reason says what is spent by
 * now, as calls that were under way have ended since. */
void ck_limits_update_ending(ck_execution *execution);
/* The outcome of the call is recorded: its time counts, and limits that come near are reported. */
CK_CHECKED ck_status ck_limits_count(ck_call *call, ck_error *err);
/* A boundary is about to be saved: rounds of the session count there, and an agent that has no turn
 * left stops. */
CK_CHECKED ck_status ck_limits_reach(ck_execution *execution, const ck_boundary *at, ck_error *err);
/* Applies a person's answer to a limit that a call waits at: a number (the new limit: true in
 * *raised, the call may try again) or "stop". CK_E_USAGE for anything else. */
CK_CHECKED ck_status ck_limits_answer(bool *raised, ck_call *call, const char *text, ck_error *err);

#endif
