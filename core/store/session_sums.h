/* session_sums.h - what a session's calls come to, as its checkpoints keep it. */
#ifndef CK_STORE_SESSION_SUMS_H
#define CK_STORE_SESSION_SUMS_H

#include "core/model/sums.h"
#include "core/store/store.h"

typedef struct ck_sums_query {
  int64_t session;
  int64_t until; /* seq */
  int64_t most;  /* events that are read where no checkpoint keeps what is asked for; 0: no bound */
  bool said;     /* out->said is asked for, too; else out->untold */
} ck_sums_query;
/* Of all events up to `until`, of all timelines, inherited ones too: what the newest checkpoint up
 * to there keeps or points at (out->kept), and the events behind that one. Where none keeps it all
 * events are read; but when they are more than `most`, out->failed. Caller clears, also behind a
 * failure. */
CK_CHECKED ck_status ck_store_get_sums(ck_sums *out, ck_store *self, const ck_sums_query *query,
                                       ck_error *err);

#endif
