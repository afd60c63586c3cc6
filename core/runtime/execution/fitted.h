/* fitted.h - an answer that a limit has cut off: it is told which one, and what gives later answers
 * room. */
#ifndef CK_RUNTIME_EXECUTION_FITTED_H
#define CK_RUNTIME_EXECUTION_FITTED_H

#include "core/runtime/execution/call_private.h"

/* The call's driver has fitted it to its limits, or not: keeps which limit it was. */
void ck_fitted_remember(ck_call *self);
/* Where the answer was cut off at what that limit left: names it in the outcome. */
void ck_fitted_tell(const ck_call *self, ck_outcome *outcome);

#endif
