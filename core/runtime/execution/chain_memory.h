/* chain_memory.h - which model of a chain answered last in the place of one that has failed: for a
 * time, or as long as the session lives, that one is asked first (fallback_for of the profile).
 *
 * Each outcome of such a chain says it, {model?: who answered, first: {model: the flow's, failed?:
 * when that one failed}}, so that a resume goes on as the session was. */
#ifndef CK_RUNTIME_EXECUTION_CHAIN_MEMORY_H
#define CK_RUNTIME_EXECUTION_CHAIN_MEMORY_H

#include "core/runtime/execution/call_private.h"

/* Takes what an outcome's body, recorded or replayed, says. */
CK_CHECKED ck_status ck_chain_memory_take(ck_execution *self, ck_bytes body, ck_error *err);
/* Who answered last in the place of `first`, {model?, first}; NULL: nobody, or it is not known. */
CK_CHECKED ck_status ck_chain_memory_get(const ck_value **out, ck_execution *self,
                                         const ck_profile_model *first, ck_error *err);

#endif
