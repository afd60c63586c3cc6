/* sql.h - every statement of the SQLite backend that runs more than once. Private to
 * core/store/sqlite. */
#ifndef CK_STORE_SQLITE_SQL_H
#define CK_STORE_SQLITE_SQL_H

/* What a row's check must be; arguments are the columns that a change gives another value. */
#define CK_SQL_CHECK_OF_SESSION(status, reason, epoch, timeline, run, updated_ms, failure, origin, \
                                restarts)                                                          \
  "row_check('session', id, " status ", " reason ", " epoch ", " timeline ", " run                 \
  ", created_ms, " updated_ms ", profile, flow, input, " failure ", " origin ", " restarts ")"
#define CK_SQL_SESSION_IS_SOUND                                                          \
  "\"check\" = " CK_SQL_CHECK_OF_SESSION("status", "reason", "epoch", "timeline", "run", \
                                         "updated_ms", "failure", "origin, cut",         \
                                         "restarts, restarted_ms, progress")
#define CK_SQL_SESSION                                                                    \
  "no, id, status, reason, epoch, timeline, run, created_ms, updated_ms, profile, flow, " \
  "input, " CK_SQL_SESSION_IS_SOUND ", failure, origin, cut, restarts, restarted_ms, progress"
/* The same of a store of schema 1, which is only read. */
#define CK_SQL_SESSION_1_IS_SOUND                                                           \
  "\"check\" = row_check('session', id, status, reason, epoch, timeline, run, created_ms, " \
  "updated_ms, profile, flow, input)"
#define CK_SQL_SESSION_1                                                                  \
  "no, id, status, reason, epoch, timeline, run, created_ms, updated_ms, profile, flow, " \
  "input, " CK_SQL_SESSION_1_IS_SOUND ", NULL, 0, 0, 0, 0, 0"
#define CK_SQL_META_IS_SOUND "\"check\" = row_check('meta', key, value)"
#define CK_SQL_TIMELINE_IS_SOUND                                                                 \
  "\"check\" = row_check('timeline', session, no, parent, cut, \"begin\", checkpoint, attempt, " \
  "run, parent_run)"
#define CK_SQL_FACT_IS_SOUND "\"check\" = row_check('fact', owner, key, value, updated_ms)"
#define CK_SQL_REQUEST_IS_SOUND "\"check\" = row_check('request', session, kind, body)"
#define CK_SQL_PIN_IS_SOUND "\"check\" = row_check('pin', session, seq)"
#define CK_SQL_EVENT_COLUMNS \
  "seq, timeline, kind, at_ms, scope, agent, encoding, plain_len, \"check\", body, mac, key_id"
/* The index has the kind as well: rows of other kinds are never looked up. It is walked by itself,
 * and the kinds that there are most of fail the first test: half the time of a walk that has every
 * row at hand. That a row is the one which the index names is told by its check. The columns are
 * those above. */
#define CK_SQL_READ_EVENTS                                                                     \
  "SELECT i.seq, e.timeline, i.kind, e.at_ms, e.scope, e.agent, e.encoding, e.plain_len, "     \
  "e.\"check\", e.body,"                                                                       \
  " e.mac, e.key_id FROM event i CROSS JOIN event e ON e.row = i.row"                          \
  " WHERE i.session = ?1 AND i.seq > ?2 AND i.seq <= ?3 AND i.kind <= ?4 AND ?5 >> i.kind & 1" \
  " AND (?6 IS NULL OR e.agent = ?6 OR ?7 >> i.kind & 1) ORDER BY i.seq"
#define CK_SQL_CHECKPOINT_COLUMNS(payload)                                                         \
  "id, seq, parent, keyframe, timeline, covers, kind, created_ms, clean, resumable, cost_micros,"  \
  " input_tokens, output_tokens, model_calls, tool_calls, unmetered, active_us, changed, format, " \
  "encoding, plain_len,"                                                                           \
  " events_digest, payload_digest, digest, mac, key_id, info, length(payload), " payload
#define CK_SQL_READ_CHECKPOINTS(payload) \
  "SELECT " CK_SQL_CHECKPOINT_COLUMNS(   \
      payload) " FROM checkpoint"        \
               " WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq"

#define CK_SQL_IS_WHOLE "encoding & 8 = 0" /* not pruned: CK_ENCODING_PRUNED */

