/* restarts.h - how often in a row a session died soon after it was resumed, without progress.
 * Within the runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_RESTARTS_H
#define CK_RUNTIME_SESSION_OPENING_RESTARTS_H

#include "core/store/store.h"

typedef struct ck_session ck_session;

/* What the record says of restarts when the session is gone on with now. */
CK_CHECKED ck_status ck_session_count_restart(ck_restarts *out, ck_session *self,
                                              const ck_head *head, ck_error *err);

#endif
