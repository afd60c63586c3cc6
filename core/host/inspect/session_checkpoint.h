/* session_checkpoint.h - a paused session of several agents as one document: constraints, agents
 * with their tails, pending delegations. */
#ifndef CK_HOST_INSPECT_SESSION_CHECKPOINT_H
#define CK_HOST_INSPECT_SESSION_CHECKPOINT_H

#include "core/host/inspect/snapshot.h"
#include "core/host/print/document.h"

/* Adds sessionId, constraintState, activeAgents, roundsCompleted, pendingDelegations,
 * transcriptReplayDepth, createdAt.
 *
 * The latest checkpoint's, and what was spent by now, unless one is named: then what was spent
 * until there.
 *
 * constraintState: by dimension (budget in micro-dollars, time in milliseconds, rounds, tokens,
 * tool_calls, model_calls)
 *   {spent, limit?, minimum?}, and approaching [DIMENSION], hit, hit_reason?, constraint_conflict.
 * activeAgents: {agentId, parentAgentId?, depth, conversationTail [event], expertiseSnapshot?}:
 * every agent that has a scope, has
 *   spent something, or has a scratch pad. depth 0 has no agent above it that is somebody's child.
 * pendingDelegations: {id (of the delegation; else the scope's name), scope, target?,
 * parentAgentId?, task?}: scopes that were opened and have not ended. */
CK_CHECKED ck_status ck_session_checkpoint_put(ck_document *document, struct cJSON *at,
                                               const ck_snapshot *snapshot, ck_error *err);

#endif
