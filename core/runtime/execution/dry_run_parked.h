/* dry_run_parked.h - calls that waited for a person in a service of the run before. Within the
 * room. */
#ifndef CK_RUNTIME_EXECUTION_DRY_RUN_PARKED_H
#define CK_RUNTIME_EXECUTION_DRY_RUN_PARKED_H

#include "core/runtime/execution/dry_run.h"
#include "core/runtime/ledger/ledger.h"

/* What a resume makes of an effect whose outcome it would replay: where that says that its call
 * waits for a person's answer, and may not be repeated, the call that brings the answer finds
 * nobody who waits for it: it is in doubt, or probed. */
ck_dry_run_plan ck_dry_run_judge_parked(const ck_ledger *ledger, const ck_ledger_entry *entry);

#endif
