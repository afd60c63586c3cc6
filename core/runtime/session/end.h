/* end.h - the end of a run, and of a session. */
#ifndef CK_RUNTIME_SESSION_END_H
#define CK_RUNTIME_SESSION_END_H

#include <stdbool.h>

#include "core/model/session.h"
#include "core/model/value.h"

typedef struct ck_session ck_session;

/* Ends the run: a boundary of the fitting kind, the policies' pruning (of a run that completes or
 * pauses), the closing event, the status; returns when all is power-durable. `reason` and `result`
 * may be NULL. CK_E_USAGE: paused for a reason of a session that workers go on with ("queued",
 * "answered", "resolved", "sleeping until …", "retrying at …"). */
CK_CHECKED ck_status ck_session_end(ck_session *self, ck_session_status status, const char *reason,
                                    const ck_value *result, ck_error *err);

/* Ends the run as paused, with a checkpoint here; `reason` NULL: "user_requested". A session that
 * another process or thread runs is paused by ck_request_pause (requests.h). */
CK_CHECKED ck_status ck_session_pause(ck_session *self, const char *reason, ck_error *err);
/* Pauses a session that is left in the middle of something, without a checkpoint of its own: it is
 * resumed from its latest one. Where the store has failed, or the session is fenced, it stays as it
 * is. No effect after an end. A reason that workers go on for is kept as one that was quoted. */
void ck_session_leave(ck_session *self, const char *reason);

/* Deletes a session that has ended, and all that is known of it; only its getters and
 * ck_session_close may follow. CK_E_REFUSED: it has forks. */
CK_CHECKED ck_status ck_session_delete(ck_session *self, ck_error *err);

/* ---- within the runtime ---- */

/* The same, also for a reason that programs act on (pause_reason.h): whoever gives one sees to it
 * that the session is gone on with. */
CK_CHECKED ck_status ck_session_end_for(ck_session *self, ck_session_status status,
                                        const char *reason, const ck_value *result, ck_error *err);
void ck_session_leave_for(ck_session *self, const char *reason);

/* After the run failed of something that is no fault of the session's (of the store, for want of
 * memory, before it had begun): tries, once and past the queue, to leave the session as paused,
 * without a checkpoint. `reason` NULL: the text of `cause`. A fenced session is left alone. False:
 * it did not work, or the session runs no more; one left `running` is resumable too. */
bool ck_session_park(ck_session *self, ck_status cause, const char *reason);

#endif
