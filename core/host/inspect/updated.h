/* updated.h - when something last happened in a session. */
#ifndef CK_HOST_INSPECT_UPDATED_H
#define CK_HOST_INSPECT_UPDATED_H

#include "core/store/store.h"

/* A session's row is written when its status changes. Sets `updated_ms` of one that is running, or
 * was when its process died, to the time of its last event, where that is later. */
CK_CHECKED ck_status ck_updated_read(ck_session_record *record, ck_store *store, ck_error *err);

#endif
