/* unsettled.h - paid calls of an earlier process whose outcome is lost: each counts at the reserve
 * of its intent.
 *
 * A call that may simply be made again is closed as lost when the session goes on, before anything
 * is admitted: an outcome "failed", via "lost", that costs the reserve for all its payers. A call
 * that a probe, a policy or a person can still settle stays open, and keeps its reserve until it is
 * settled. */
#ifndef CK_RUNTIME_EXECUTION_UNSETTLED_H
#define CK_RUNTIME_EXECUTION_UNSETTLED_H

#include "core/runtime/execution/call_private.h"

/* Closes them, or keeps their reserve, before the session goes on. */
CK_CHECKED ck_status ck_unsettled_open(ck_execution *self, ck_error *err);
/* The sum of their reserves, of a session that is only inspected. */
CK_CHECKED ck_status ck_unsettled_expect(int64_t *out, ck_session *session, ck_error *err);
/* What is reserved for the call: its cost when its outcome comes without a price; 0: nothing is
 * reserved for it. */
int64_t ck_unsettled_reserve(const ck_call *call);
/* The call is made again although it may have been billed: its first run is closed as lost. */
CK_CHECKED ck_status ck_unsettled_count(ck_call *call, ck_error *err);
/* The call never happened, or its outcome is about to be recorded: nothing is reserved for it any
 * more. */
void ck_unsettled_release(const ck_call *call);

#endif
