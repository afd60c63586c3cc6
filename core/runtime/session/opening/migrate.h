/* migrate.h - a session that an older version of its flow left. */
#ifndef CK_RUNTIME_SESSION_OPENING_MIGRATE_H
#define CK_RUNTIME_SESSION_OPENING_MIGRATE_H

#include "core/runtime/session/session.h"

/* The version of the flow that left the session; 0: it had none. */
int64_t ck_session_flow_version(const ck_session_record *record, const ck_state *state);
/* `*out` is the state's document for version `version`, or NULL when nothing is to be migrated.
 * `version` -1: not checked. CK_E_REFUSED: no policy migrates; CK_E_POLICY: the hook failed, or did
 * not return a document. Nothing was changed. */
CK_CHECKED ck_status ck_session_migrate(ck_value **out, ck_session *self,
                                        const ck_session_record *record, int64_t version,
                                        ck_error *err);
/* Makes the document the state: an edit event for each key that differs, then an edit checkpoint.
 * `document` NULL: nothing. */
CK_CHECKED ck_status ck_session_make_migration(ck_session *self, const ck_value *document,
                                               int64_t version, ck_error *err);

#endif