/* X(enumerator, text): each is prepared once per connection. */
#define CK_SQL_TABLE(X)                                                                            \
  X(CK_SQL_BEGIN, "BEGIN IMMEDIATE")                                                               \
  X(CK_SQL_COMMIT, "COMMIT")                                                                       \
  X(CK_SQL_ROLLBACK, "ROLLBACK")                                                                   \
  X(CK_SQL_EPOCH, "SELECT epoch, coalesce((SELECT max(seq) FROM event WHERE session = ?1), cut),"  \
                  " ?2 <= cut OR EXISTS (SELECT 1 FROM checkpoint WHERE session = ?1 AND seq = "   \
                  "?2) FROM session WHERE no = ?1")                                                \
  X(CK_SQL_EPOCH_ALONE, "SELECT epoch FROM session WHERE no = ?")                                  \
  X(CK_SQL_PUT_EVENT, "INSERT INTO event (session, seq, timeline, kind, at_ms, scope, agent, "     \
                      "encoding, plain_len, \"check\", mac,"                                       \
                      " key_id, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")             \
  X(CK_SQL_PUT_CHECKPOINT, "INSERT INTO checkpoint (session, seq, id, parent, keyframe, "          \
                           "timeline, covers, kind, created_ms, clean,"                            \
                           " resumable, cost_micros, input_tokens, output_tokens, model_calls, "   \
                           "tool_calls, unmetered, active_us, changed,"                            \
                           " format, encoding, plain_len, events_digest, payload_digest, digest, " \
                           "mac, key_id, info, payload)"                                           \
                           " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " \
                           "?, ?, ?, ?, ?, ?, ?, ?, ?)")                                           \
  X(CK_SQL_PRUNE,                                                                                  \
    "UPDATE checkpoint SET encoding = ?4, payload_digest = ?5, keyframe = iif(?6, 0, keyframe),"   \
    " plain_len = iif(?6, 0, plain_len), payload = iif(?6, zeroblob(0), payload), mac = ?7, "      \
    "key_id = ?8,"                                                                                 \
    " info = coalesce(?9, info)"                                                                   \
    " WHERE session = ?1 AND seq = ?2 AND digest = ?3")                                            \
  X(CK_SQL_CHECK_SESSION, "SELECT " CK_SQL_SESSION_IS_SOUND " FROM session WHERE no = ?")          \
  X(CK_SQL_UPDATE_SESSION, "UPDATE session SET status = ?1, reason = ?2, updated_ms = ?3, "        \
                           "failure = ?5, \"check\" = " CK_SQL_CHECK_OF_SESSION(                   \
                               "?1", "?2", "epoch", "timeline", "run", "?3", "?5", "origin, cut",  \
                               "restarts, restarted_ms, progress") " WHERE no = ?4")               \
  X(CK_SQL_PUT_SESSION, "INSERT INTO session (no, id, status, epoch, timeline, run, created_ms, "  \
                        "updated_ms, profile, flow, input, reason,"                                \
                        " failure, origin, cut, \"check\") VALUES (1 + max(coalesce((SELECT "      \
                        "max(no) FROM session), 0),"                                               \
                        " coalesce((SELECT value FROM meta WHERE key = 'last_session'), 0)), ?1, " \
                        "?8, 1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?9,"                                   \
                        " ?10, ?11, ?12, row_check('session', ?1, ?8, ?9, 1, ?2, ?3, ?4, ?4, ?5, " \
                        "?6, ?7, ?10, ?11, ?12, 0, 0, 0))")                                        \
  X(CK_SQL_PUT_TIMELINE, "INSERT INTO timeline VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"        \
                         " row_check('timeline', ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))")            \
  X(CK_SQL_FIND_SESSION,                                                                           \
    "SELECT no, (SELECT max(no) FROM timeline WHERE session = session.no) FROM session"            \
    " WHERE id = ?")                                                                               \
  X(CK_SQL_ACQUIRE, "UPDATE session SET epoch = epoch + 1, status = ?6, reason = ?7, failure = "   \
                    "?8, timeline = ?1, run = ?2,"                                                 \
                    " updated_ms = max(updated_ms, ?3), restarts = ?9, restarted_ms = ?10, "       \
                    "progress = ?11, \"check\" = " CK_SQL_CHECK_OF_SESSION(                        \
                        "?6", "?7", "epoch + 1", "?1", "?2", "max(updated_ms, ?3)", "?8",          \
                        "origin, cut", "?9, ?10, ?11") " WHERE no = ?4 AND epoch = ?5")            \
  X(CK_SQL_PUT_REQUEST,                                                                            \
    "INSERT INTO request (session, kind, body, \"check\")"                                         \
    " SELECT no, ?2, ?3, row_check('request', no, ?2, ?3) FROM session WHERE no = ?1")             \
  X(CK_SQL_PEEK_REQUEST,                                                                           \
    "SELECT epoch, EXISTS (SELECT 1 FROM request WHERE session = ?1) FROM session WHERE no = ?1")  \
  X(CK_SQL_GET_REQUEST, "SELECT no, kind, body, " CK_SQL_REQUEST_IS_SOUND                          \
                        " FROM request WHERE session = ? ORDER BY no LIMIT 1")                     \
  X(CK_SQL_DROP_REQUEST, "DELETE FROM request WHERE no = ?")                                       \
  X(CK_SQL_PUT_FACT,                                                                               \
    "INSERT OR REPLACE INTO fact VALUES (?1, ?2, ?3, ?4, row_check('fact', ?1, ?2, ?3, ?4))")      \
  X(CK_SQL_DROP_FACT, "DELETE FROM fact WHERE owner = ? AND key = ?")                              \
  X(CK_SQL_GET_FACT,                                                                               \
    "SELECT value, " CK_SQL_FACT_IS_SOUND " FROM fact WHERE owner = ? AND key = ?")                \
  X(CK_SQL_RECOVERED,                                                                              \
    "INSERT INTO meta VALUES ('recovered', 1, row_check('meta', 'recovered', 1)) ON CONFLICT "     \
    "(key)"                                                                                        \
    " DO UPDATE SET value = value + 1, \"check\" = row_check('meta', key, value + 1)")             \
  X(CK_SQL_GET_SESSION, "SELECT " CK_SQL_SESSION " FROM session WHERE id = ?")                     \
  X(CK_SQL_LIST_SESSIONS,                                                                          \
    "SELECT " CK_SQL_SESSION " FROM session WHERE ?1 IN (0, status) ORDER BY no DESC")             \
  X(CK_SQL_GET_IDENTITY,                                                                           \
    "SELECT id, origin, cut, " CK_SQL_SESSION_IS_SOUND ", created_ms FROM session WHERE no = ?")   \
  X(CK_SQL_LIST_FORKS,                                                                             \
    "SELECT " CK_SQL_SESSION " FROM session WHERE origin = ?1 AND origin > 0 ORDER BY no")         \
  X(CK_SQL_LIST_BASES,                                                                             \
    "WITH RECURSIVE below(no, cut) AS (SELECT no, cut FROM session WHERE origin = ?1 AND origin "  \
    "> 0 UNION ALL"                                                                                \
    " SELECT s.no, min(s.cut, below.cut) FROM below JOIN session s ON s.origin = below.no AND "    \
    "s.origin > 0)"                                                                                \
    " SELECT DISTINCT checkpoint FROM below JOIN timeline ON session = below.no"                   \
    " WHERE checkpoint BETWEEN 1 AND below.cut ORDER BY 1")                                        \
  X(CK_SQL_HAS_BASE,                                                                               \
    "WITH RECURSIVE up(no, origin, cut) AS (SELECT no, origin, cut FROM session WHERE no = ?1 "    \
    "UNION ALL"                                                                                    \
    " SELECT s.no, s.origin, s.cut FROM up JOIN session s ON s.no = up.origin WHERE ?2 <= up.cut)" \
    " SELECT 1 FROM checkpoint WHERE session = (SELECT min(no) FROM up) AND seq = ?2 "             \
    "AND " CK_SQL_IS_WHOLE)                                                                        \
  X(CK_SQL_IS_KEPT,                                                                                \
    "SELECT 1 FROM checkpoint WHERE session = ?1 AND seq = ?2 AND " CK_SQL_IS_WHOLE)               \
  X(CK_SQL_COPY_EVENTS, "INSERT INTO event (session, seq, timeline, kind, at_ms, scope, agent, "   \
                        "mac, key_id, encoding, plain_len, \"check\","                             \
                        " body) SELECT ?2, seq, timeline, kind, at_ms, scope, agent, mac, "        \
                        "key_id, encoding, plain_len, \"check\", body"                             \
                        " FROM event WHERE session = ?1 AND seq <= ?3 ORDER BY seq")               \
  X(CK_SQL_COPY_TIMELINES,                                                                         \
    "INSERT INTO timeline SELECT ?2, no, parent, cut, \"begin\", checkpoint, attempt, run, "       \
    "parent_run,"                                                                                  \
    " row_check('timeline', ?2, no, parent, cut, \"begin\", checkpoint, attempt, run, parent_run)" \
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
        "restarts, restarted_ms, progress") " WHERE no = ?2 AND origin = ?1 "                      \
                                            "AND " CK_SQL_SESSION_IS_SOUND)                        \
  X(CK_SQL_COUNT_FORKS, "SELECT count(*) FROM session WHERE origin = ?1 AND origin > 0")           \
  X(CK_SQL_DELETE_PINS, "DELETE FROM pin WHERE session = ?")                                       \
  X(CK_SQL_DELETE_REQUESTS, "DELETE FROM request WHERE session = ?")                               \
  X(CK_SQL_DELETE_CHECKPOINTS, "DELETE FROM checkpoint WHERE session = ?")                         \
  X(CK_SQL_DELETE_EVENTS, "DELETE FROM event WHERE session = ?")                                   \
  X(CK_SQL_DELETE_TIMELINES, "DELETE FROM timeline WHERE session = ?")                             \
  X(CK_SQL_DELETE_SESSION, "DELETE FROM session WHERE no = ?")                                     \
  X(CK_SQL_NOTE_DELETED,                                                                           \
    "INSERT INTO meta VALUES ('last_session', ?1, row_check('meta', 'last_session', ?1)) ON "      \
    "CONFLICT (key) DO UPDATE"                                                                     \
    " SET value = max(value, ?1), \"check\" = row_check('meta', key, max(value, ?1))")             \
  X(CK_SQL_LIST_PINS,                                                                              \
    "SELECT seq, " CK_SQL_PIN_IS_SOUND " FROM pin WHERE session = ? ORDER BY seq")                 \
  X(CK_SQL_PUT_PIN, "INSERT OR REPLACE INTO pin VALUES (?1, ?2, row_check('pin', ?1, ?2))")        \
  X(CK_SQL_DROP_PIN, "DELETE FROM pin WHERE session = ?1 AND seq = ?2")                            \
  X(CK_SQL_LIST_TIMELINES,                                                                         \
    "SELECT no, parent, cut, \"begin\", checkpoint, attempt, run, "                                \
    "parent_run, " CK_SQL_TIMELINE_IS_SOUND " FROM timeline WHERE session = ? ORDER BY no")        \
  X(CK_SQL_LAST_SEQ, "SELECT max(seq) FROM event WHERE session = ?")                               \
  X(CK_SQL_COUNT_EVENTS, "SELECT count(*) FROM event WHERE session = ?")                           \
  X(CK_SQL_GET_KEY, "SELECT value, " CK_SQL_META_IS_SOUND " FROM meta WHERE key = 'key'")          \
  X(CK_SQL_PUT_KEY,                                                                                \
    "INSERT INTO meta SELECT 'key', ?1, row_check('meta', 'key', ?1) WHERE NOT EXISTS (SELECT 1 "  \
    "FROM session)"                                                                                \
    " AND NOT EXISTS (SELECT 1 FROM fact) AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'key')")  \
  X(CK_SQL_EVENTS, CK_SQL_READ_EVENTS)                                                             \
  X(CK_SQL_EVENTS_BACKWARD, CK_SQL_READ_EVENTS " DESC")                                            \
  X(CK_SQL_CHECKPOINTS, CK_SQL_READ_CHECKPOINTS("NULL"))                                           \
  X(CK_SQL_CHECKPOINTS_BACKWARD, CK_SQL_READ_CHECKPOINTS("NULL") " DESC")                          \
  X(CK_SQL_PAYLOADS, CK_SQL_READ_CHECKPOINTS("payload"))                                           \
  X(CK_SQL_PAYLOADS_BACKWARD, CK_SQL_READ_CHECKPOINTS("payload") " DESC")

typedef enum {
#define X(name, text) name,
  CK_SQL_TABLE(X)
#undef X
      CK_SQL_COUNT
} ck_sql;

/* X(enumerator, text): how the same is asked in a store of schema 1. */
#define CK_SQL_SCHEMA_1_TABLE(X)                                                            \
  X(CK_SQL_GET_SESSION, "SELECT " CK_SQL_SESSION_1 " FROM session WHERE id = ?")            \
  X(CK_SQL_LIST_SESSIONS,                                                                   \
    "SELECT " CK_SQL_SESSION_1 " FROM session WHERE ?1 IN (0, status) ORDER BY no DESC")    \
  X(CK_SQL_GET_IDENTITY,                                                                    \
    "SELECT id, 0, 0, " CK_SQL_SESSION_1_IS_SOUND ", created_ms FROM session WHERE no = ?") \
  X(CK_SQL_LIST_FORKS, "SELECT " CK_SQL_SESSION_1 " FROM session WHERE ?1 < 0")             \
  X(CK_SQL_LIST_BASES, "SELECT 0 WHERE ?1 < 0")                                             \
  X(CK_SQL_LIST_PINS, "SELECT 0, 1 WHERE ?1 < 0")

#endif
