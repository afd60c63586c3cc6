/* said_masked.h - which placeholders stand for what a person said. Within the runtime. */
#ifndef CK_RUNTIME_EXECUTION_SAID_MASKED_H
#define CK_RUNTIME_EXECUTION_SAID_MASKED_H

#include "core/runtime/execution/call_private.h"

/* The outcome of the call, when it is a person's answer, is looked through for later calls. */
CK_CHECKED ck_status ck_said_masked_keep(ck_call *self, ck_error *err);
/* The first placeholder in the call's request that stands in an answer, of this run or of earlier
 * ones, or in what a person said that an effect returned; and the key of that effect. Borrowed of
 * call, ledger and execution. */
bool ck_said_masked_find(ck_bytes *placeholder, ck_bytes *key, const ck_call *self);
/* The same of a stored request, and of earlier runs alone. */
bool ck_said_masked_before(const ck_ledger *ledger, ck_bytes request);

#endif
