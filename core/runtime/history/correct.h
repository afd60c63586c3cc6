/* correct.h - a person finds out what became of a call whose outcome was recorded as unknown, and
 * of which a model was told so. */
#ifndef CK_RUNTIME_HISTORY_CORRECT_H
#define CK_RUNTIME_HISTORY_CORRECT_H

#include "core/runtime/commit/runtime.h"
#include "core/runtime/ledger/ledger.h"

/* Records a resolution {key, verdict, result?, call, name, correction}. The recorded outcome stays,
 * and so does what was replayed of it: `correction`, a text made of verdict ("done", "retry",
 * "abort") and result (JSON; NULL), enters the conversation of whoever made the call before its
 * next request to a model that is not replayed, see core/runtime/execution/corrections.h. The
 * session keeps its status. `entry` is the effect's, of all timelines. CK_E_NOT_FOUND: its outcome
 * is not unknown; CK_E_REFUSED: no model made the call, or the session has ended; CK_E_OWNED. */
CK_CHECKED ck_status ck_session_correct(ck_runtime *runtime, const char *id,
                                        const ck_ledger_entry *entry, const char *verdict,
                                        const ck_value *result, ck_error *err);

#endif
