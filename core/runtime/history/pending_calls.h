/* pending_calls.h - what a model's answer calls, at a checkpoint that was taken before the calls
 * are made. */
#ifndef CK_RUNTIME_HISTORY_PENDING_CALLS_H
#define CK_RUNTIME_HISTORY_PENDING_CALLS_H

#include "core/runtime/session/session.h"

/* In a position (the value of position.<scope>): the calls, [{tool, class?, id?}, …] in their
 * order. Empty: it is not before calls. */
ck_bytes ck_pending_calls_of(ck_bytes position);

/* A fork makes the calls that its state holds. Of these, and of what functions of the flow that are
 * called so ask for, its origin has begun some behind the event `after`: those that must not be
 * repeated unasked (of class once or reconcilable) become intents without an outcome in the fork,
 * which is in doubt of them, whatever came of them in the origin. `origin`: its number. */
CK_CHECKED ck_status ck_pending_calls_doubt(ck_session *fork, int64_t origin, int64_t after,
                                            ck_error *err);

#endif
