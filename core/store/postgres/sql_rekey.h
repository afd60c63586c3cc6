/* sql_rekey.h - statements of a change of key. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_REKEY_H
#define CK_STORE_POSTGRES_SQL_REKEY_H

#include "core/store/postgres/sql_run.h"

/* X(enumerator, text): as in sql.h. */
#define CK_POSTGRES_SQL_REKEY_TABLE(X)                                                            \
  X(CK_POSTGRES_LIST_KEYS,                                                                        \
    "SELECT key_id, sum(e)::bigint, sum(c)::bigint FROM (SELECT key_id, count(*) "                \
    "AS e, 0 AS c FROM event GROUP BY key_id UNION ALL SELECT key_id, 0, count(*) "               \
    "FROM checkpoint GROUP BY key_id) k GROUP BY key_id ORDER BY key_id NULLS "                   \
    "FIRST")                                                                                      \
  X(CK_POSTGRES_LIST_OWNED,                                                                       \
    "SELECT s.no, l.epoch, l.last_seq, 0::bigint, l.owner, " CK_POSTGRES_LASTS(                   \
        "$1") ", s.id FROM session s JOIN lease l ON l.session = s.no WHERE l.owner IS NOT NULL " \
              "FOR UPDATE OF l")                                                                  \
  X(CK_POSTGRES_NEXT_EVENTS,                                                                      \
    "SELECT seq, timeline, kind, at_ms, scope, agent, encoding, plain_len, "                      \
    "check_sum, body, mac, key_id, decision, session FROM event WHERE (session, "                 \
    "seq) > ($2::bigint, $3::bigint) AND key_id IS DISTINCT FROM $1::bytea ORDER "                \
    "BY session, seq LIMIT 128")                                                                  \
  X(CK_POSTGRES_REKEY_EVENT,                                                                      \
    "UPDATE event SET encoding = $3::bigint, check_sum = $4::bigint, mac = "                      \
    "$5::bytea, key_id = $6::bytea, body = $7::bytea WHERE session = $1::bigint "                 \
    "AND seq = $2::bigint")                                                                       \
  X(CK_POSTGRES_NEXT_CHECKPOINTS,                                                                 \
    "SELECT id, seq, parent, keyframe, timeline, covers, kind, created_ms, clean, "               \
    "resumable, cost_micros, input_tokens, output_tokens, model_calls, tool_calls, "              \
    "unmetered, active_us, changed, format, encoding, plain_len, events_digest, "                 \
    "payload_digest, digest, mac, key_id, info, length(payload)::bigint, payload, "               \
    "session FROM checkpoint WHERE (session, seq) > ($2::bigint, $3::bigint) AND "                \
    "key_id IS DISTINCT FROM $1::bytea ORDER BY session, seq LIMIT 32")                           \
  X(CK_POSTGRES_REKEY_CHECKPOINT,                                                                 \
    "UPDATE checkpoint SET encoding = $3::bigint, events_digest = $4::bytea, "                    \
    "payload_digest = $5::bytea, digest = $6::bytea, mac = $7::bytea, key_id = "                  \
    "$8::bytea, info = $9::bytea, payload = $10::bytea WHERE session = $1::bigint "               \
    "AND seq = $2::bigint")                                                                       \
  X(CK_POSTGRES_NEXT_SESSIONS,                                                                    \
    "SELECT no, id, created_ms, input, reason, description, node FROM session "                   \
    "WHERE no > $1::bigint ORDER BY no LIMIT 100")                                                \
  X(CK_POSTGRES_REKEY_SESSION,                                                                    \
    "UPDATE session SET input = $2::bytea, reason = $3::text, description = "                     \
    "$4::text, node = $5::text WHERE no = $1::bigint")                                            \
  X(CK_POSTGRES_NEXT_TIMELINES,                                                                   \
    "SELECT session, no, run, about FROM timeline WHERE about IS NOT NULL AND "                   \
    "(session, no) > ($1::bigint, $2::bigint) ORDER BY session, no LIMIT 100")                    \
  X(CK_POSTGRES_REKEY_TIMELINE,                                                                   \
    "UPDATE timeline SET about = $3::bytea WHERE session = $1::bigint AND no = "                  \
    "$2::bigint")                                                                                 \
  X(CK_POSTGRES_NEXT_REQUESTS,                                                                    \
    "SELECT r.no, r.kind, s.id, s.created_ms, r.body FROM request r JOIN session s "              \
    "ON s.no = r.session WHERE r.no > $1::bigint ORDER BY r.no LIMIT 100")                        \
  X(CK_POSTGRES_REKEY_REQUEST, "UPDATE request SET body = $2::bytea WHERE no = $1::bigint")       \
  X(CK_POSTGRES_NEXT_FACTS,                                                                       \
    "SELECT owner, key, value FROM fact ORDER BY owner, key OFFSET $1::bigint "                   \
    "LIMIT 1000")                                                                                 \
  X(CK_POSTGRES_REKEY_FACT,                                                                       \
    "UPDATE fact SET value = $3::bytea WHERE owner = $1::text AND key = $2::text")                \
  X(CK_POSTGRES_NEXT_HEADS,                                                                       \
    "SELECT session, epoch, status, seq, digest, mac, key_id FROM head WHERE "                    \
    "session > $1::bigint ORDER BY session LIMIT 200")                                            \
  X(CK_POSTGRES_REKEY_HEAD,                                                                       \
    "UPDATE head SET digest = $2::bytea, mac = $3::bytea, key_id = $4::bytea WHERE "              \
    "session = $1::bigint")                                                                       \
  X(CK_POSTGRES_REKEY_BLOB,                                                                       \
    "UPDATE blob SET name = $2::bytea, encoding = $3::bigint, body = $4::bytea "                  \
    "WHERE no = $1::bigint")

#endif
