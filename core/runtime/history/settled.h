/* settled.h - whether a session may be given away: a run elsewhere repeats what nobody told it
 * of. */
#ifndef CK_RUNTIME_HISTORY_SETTLED_H
#define CK_RUNTIME_HISTORY_SETTLED_H

#include "core/store/store.h"

/* CK_E_IN_DOUBT names an effect of class once or reconcilable that was begun and has no outcome,
 * and what settles it. A person's "retry" has settled it. "done" and "abort" have when a resume
 * recorded them: until then no document tells them. A session that has ended does nothing
 * again. `live`: a process runs the session, and the
 * effect. */
CK_CHECKED ck_status ck_session_check_settled(ck_store *store, const ck_head *head, bool live,
                                              ck_error *err);

#endif
