/* pause_reason.h - reasons of a pause that programs act on: the session may be gone on with by
 * whoever runs it, at once or from a moment on. Any other reason is a person's. */
#ifndef CK_MODEL_PAUSE_REASON_H
#define CK_MODEL_PAUSE_REASON_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/clock.h"
#include "core/base/error.h"

#define CK_PAUSE_QUEUED "queued"
/* And a moment, as ck_time_text writes it. */
#define CK_PAUSE_SLEEPING "sleeping until "
#define CK_PAUSE_RETRYING "retrying at "

/* One of them as somebody else said it. */
#define CK_PAUSE_QUOTED "paused: %s"

enum { CK_PAUSE_REASON_SIZE = sizeof CK_PAUSE_SLEEPING + CK_TIME_TEXT_SIZE };

void ck_pause_reason_sleeping(char out[CK_PAUSE_REASON_SIZE], int64_t until_ms);
/* Until a try that a policy asked for. */
void ck_pause_reason_retrying(char out[CK_PAUSE_REASON_SIZE], int64_t at_ms);
/* True for one of them; then *from_ms is the moment, in wall time; 0: at once. `reason` NULL: no
 * reason is known. */
bool ck_pause_reason_goes_on(int64_t *from_ms, const char *reason);
/* For whoever pauses a session that is to stay so: CK_E_USAGE, one of them. NULL is fine. */
CK_CHECKED ck_status ck_pause_reason_check(const char *reason, ck_error *err);

#endif
