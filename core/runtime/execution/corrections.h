/* corrections.h - what a person found out about calls after a model was told that their outcome is
 * unknown: it enters the conversation before the next request that is not replayed.
 *
 * What was recorded stays as it is. A correction is due when its scope's conversation holds the
 * call, and not yet the correction; so one that a rewind took away is told again. The texts are an
 * outcome below the request's key: another resume gives the same texts at the same request. */
#ifndef CK_RUNTIME_EXECUTION_CORRECTIONS_H
#define CK_RUNTIME_EXECUTION_CORRECTIONS_H

#include "core/runtime/execution/call_private.h"

/* Finds those of the session, when it is opened. */
CK_CHECKED ck_status ck_corrections_open(ck_execution *self, ck_error *err);
/* Gives a request the corrections that it got in an earlier process; false in *told: none. */
CK_CHECKED ck_status ck_corrections_restore(bool *told, ck_call *call, ck_error *err);
/* Gives it those that are due. */
CK_CHECKED ck_status ck_corrections_tell(bool *told, ck_call *call, ck_error *err);

#endif
