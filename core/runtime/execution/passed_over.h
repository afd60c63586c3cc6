/* passed_over.h - a model that was to be asked in the place of another one, and may not be. */
#ifndef CK_RUNTIME_EXECUTION_PASSED_OVER_H
#define CK_RUNTIME_EXECUTION_PASSED_OVER_H

#include "core/runtime/execution/call_private.h"

/* What the policies and a person have said counts no more: they are asked about another model. */
void ck_call_renew_leave(ck_call *self);
/* Records the denial as its outcome: failed as the one before it has, which is told why nobody else
 * was asked. The call is CK_CALL_PASSED then. Takes `denied`. */
CK_CHECKED ck_status ck_call_pass_over(ck_call *self, ck_outcome *denied, const char *via,
                                       ck_error *err);

#endif
