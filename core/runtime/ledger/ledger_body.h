/* ledger_body.h - the bodies of intents, outcomes and resolutions, written and read back.
 *
 * All names are JSON members.
 *
 *   intent      {key, attempt, kind, class, model?, digest, untrusted?, reserve?, for?, request,
 *               dropped? (of a question: see core/model/dropped_answer.h),
 *               limit? (of a question about one: its key)}
 *   outcome     {key, attempt, kind, status, via ("runtime": it was never begun), model?, digest,
 * list? (of what a server offers), message? | result?, error?, denied?, failure? (see ck_outcome),
 * cause? (of a failed one: its class), for?, cost?, reserved? (the part of the cost that is an
 * estimate), input_tokens?, output_tokens?, cache_read_tokens?, cache_write_tokens?, api? (of a
 * model: as profiles name it), untrusted?} resolution  {key, verdict, result?}
 *
 * `model`: that of the profile which is asked in the place of the request's, since that one has
 * failed. `untrusted` (core/model/sources.h) of an intent: what it may have been made of; of an
 * outcome: what its result may hold. `digest`: see request_digest.h. An outcome that produced a
 * message (model, tool, ask) holds the message; its result is read from there. */
#ifndef CK_RUNTIME_LEDGER_LEDGER_BODY_H
#define CK_RUNTIME_LEDGER_LEDGER_BODY_H

#include "core/model/session.h"
#include "core/runtime/ledger/ledger.h"

CK_CHECKED ck_status ck_ledger_write_intent(ck_value **out, const ck_effect *effect,
                                            const char *digest, ck_bytes request, ck_error *err);
/* The intent of an action in whose place another one was carried out before the session went back.
 * It is not begun until a policy or a person settles it: nobody here can tell whether the other
 * stands for it, or it is to be done as well. */
CK_CHECKED ck_status ck_ledger_write_blocked(ck_value **out, const ck_effect *effect,
                                             const char *digest, ck_bytes request, ck_error *err);
/* What a policy says of an effect in doubt: the body of a RESOLUTION, as a person's, with its
 * name. */
CK_CHECKED ck_status ck_ledger_write_policy_verdict(ck_value **out, const char *key,
                                                    const char *verdict, const char *policy,
                                                    ck_error *err);
/* True for such a body. */
bool ck_ledger_is_policy_verdict(ck_bytes body);
CK_CHECKED ck_status ck_ledger_write_outcome(ck_value **out, const ck_effect *effect,
                                             const ck_outcome *outcome, const char *digest,
                                             const char *via, const ck_value *message,
                                             ck_error *err);
/* The outcome of a paid call whose own was lost in a crash: failed, via "lost", at the cost that
 * its intent reserved, for the same payers. */
CK_CHECKED ck_status ck_ledger_write_unsettled(ck_value **out, const ck_ledger_entry *entry,
                                               ck_error *err);
/* True for the body of such an outcome. */
bool ck_ledger_is_unsettled(ck_bytes body);
/* The state of an effect with such an outcome. */
ck_ledger_state ck_ledger_read_state(ck_bytes body);
/* The body is that of an effect that policies or a person did not let begin. */
bool ck_ledger_was_denied(ck_bytes body);
/* The body is that of an effect that failed for now: a service that was away, or an effect that was
 * never carried out. */
bool ck_ledger_failed_in_passing(ck_bytes body);
/* The body is that of an effect that failed, or of a program (exec, agent) that ended badly: not of
 * one that was put off before it began, or that waits for a person, nor a tool's error, which is
 * told to the model. */
bool ck_ledger_is_failure(ck_bytes body);
/* The most that the call may cost, as its intent's body says, micro-dollars; 0: nothing. */
int64_t ck_ledger_read_reserve(ck_bytes intent);
/* The part of an outcome's cost that was counted at a reserve, micro-dollars. */
int64_t ck_ledger_read_reserved(ck_bytes body);
/* Both requests name a tool, and not the same one: neither's outcome can be the other's. */
bool ck_ledger_is_other_tool(ck_bytes request, ck_bytes recorded);
/* The same request but for the id that the model gave the call: each of its answers gives another
 * one. */
bool ck_ledger_is_same_action(ck_bytes request, ck_bytes recorded);
/* The outcome back from its event's body. */
CK_CHECKED ck_status ck_ledger_read_outcome(ck_outcome **out, const ck_value *body, int64_t seq,
                                            ck_error *err);
/* The status that a JSON string names, as "cause" does; `otherwise` when it names none. */
ck_status ck_ledger_read_status(ck_bytes name, ck_status otherwise);
/* The outcome that a person's resolution gives: done (with `result`, of a blocked one else that of
 * the same tool in its place, else a text that says so) or abort (unknown; of one that was never
 * begun an error). */
CK_CHECKED ck_status ck_ledger_read_resolution(ck_outcome **out, const ck_ledger_entry *entry,
                                               ck_error *err);
/* Adds the cost in an outcome's body. */
void ck_totals_add_outcome(ck_totals *totals, const ck_value *body);

#endif
