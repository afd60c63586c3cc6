/* imported_session.h - what a session that goes on from a session checkpoint has of it: the agents
 * with their tails, the delegations that were in flight, and whether a limit was hit. */
#ifndef CK_HOST_INSPECT_IMPORTED_SESSION_H
#define CK_HOST_INSPECT_IMPORTED_SESSION_H

#include "core/host/inspect/snapshot.h"
#include "core/host/print/document.h"
#include "core/runtime/session/tail/tail.h"

/* Zero-initialise; ck_imported_session_clear. */
typedef struct ck_imported_session {
  ck_value *document; /* the note of the import; NULL: the session is not imported */
  bool went_on;       /* it was resumed since: what was in flight is over */
} ck_imported_session;
CK_CHECKED ck_status ck_imported_session_read(ck_imported_session *out, const ck_snapshot *snapshot,
                                              ck_error *err);
void ck_imported_session_clear(ck_imported_session *self);

/* Spans of the document: its agents; one of them, no bytes when it has no such agent. */
ck_bytes ck_imported_session_agents(const ck_imported_session *self);
ck_bytes ck_imported_session_agent(const ck_imported_session *self, const char *name);
/* What was in flight; no bytes once the session was resumed. */
ck_bytes ck_imported_session_pending(const ck_imported_session *self);

/* Adds to `list` the last events of an agent, those of the document first: `n` at most. What the
 * import told the agent of them is left out. */
CK_CHECKED ck_status ck_imported_session_put_tail(ck_document *document, struct cJSON *list,
                                                  const ck_imported_session *self,
                                                  const char *agent, const ck_tail *own, size_t n,
                                                  ck_error *err);

#endif
