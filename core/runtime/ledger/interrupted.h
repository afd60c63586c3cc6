/* interrupted.h - what is known of an agent's turn that was begun and has no outcome: the agent's
 * own session, and its last calls. */
#ifndef CK_RUNTIME_LEDGER_INTERRUPTED_H
#define CK_RUNTIME_LEDGER_INTERRUPTED_H

#include "core/store/store.h"

enum { CK_INTERRUPTED_CALLS_MAX = 20 };

/* A JSON object, made of the updates of the turn `key` in that session of the store: of those
 * behind its last outcome that was ok or an error, for the request of its last intent: {session:
 * the agent's id of it, resumes?: "resume" | "load": how the agent says that it can go on with one,
 * calls: [{title?, kind?, status?, permission?}], the last ones, oldest first}. NULL in *out:
 * nothing is known. */
CK_CHECKED ck_status ck_interrupted_read(ck_value **out, ck_store *store, int64_t session,
                                         const char *key, ck_error *err);

#endif
