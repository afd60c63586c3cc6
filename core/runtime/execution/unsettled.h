/* unsettled.h - paid calls of an earlier process whose outcome nobody has: each counts at what was
 * reserved for it.
 *
 * What may simply be made again is closed as lost when the session goes on, before anything is
 * admitted: an outcome "failed", via "lost", that costs the reserve for all its payers. What a
 * probe, a policy or a person can still tell of stays open, and holds its reserve until it is
 * settled. */
#ifndef CK_RUNTIME_EXECUTION_UNSETTLED_H
#define CK_RUNTIME_EXECUTION_UNSETTLED_H

#include "core/runtime/execution/call_private.h"

CK_CHECKED ck_status ck_unsettled_open(ck_execution *self, ck_error *err);
/* What all of them reserved, of a session that is only looked at. */
CK_CHECKED ck_status ck_unsettled_expect(int64_t *out, ck_session *session, ck_error *err);
/* What is held of a budget, the session's (`agent` NULL) or an agent's, by calls that are not
 * settled. */
int64_t ck_unsettled_reserved(const ck_execution *self, const char *agent);
/* The same of one call: what it costs when its outcome comes without a price; 0: nothing is held
 * for it. */
int64_t ck_unsettled_reserve(const ck_call *call);
/* It is made again although it may have been billed: it is closed as lost. */
CK_CHECKED ck_status ck_unsettled_count(ck_call *call, ck_error *err);
/* It never happened, or its outcome is about to be recorded: nothing is held for it any more. */
void ck_unsettled_release(const ck_call *call);

#endif
