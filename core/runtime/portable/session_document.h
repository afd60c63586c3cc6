/* session_document.h - a paused session of several agents (what `sessions export --format
 * session-checkpoint` writes) as the beginning of a session that goes on.
 *
 *   {"sessionId", "constraintState": {DIMENSION: {"spent"}}, "activeAgents": [{"agentId", "depth",
 *    "conversationTail": [event], "expertiseSnapshot"?}], "roundsCompleted", "pendingDelegations",
 *    "transcriptReplayDepth", "createdAt", "ckrun"? (extension.h)}
 *
 * Conversations do not travel, their tails do: each agent's tail enters its context as the section
 * of tail_section.h, behind its prompt. */
#ifndef CK_RUNTIME_PORTABLE_SESSION_DOCUMENT_H
#define CK_RUNTIME_PORTABLE_SESSION_DOCUMENT_H

#include "core/runtime/session/flow_manifest.h"
#include "core/runtime/session/session.h"

/* The note of the import is of this type; it has the document's activeAgents, pendingDelegations
 * and constraintState. What it told an agent of its tail is a message with this member, true. */
#define CK_SESSION_DOCUMENT_NOTE "session_checkpoint"
#define CK_SESSION_DOCUMENT_TOLD "imported"

enum { CK_SESSION_DOCUMENT_ROUNDS_MAX = 1000000 };

/* Spans of the document's text. */
typedef struct ck_session_document {
  ck_bytes session, constraints, agents, pending, created;
  ck_bytes extension; /* no bytes: none */
  int64_t rounds;
} ck_session_document;

/* True for a JSON object that means to be one, however badly. */
bool ck_session_document_is(ck_bytes document);
/* Borrows `document`, which ck_json_check has accepted. CK_E_PARSE names the field. */
CK_CHECKED ck_status ck_session_document_read(ck_session_document *out, ck_bytes document,
                                              ck_error *err);
/* CK_E_REFUSED: the flow lacks an agent of the document. */
CK_CHECKED ck_status ck_session_document_check(const ck_session_document *self,
                                               const ck_flow_manifest *flow, ck_error *err);
/* Gives a new session of a flow.rounds what was spent, the agents' pads and tails, and the position
 * at the round behind the last completed one; ends its run as paused. */
CK_CHECKED ck_status ck_session_document_restore(const ck_session_document *self,
                                                 ck_session *session, const ck_flow_manifest *flow,
                                                 ck_error *err);

#endif
