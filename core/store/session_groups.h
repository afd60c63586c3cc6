/* session_groups.h - how many sessions a store has, by how they stand: one question, whatever their
 * number. */
#ifndef CK_STORE_SESSION_GROUPS_H
#define CK_STORE_SESSION_GROUPS_H

#include "core/store/store.h"

/* Sessions that stand alike. */
typedef struct ck_session_group {
  ck_session_status status;
  const char *reason; /* of those that are paused; NULL otherwise, or where there is none */
  int64_t count;
  int64_t updated_ms; /* of the one that has changed longest ago */
} ck_session_group;
/* False: no further one. */
typedef bool (*ck_session_group_visit)(void *to, const ck_session_group *group);

/* Several groups may stand alike: a sealed store, whose reasons it cannot compare itself, tells of
 * each session. Rows are not held to their checks. CK_E_IO. */
CK_CHECKED ck_status ck_store_group_sessions(ck_store *self, ck_session_group_visit visit, void *to,
                                             ck_error *err);

/* ---- for backends ---- */

/* NULL: all sessions are listed instead. */
typedef ck_status (*ck_session_grouping)(void *self, ck_session_group_visit visit, void *to,
                                         ck_error *err);

#endif
