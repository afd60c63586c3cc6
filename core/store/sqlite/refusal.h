/* refusal.h - what workers have said of a session, in a file beside its lock. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_REFUSAL_H
#define CK_STORE_SQLITE_REFUSAL_H

#include "core/store/sqlite/sqlite.h"

void ck_sqlite_add_refusals(ck_backend *backend);
/* Somebody has the session. */
void ck_sqlite_forget_refusals(const ck_sqlite *self, const char *session_id);

#endif
