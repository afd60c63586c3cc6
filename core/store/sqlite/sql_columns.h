/* sql_columns.h - column lists and row checks that several statements share. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_SQL_COLUMNS_H
#define CK_STORE_SQLITE_SQL_COLUMNS_H

/* The check of a session's row; the arguments are the columns that a change gives new values. */
#define CK_SQL_CHECK_OF_SESSION(status, reason, epoch, timeline, run, updated_ms, failure, origin, \
                                restarts, node)                                                    \
  "row_check_grown('session', id, " status ", " reason ", " epoch ", " timeline ", " run           \
  ", created_ms, " updated_ms ", profile, flow, input, " failure ", " origin ", " restarts         \
  ", description, " node ")"
#define CK_SQL_SESSION_IS_SOUND                                                          \
  "\"check\" = " CK_SQL_CHECK_OF_SESSION("status", "reason", "epoch", "timeline", "run", \
                                         "updated_ms", "failure", "origin, cut",         \
                                         "restarts, restarted_ms, progress", "node")
#define CK_SQL_SESSION                                                                    \
  "no, id, status, reason, epoch, timeline, run, created_ms, updated_ms, profile, flow, " \
  "input, " CK_SQL_SESSION_IS_SOUND ", failure, origin, cut, restarts, restarted_ms, "    \
  "progress, description, node"
/* The same columns, of what is looked at in passing. */
#define CK_SQL_SESSION_LEAN                                                               \
  "no, id, status, reason, epoch, timeline, run, created_ms, updated_ms, profile, NULL, " \
  "NULL, 1, NULL, origin, cut, restarts, restarted_ms, progress, NULL, NULL"
/* Of ck_session_query. A fork has the events and the runs of its origin, too: it may have any. What
 * a run executed is JSON, or sealed and then not looked into. So are bodies of events, or packed: a
 * plain one may_name (naming.h). */
#define CK_SQL_MAY_NAME_AGENT \
  "(agent = ?3 OR (?4 >> kind & 1 AND (?6 IS NULL OR encoding <> 0 OR may_name(body, ?6))))"
/* The newest sessions are looked at one by one, so that a page that they fill costs no more; for
 * the others all events are walked once, as they lie, which takes half the time of a look through
 * the index for each; not where a session has many, of which the first may do. */
#define CK_SQL_MAY_HAVE_AGENT                                                                     \
  "(origin > 0 OR CASE WHEN no > (SELECT max(no) FROM session) - 128"                             \
  " OR (SELECT max(row) FROM event) > 64 * (SELECT max(no) FROM session)"                         \
  " THEN EXISTS (SELECT 1 FROM event WHERE event.session = session.no AND " CK_SQL_MAY_NAME_AGENT \
  ") ELSE no IN (SELECT session FROM event NOT INDEXED WHERE " CK_SQL_MAY_NAME_AGENT ") END)"
#define CK_SQL_MAY_HAVE_FLOW                                                                   \
  "(origin > 0 OR instr(flow, ?5) OR EXISTS (SELECT 1 FROM timeline WHERE timeline.session = " \
  "session.no AND (instr(about, ?5) OR substr(about, 1, 1) <> x'7b')))"
#define CK_SQL_NEXT_SESSION_NO                          \
  "1 + max(coalesce((SELECT max(no) FROM session), 0)," \
  " coalesce((SELECT value FROM meta WHERE key = 'last_session'), 0))"
#define CK_SQL_META_IS_SOUND "\"check\" = row_check('meta', key, value)"
#define CK_SQL_TIMELINE_IS_SOUND                                                              \
  "\"check\" = row_check_grown('timeline', session, no, parent, cut, \"begin\", checkpoint, " \
  "attempt, run, parent_run, about)"
#define CK_SQL_FACT_IS_SOUND "\"check\" = row_check('fact', owner, key, value, updated_ms)"
#define CK_SQL_REQUEST_IS_SOUND "\"check\" = row_check('request', session, kind, body)"
#define CK_SQL_PIN_IS_SOUND "\"check\" = row_check('pin', session, seq)"
#define CK_SQL_HEAD_IS_SOUND                                                                 \
  "\"check\" = row_check('head', session, epoch, status, seq, digest, pins, requests, mac, " \
  "key_id)"
#define CK_SQL_HEAD "epoch, status, seq, digest, mac, key_id"
/* Of the first three of these tables nothing is written to yet. */
#define CK_SQL_AGENT_IS_SOUND "\"check\" = row_check('agent', session, name)"
#define CK_SQL_LEASE_IS_SOUND \
  "\"check\" = row_check('lease', session, owner, expires_ms, due_ms, labels)"
#define CK_SQL_SESSION_KEY_IS_SOUND "\"check\" = row_check('session_key', session, sealed, key_id)"
#define CK_SQL_BLOB_IS_SOUND                                                           \
  "\"check\" = row_check('blob', name, kind, encoding, plain_len, mac, key_id, body, " \
  "signatures)"
#define CK_SQL_BLOB "no, name, kind, encoding, plain_len, body, " CK_SQL_BLOB_IS_SOUND
#define CK_SQL_BLOB_USE_IS_SOUND "\"check\" = row_check('blob_use', session, blob)"
#define CK_SQL_EVENT_COLUMNS                                                                      \
  "seq, timeline, kind, at_ms, scope, agent, encoding, plain_len, \"check\", body, mac, key_id, " \
  "decision"
/* The columns are those above. `i` walks the index alone: it has the kind as well, so rows of other
 * kinds are never fetched, and the most frequent kinds fail the first test (i.kind <= ?4); that
 * takes half the time of a walk that fetches every row. The row's check proves that it is the one
 * that the index names. */
#define CK_SQL_READ_EVENTS(decision)                                                           \
  "SELECT i.seq, e.timeline, i.kind, e.at_ms, e.scope, e.agent, e.encoding, e.plain_len, "     \
  "e.\"check\", e.body,"                                                                       \
  " e.mac, e.key_id, " decision " FROM event i CROSS JOIN event e ON e.row = i.row"            \
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

#define CK_SQL_NOT_PRUNED "encoding & 8 = 0" /* CK_ENCODING_PRUNED */

#endif
