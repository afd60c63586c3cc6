/* sql_maintenance.h - statements that pin, prune, fork and delete, and those of keys and recovery.
 * Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_SQL_MAINTENANCE_H
#define CK_STORE_SQLITE_SQL_MAINTENANCE_H

#include "core/store/sqlite/sql_columns.h"

#define CK_SQL_PUT_INVENTORY_TEXT                         \
  "INSERT OR REPLACE INTO meta VALUES ('inventory', ?1, " \
  "row_check('meta', 'inventory', ?1))"

/* X(enumerator, text), as CK_SQL_TABLE. */
#define CK_SQL_MAINTENANCE_TABLE(X)                                                                \
  X(CK_SQL_PRUNE,                                                                                  \
    "UPDATE checkpoint SET encoding = ?4, payload_digest = ?5, keyframe = iif(?6, 0, keyframe),"   \
    " plain_len = iif(?6, 0, plain_len), payload = iif(?6, zeroblob(0), payload), mac = ?7, "      \
    "key_id = ?8,"                                                                                 \
    " info = coalesce(?9, info)"                                                                   \
    " WHERE session = ?1 AND seq = ?2 AND digest = ?3")                                            \
  X(CK_SQL_RECOVERED,                                                                              \
    "INSERT INTO meta VALUES ('recovered', 1, row_check('meta', 'recovered', 1)) ON CONFLICT "     \
    "(key)"                                                                                        \
    " DO UPDATE SET value = value + 1, \"check\" = row_check('meta', key, value + 1)")             \
  X(CK_SQL_LIST_FORKS,                                                                             \
    "SELECT " CK_SQL_SESSION " FROM session WHERE origin = ?1 AND origin > 0 ORDER BY no")         \
  X(CK_SQL_LIST_BASES,                                                                             \
    "WITH RECURSIVE below(no, cut) AS (SELECT no, cut FROM session WHERE origin = ?1 AND origin "  \
    "> 0 UNION ALL"                                                                                \
    " SELECT s.no, min(s.cut, below.cut) FROM below JOIN session s ON s.origin = below.no AND "    \
    "s.origin > 0)"                                                                                \
    " SELECT DISTINCT checkpoint FROM below JOIN timeline ON session = below.no"                   \
    " WHERE checkpoint BETWEEN 1 AND below.cut ORDER BY 1")                                        \
  X(CK_SQL_HAS_CHECKPOINT,                                                                         \
    "SELECT 1 FROM checkpoint WHERE session = ?1 AND seq = ?2 AND " CK_SQL_NOT_PRUNED)             \
  X(CK_SQL_COPY_EVENTS,                                                                            \
    "INSERT INTO event (session, seq, timeline, kind, at_ms, scope, agent, "                       \
    "mac, key_id, encoding, plain_len, \"check\","                                                 \
    " body, decision) SELECT ?2, seq, timeline, kind, at_ms, scope, agent, mac, "                  \
    "key_id, encoding, plain_len, \"check\", body, decision"                                       \
    " FROM event WHERE session = ?1 AND seq <= ?3 ORDER BY seq")                                   \
  X(CK_SQL_COPY_TIMELINES,                                                                         \
    "INSERT INTO timeline SELECT ?2, no, parent, cut, \"begin\", checkpoint, attempt, run, "       \
    "parent_run,"                                                                                  \
    " row_check_grown('timeline', ?2, no, parent, cut, \"begin\", checkpoint, attempt, run, "      \
    "parent_run, about), about"                                                                    \
    " FROM timeline WHERE session = ?1 AND no < ?3 AND " CK_SQL_TIMELINE_IS_SOUND)                 \
  X(CK_SQL_COPY_STUB, "INSERT INTO checkpoint (session, seq, id, parent, keyframe, timeline, "     \
                      "covers, kind, created_ms, clean, resumable,"                                \
                      " cost_micros, input_tokens, output_tokens, model_calls, tool_calls, "       \
                      "unmetered, active_us, changed, format,"                                     \
                      " encoding, plain_len, events_digest, payload_digest, digest, mac, key_id, " \
                      "info, payload) SELECT ?2, seq, id, parent, 0,"                              \
                      " timeline, covers, kind, created_ms, clean, resumable, cost_micros, "       \
                      "input_tokens, output_tokens, model_calls,"                                  \
                      " tool_calls, unmetered, active_us, changed, format, ?6, 0, events_digest, " \
                      "?5, digest, ?7, ?8, coalesce(?9, info),"                                    \
                      " zeroblob(0)"                                                               \
                      " FROM checkpoint WHERE session = ?1 AND seq = ?3 AND digest = ?4")          \
  X(CK_SQL_MOVE_ORIGIN,                                                                            \
    "UPDATE session SET origin = ?3, cut = ?4, \"check\" = " CK_SQL_CHECK_OF_SESSION(              \
        "status", "reason", "epoch", "timeline", "run", "updated_ms", "failure", "?3, ?4",         \
        "restarts, restarted_ms, progress", "node") " WHERE no = ?2 AND origin = ?1 "              \
                                                    "AND " CK_SQL_SESSION_IS_SOUND)                \
  X(CK_SQL_COUNT_FORKS, "SELECT count(*) FROM session WHERE origin = ?1 AND origin > 0")           \
  X(CK_SQL_DELETE_PINS, "DELETE FROM pin WHERE session = ?")                                       \
  X(CK_SQL_DELETE_REQUESTS, "DELETE FROM request WHERE session = ?")                               \
  X(CK_SQL_DELETE_CHECKPOINTS, "DELETE FROM checkpoint WHERE session = ?")                         \
  X(CK_SQL_DELETE_EVENTS, "DELETE FROM event WHERE session = ?")                                   \
  X(CK_SQL_DELETE_TIMELINES, "DELETE FROM timeline WHERE session = ?")                             \
  X(CK_SQL_NEXT_HEAD,                                                                              \
    "SELECT " CK_SQL_HEAD ", session FROM head WHERE session > ? ORDER BY session LIMIT 1")        \
  X(CK_SQL_DELETE_HEAD, "DELETE FROM head WHERE session = ?")                                      \
  X(CK_SQL_DELETE_AGENTS, "DELETE FROM agent WHERE session = ?")                                   \
  X(CK_SQL_DELETE_LEASE, "DELETE FROM lease WHERE session = ?")                                    \
  X(CK_SQL_DELETE_SESSION_KEY, "DELETE FROM session_key WHERE session = ?")                        \
  X(CK_SQL_DELETE_BLOB_USES, "DELETE FROM blob_use WHERE session = ?")                             \
  X(CK_SQL_DELETE_BLOBS,                                                                           \
    "DELETE FROM blob WHERE no IN (SELECT blob FROM blob_use WHERE session = ?1) AND NOT EXISTS "  \
    "(SELECT 1 FROM blob_use WHERE blob_use.blob = blob.no AND session <> ?1)")                    \
  X(CK_SQL_PUT_BLOB,                                                                               \
    "INSERT OR IGNORE INTO blob (name, kind, encoding, plain_len, \"check\", body) VALUES (?1, "   \
    "?2, ?3, ?4, row_check('blob', ?1, ?2, ?3, ?4, NULL, NULL, ?5, NULL), ?5)")                    \
  X(CK_SQL_PUT_BLOB_USE,                                                                           \
    "INSERT OR IGNORE INTO blob_use SELECT ?1, no, row_check('blob_use', ?1, no) FROM blob WHERE " \
    "name = ?2")                                                                                   \
  X(CK_SQL_COPY_BLOB_USES,                                                                         \
    "INSERT OR IGNORE INTO blob_use SELECT ?2, blob, row_check('blob_use', ?2, blob) FROM "        \
    "blob_use WHERE session = ?1 AND " CK_SQL_BLOB_USE_IS_SOUND)                                   \
  X(CK_SQL_HAS_BLOB_USE,                                                                           \
    "SELECT 1 FROM blob JOIN blob_use ON blob = no WHERE name = ?2 AND session = ?1")              \
  X(CK_SQL_GET_BLOB, "SELECT " CK_SQL_BLOB " FROM blob WHERE name = ?")                            \
  X(CK_SQL_LIST_BLOBS, "SELECT " CK_SQL_BLOB " FROM blob WHERE no > ? ORDER BY no")                \
  X(CK_SQL_CHANGE_BLOB, "UPDATE blob SET name = ?2, encoding = ?3, body = ?4 WHERE no = ?1")       \
  X(CK_SQL_DELETE_SESSION, "DELETE FROM session WHERE no = ?")                                     \
  X(CK_SQL_NOTE_DELETED,                                                                           \
    "INSERT INTO meta VALUES ('last_session', ?1, row_check('meta', 'last_session', ?1)) ON "      \
    "CONFLICT (key) DO UPDATE"                                                                     \
    " SET value = max(value, ?1), \"check\" = row_check('meta', key, max(value, ?1))")             \
  X(CK_SQL_LIST_PINS,                                                                              \
    "SELECT seq, " CK_SQL_PIN_IS_SOUND " FROM pin WHERE session = ? ORDER BY seq")                 \
  X(CK_SQL_PUT_PIN, "INSERT OR REPLACE INTO pin VALUES (?1, ?2, row_check('pin', ?1, ?2))")        \
  X(CK_SQL_DROP_PIN, "DELETE FROM pin WHERE session = ?1 AND seq = ?2")                            \
  X(CK_SQL_PUT_SCRUB,                                                                              \
    "INSERT OR REPLACE INTO meta SELECT 'scrub', ?1, row_check('meta', 'scrub', ?1)")              \
  X(CK_SQL_GET_SCRUB, "SELECT value FROM meta WHERE key = 'scrub'")                                \
  X(CK_SQL_DROP_SCRUB, "DELETE FROM meta WHERE key = 'scrub'")                                     \
  X(CK_SQL_GET_KEY, "SELECT value, " CK_SQL_META_IS_SOUND " FROM meta WHERE key = 'key'")          \
  X(CK_SQL_GET_INVENTORY,                                                                          \
    "SELECT value, " CK_SQL_META_IS_SOUND " FROM meta WHERE key = 'inventory'")                    \
  X(CK_SQL_PUT_INVENTORY, CK_SQL_PUT_INVENTORY_TEXT)                                               \
  X(CK_SQL_LIST_BLOB_USES,                                                                         \
    "SELECT name, " CK_SQL_BLOB_IS_SOUND " FROM blob WHERE no IN (SELECT blob FROM blob_use "      \
    "WHERE session = ?1) ORDER BY no")                                                             \
  X(CK_SQL_LIST_REQUESTS, "SELECT no, kind, body, " CK_SQL_REQUEST_IS_SOUND                        \
                          " FROM request WHERE session = ?1 ORDER BY no")                          \
  X(CK_SQL_RECEIVE_META, "INSERT OR REPLACE INTO meta VALUES (?1, ?2, row_check('meta', ?1, ?2))") \
  X(CK_SQL_RECEIVE_SESSION,                                                                        \
    "INSERT INTO session (no, id, status, reason, epoch, timeline, run, created_ms, updated_ms,"   \
    " profile, flow, input, failure, origin, cut, restarts, restarted_ms, progress, description,"  \
    " node, \"check\") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,"  \
    " ?16, ?17, ?18, ?19, ?20, row_check_grown('session', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"    \
    " ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20))")                                         \
  X(CK_SQL_PUT_KEY,                                                                                \
    "INSERT INTO meta SELECT 'key', ?1, row_check('meta', 'key', ?1) WHERE NOT EXISTS (SELECT 1 "  \
    "FROM session)"                                                                                \
    " AND NOT EXISTS (SELECT 1 FROM fact) AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'key')")

#endif
