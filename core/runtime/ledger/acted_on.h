/* acted_on.h - whether something was done on a model's answer. Private to core/runtime/ledger/. */
#ifndef CK_RUNTIME_LEDGER_ACTED_ON_H
#define CK_RUNTIME_LEDGER_ACTED_ON_H

#include "core/runtime/ledger/ledger.h"

/* `answer`, a model's, calls tools, and something that may not simply run again was begun behind it
 * in the same turn. */
bool ck_ledger_was_acted_on(const ck_ledger *self, const ck_ledger_entry *answer);

#endif
