/* session_sums.h - what a session's calls come to, as its checkpoints keep it. */
#ifndef CK_STORE_SESSION_SUMS_H
#define CK_STORE_SESSION_SUMS_H

#include "core/model/sums.h"
#include "core/store/store.h"

/* Of all events up to seq `until`, of all timelines, inherited ones too: what the newest checkpoint
 * up to there keeps or points at (out->kept), and the events behind that one. Where none keeps it
 * all events are read; but when `until` is beyond `most` (0: no bound), out->failed. Caller clears,
 * also behind a failure. */
CK_CHECKED ck_status ck_store_get_sums(ck_sums *out, ck_store *self, int64_t session, int64_t until,
                                       int64_t most, ck_error *err);

#endif
