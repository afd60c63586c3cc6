/* run_record.h - the history of a run whose main scope holds no conversation: what the user wanted,
 * and each completed node, step or round as a call with its result. */
#ifndef CK_RUNTIME_PORTABLE_RUN_RECORD_H
#define CK_RUNTIME_PORTABLE_RUN_RECORD_H

#include "core/runtime/portable/chat.h"
#include "core/runtime/portable/run_observation.h"

/* Adds the messages of all units. A result is the node's output where `state` (NULL: none) has it
 * and no later visit gave another, else what was said in the unit last. */
CK_CHECKED ck_status ck_run_record_add(ck_chat *to, const ck_run_observation *observed,
                                       ck_store *store, int64_t session, const ck_state *state,
                                       ck_error *err);

#endif
