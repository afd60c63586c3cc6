/* fallback.h - which model of the profile's chain is asked when another one has failed. */
#ifndef CK_RUNTIME_EXECUTION_FALLBACK_H
#define CK_RUNTIME_EXECUTION_FALLBACK_H

#include "core/runtime/execution/call_private.h"

/* A call that was not begun: where the chain remembers who answered last, it begins with that one
 * (see chain_memory.h). */
CK_CHECKED ck_status ck_fallback_begin(ck_call *self, const ck_ledger_entry *entry, ck_error *err);
/* The next model of the chain of the one that the flow asks, behind the one that was asked last,
 * that is asked after a failure of `cause`; CK_OK: after any. Behind the last one comes the flow's
 * own, where the call has not begun with that. NULL: there is none. The profile's. */
const char *ck_fallback_next(const ck_call *self, ck_status cause);
/* Asks it, with a reserve and tries of its own. */
CK_CHECKED ck_status ck_fallback_ask(ck_call *self, const char *model, ck_error *err);
/* A call that was begun in an earlier run, and whose outcome is not known, may have been paid for:
 * the same model is asked again. So is one that a person was asked about, and has not begun. */
void ck_fallback_restore(ck_call *self, const ck_ledger_entry *entry);
/* The model that the body of an intent or an outcome names is the one that is asked. */
void ck_fallback_restore_body(ck_call *self, ck_bytes body);

#endif
