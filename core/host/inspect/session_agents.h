/* session_agents.h - the agents of a paused session and the delegations in flight, for
 * ck_session_checkpoint_put. */
#ifndef CK_HOST_INSPECT_SESSION_AGENTS_H
#define CK_HOST_INSPECT_SESSION_AGENTS_H

#include "core/host/inspect/snapshot.h"
#include "core/host/print/document.h"

/* Adds activeAgents and pendingDelegations, as session_checkpoint.h describes them. The parent and
 * the depth of an agent whose scope has ended are those of its last outcome's payers; a pad is the
 * one that the agent's scope reads. */
CK_CHECKED ck_status ck_session_agents_put(ck_document *document, struct cJSON *at,
                                           const ck_snapshot *snapshot, ck_error *err);

#endif
