/* sql_older.h - the reading statements, where they differ, for stores of older schemas, which are
 * only read. Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_SQL_OLDER_H
#define CK_STORE_SQLITE_SQL_OLDER_H

#include "core/store/sqlite/sql_columns.h"

#define CK_SQL_SESSION_1_IS_SOUND                                                           \
  "\"check\" = row_check('session', id, status, reason, epoch, timeline, run, created_ms, " \
  "updated_ms, profile, flow, input)"
#define CK_SQL_SESSION_1                                                                  \
  "no, id, status, reason, epoch, timeline, run, created_ms, updated_ms, profile, flow, " \
  "input, " CK_SQL_SESSION_1_IS_SOUND ", NULL, 0, 0, 0, 0, 0, NULL, NULL"

#define CK_SQL_SESSION_2_IS_SOUND                                                           \
  "\"check\" = row_check('session', id, status, reason, epoch, timeline, run, created_ms, " \
  "updated_ms, profile, flow, input, failure, origin, cut, restarts, restarted_ms, progress)"
#define CK_SQL_SESSION_2                                                                  \
  "no, id, status, reason, epoch, timeline, run, created_ms, updated_ms, profile, flow, " \
  "input, " CK_SQL_SESSION_2_IS_SOUND ", failure, origin, cut, restarts, restarted_ms, "  \
  "progress, NULL, NULL"
#define CK_SQL_TIMELINE_2_IS_SOUND                                                               \
  "\"check\" = row_check('timeline', session, no, parent, cut, \"begin\", checkpoint, attempt, " \
  "run, parent_run)"

/* Of ck_session_query: agent and flow are left to the caller. */
#define CK_SQL_MAY_BE_LISTED                                                     \
  "?1 >> status & 1 AND (updated_ms >= ?2 OR status = 1) AND (?3 IS NULL OR ?4 " \
  "IS NOT NULL) AND (?5 IS NULL OR length(?5)) AND (?6 IS NULL OR length(?6))"

/* X(enumerator, text): up to schema 2. */
#define CK_SQL_SCHEMA_2_TABLE(X)                                                                   \
  X(CK_SQL_GET_SESSION, "SELECT " CK_SQL_SESSION_2 " FROM session WHERE id = ?")                   \
  X(CK_SQL_LIST_SESSIONS,                                                                          \
    "SELECT " CK_SQL_SESSION_2 " FROM session WHERE " CK_SQL_MAY_BE_LISTED " ORDER BY no DESC")    \
  X(CK_SQL_GET_IDENTITY,                                                                           \
    "SELECT id, origin, cut, " CK_SQL_SESSION_2_IS_SOUND ", created_ms FROM session WHERE no = ?") \
  X(CK_SQL_LIST_FORKS,                                                                             \
    "SELECT " CK_SQL_SESSION_2 " FROM session WHERE origin = ?1 AND origin > 0 ORDER BY no")       \
  X(CK_SQL_LIST_TIMELINES,                                                                         \
    "SELECT no, parent, cut, \"begin\", checkpoint, attempt, run, "                                \
    "parent_run, " CK_SQL_TIMELINE_2_IS_SOUND " FROM timeline WHERE session = ? ORDER BY no")      \
  X(CK_SQL_GET_HEAD, "SELECT 0 WHERE ?1 < 0")                                                      \
  X(CK_SQL_GET_ABOUT, "SELECT NULL, 1, '' WHERE ?1 < 0 OR ?2 < 0")                                 \
  X(CK_SQL_EVENTS, CK_SQL_READ_EVENTS("NULL"))                                                     \
  X(CK_SQL_EVENTS_BACKWARD, CK_SQL_READ_EVENTS("NULL") " DESC")

/* X(enumerator, text): schema 1, where it differs from schema 2 again. */
#define CK_SQL_SCHEMA_1_TABLE(X)                                                                \
  X(CK_SQL_GET_SESSION, "SELECT " CK_SQL_SESSION_1 " FROM session WHERE id = ?")                \
  X(CK_SQL_LIST_SESSIONS,                                                                       \
    "SELECT " CK_SQL_SESSION_1 " FROM session WHERE " CK_SQL_MAY_BE_LISTED " ORDER BY no DESC") \
  X(CK_SQL_GET_IDENTITY,                                                                        \
    "SELECT id, 0, 0, " CK_SQL_SESSION_1_IS_SOUND ", created_ms FROM session WHERE no = ?")     \
  X(CK_SQL_LIST_FORKS, "SELECT " CK_SQL_SESSION_1 " FROM session WHERE ?1 < 0")                 \
  X(CK_SQL_LIST_BASES, "SELECT 0 WHERE ?1 < 0")                                                 \
  X(CK_SQL_LIST_PINS, "SELECT 0, 1 WHERE ?1 < 0")

#endif
