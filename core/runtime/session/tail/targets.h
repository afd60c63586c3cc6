/* targets.h - the agents that a delegation names. */
#ifndef CK_RUNTIME_SESSION_TAIL_TARGETS_H
#define CK_RUNTIME_SESSION_TAIL_TARGETS_H

#include "core/base/json.h"

/* A target's name, a JSON string; false: enough. */
typedef bool (*ck_target_visit)(void *to, ck_bytes name);

/* Visits the targets of a delegation's body: those in `target`, `targets`, `parallel` and
 * `sequential`, one or a list, each a string or an object with a string `agent`, `target` or
 * `agentId`. False: the visit had enough. */
bool ck_targets_visit(ck_bytes body, ck_target_visit visit, void *to);

#endif
