/* session_query.h - which sessions are looked for, so that the store itself leaves most of the
 * others out. */
#ifndef CK_STORE_SESSION_QUERY_H
#define CK_STORE_SESSION_QUERY_H

#include "core/store/store.h"

/* Zero-initialised: all. `statuses` and `since_ms` hold for each session that is visited. The rest
 * a backend may leave to the caller, who looks for himself at each one that he is given: of those
 * that he wants none is left out. */
typedef struct ck_session_query {
  uint64_t statuses; /* bit 1 << status; 0: all */
  int64_t since_ms;  /* changed since, or running: its row does not tell when it went on last */
  /* An event of its own has this agent, or one of these kinds (bit 1 << kind) and may name it as a
   * text of its body; NULL: any. */
  const char *agent;
  uint64_t others;
  /* Its flow's file, or that of one of its runs, may be called so: the path's last part; NULL:
   * any. */
  const char *flow_name;
  /* Who looks at many, and asks again for the one that he takes: input, description, node and
   * failure can be left out, and a row need not be what was written. The first three alone narrow
   * such a look. */
  bool lean;
} ck_session_query;

/* Newest first, as ck_store_list_sessions. */
CK_CHECKED ck_status ck_store_find_sessions(ck_store *self, const ck_session_query *query,
                                            ck_session_visit visit, void *to, ck_error *err);

#endif
