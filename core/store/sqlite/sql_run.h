/* sql_run.h - statements that run sessions: transactions, leases, rows, requests, facts. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_SQL_RUN_H
#define CK_STORE_SQLITE_SQL_RUN_H

#include "core/store/sqlite/sql_columns.h"

/* X(enumerator, text), as CK_SQL_TABLE. */
#define CK_SQL_RUN_TABLE(X)                                                                        \
  X(CK_SQL_BEGIN, "BEGIN IMMEDIATE")                                                               \
  X(CK_SQL_COMMIT, "COMMIT")                                                                       \
  X(CK_SQL_SIGN, "PRAGMA application_id=0x636b726e") /* as it is: it writes the first page */      \
  X(CK_SQL_ROLLBACK, "ROLLBACK")                                                                   \
  X(CK_SQL_EPOCH, "SELECT epoch, coalesce((SELECT max(seq) FROM event WHERE session = ?1), cut),"  \
                  " ?2 <= cut OR EXISTS (SELECT 1 FROM checkpoint WHERE session = ?1 AND seq = "   \
                  "?2) FROM session WHERE no = ?1")                                                \
  X(CK_SQL_EPOCH_ALONE, "SELECT epoch FROM session WHERE no = ?")                                  \
  X(CK_SQL_PUT_EVENT,                                                                              \
    "INSERT INTO event (session, seq, timeline, kind, at_ms, scope, agent, "                       \
    "encoding, plain_len, \"check\", mac,"                                                         \
    " key_id, body, decision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")                  \
  X(CK_SQL_PUT_CHECKPOINT, "INSERT INTO checkpoint (session, seq, id, parent, keyframe, "          \
                           "timeline, covers, kind, created_ms, clean,"                            \
                           " resumable, cost_micros, input_tokens, output_tokens, model_calls, "   \
                           "tool_calls, unmetered, active_us, changed,"                            \
                           " format, encoding, plain_len, events_digest, payload_digest, digest, " \
                           "mac, key_id, info, payload)"                                           \
                           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " \
                           "?, ?, ?, ?, ?, ?, ?, ?, ?)")                                           \
  X(CK_SQL_CHECK_SESSION, "SELECT " CK_SQL_SESSION_IS_SOUND " FROM session WHERE no = ?")          \
  X(CK_SQL_UPDATE_SESSION, "UPDATE session SET status = ?1, reason = ?2, updated_ms = ?3, "        \
                           "failure = ?5, node = ?6, \"check\" = " CK_SQL_CHECK_OF_SESSION(        \
                               "?1", "?2", "epoch", "timeline", "run", "?3", "?5", "origin, cut",  \
                               "restarts, restarted_ms, progress", "?6") " WHERE no = ?4")         \
  X(CK_SQL_NEXT_SESSION, "SELECT " CK_SQL_NEXT_SESSION_NO)                                         \
  X(CK_SQL_PUT_SESSION,                                                                            \
    "INSERT INTO session (no, id, status, epoch, timeline, run, created_ms, "                      \
    "updated_ms, profile, flow, input, reason,"                                                    \
    " failure, origin, cut, description, node, \"check\") VALUES (" CK_SQL_NEXT_SESSION_NO         \
    ", ?1, "                                                                                       \
    "?8, 1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?9,"                                                       \
    " ?10, ?11, ?12, ?13, ?14, row_check_grown('session', ?1, ?8, ?9, 1, ?2, ?3, ?4, ?4, ?5, "     \
    "?6, ?7, ?10, ?11, ?12, 0, 0, 0, ?13, ?14))")                                                  \
  X(CK_SQL_PUT_TIMELINE,                                                                           \
    "INSERT INTO timeline VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"                             \
    " row_check_grown('timeline', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10), ?10)")                 \
  X(CK_SQL_PUT_HEAD, "INSERT OR REPLACE INTO head VALUES (?1, ?2, ?3, ?4, ?5, NULL, NULL, ?6, ?7," \
                     " row_check('head', ?1, ?2, ?3, ?4, ?5, NULL, NULL, ?6, ?7))")                \
  X(CK_SQL_FIND_SESSION,                                                                           \
    "SELECT no, (SELECT max(no) FROM timeline WHERE session = session.no) FROM session"            \
    " WHERE id = ?")                                                                               \
  X(CK_SQL_ACQUIRE, "UPDATE session SET epoch = epoch + 1, status = ?6, reason = ?7, failure = "   \
                    "?8, node = ?12, timeline = ?1, run = ?2,"                                     \
                    " updated_ms = max(updated_ms, ?3), restarts = ?9, restarted_ms = ?10, "       \
                    "progress = ?11, \"check\" = " CK_SQL_CHECK_OF_SESSION(                        \
                        "?6", "?7", "epoch + 1", "?1", "?2", "max(updated_ms, ?3)", "?8",          \
                        "origin, cut", "?9, ?10, ?11", "?12") " WHERE no = ?4 AND epoch = ?5")     \
  X(CK_SQL_PUT_REQUEST,                                                                            \
    "INSERT INTO request (session, kind, body, \"check\")"                                         \
    " SELECT no, ?2, ?3, row_check('request', no, ?2, ?3) FROM session WHERE no = ?1")             \
  X(CK_SQL_GET_REQUEST,                                                                            \
    "SELECT epoch, r.no, r.kind, r.body, r.sound FROM session LEFT JOIN (SELECT"                   \
    " no, kind, body, " CK_SQL_REQUEST_IS_SOUND " AS sound FROM request"                           \
    " WHERE session = ?1 AND no > ?2 ORDER BY no LIMIT 1) r ON true"                               \
    " WHERE session.no = ?1")                                                                      \
  X(CK_SQL_DROP_REQUEST, "DELETE FROM request WHERE no = ?1 AND session = ?2")                     \
  X(CK_SQL_PUT_FACT,                                                                               \
    "INSERT OR REPLACE INTO fact VALUES (?1, ?2, ?3, ?4, row_check('fact', ?1, ?2, ?3, ?4))")      \
  X(CK_SQL_DROP_FACT, "DELETE FROM fact WHERE owner = ? AND key = ?")                              \
  X(CK_SQL_GET_FACT,                                                                               \
    "SELECT value, " CK_SQL_FACT_IS_SOUND " FROM fact WHERE owner = ? AND key = ?")                \
  X(CK_SQL_LIST_FACTS,                                                                             \
    "SELECT value, " CK_SQL_FACT_IS_SOUND ", owner, key, updated_ms FROM fact WHERE key >= ?1"     \
    " AND substr(CAST(key AS BLOB), 1, length(CAST(?1 AS BLOB))) = CAST(?1 AS BLOB)"               \
    " AND (owner = ?2 OR ?3) ORDER BY owner, key")                                                 \
  X(CK_SQL_HAS_BASE,                                                                               \
    "WITH RECURSIVE up(no, origin, cut) AS (SELECT no, origin, cut FROM session WHERE no = ?1 "    \
    "UNION ALL"                                                                                    \
    " SELECT s.no, s.origin, s.cut FROM up JOIN session s ON s.no = up.origin WHERE ?2 <= up.cut)" \
    " SELECT 1 FROM checkpoint WHERE session = (SELECT min(no) FROM up) AND seq = ?2 "             \
    "AND " CK_SQL_NOT_PRUNED)

#endif
