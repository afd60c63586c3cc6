/* prune.h - drops checkpoints of a running session's history. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_PRUNE_H
#define CK_RUNTIME_SESSION_PRUNE_H

#include "core/model/boundary.h"

typedef struct ck_session ck_session;

/* Whether the profile has pruning done behind the checkpoint of this boundary. A run that ends
 * prunes by itself. */
bool ck_session_prune_is_due(const ck_session *self, const ck_boundary *at);
/* Asks the policies which checkpoints of the history go, drops them (waiting for all that is
 * queued), and records what was dropped. A hook or a prune that fails drops nothing and fails
 * nothing. */
CK_CHECKED ck_status ck_session_prune(ck_session *self, ck_error *err);
/* Drops all but the latest `keep`; -1: as the policies say. */
CK_CHECKED ck_status ck_session_prune_to(ck_session *self, int64_t keep, ck_error *err);

#endif
