/* sql_copy.h - statements of copies into a store. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_COPY_H
#define CK_STORE_POSTGRES_SQL_COPY_H

/* X(enumerator, text): as in sql.h. */
#define CK_POSTGRES_SQL_COPY_TABLE(X)                                                       \
  X(CK_POSTGRES_LIST_USES,                                                                  \
    "SELECT b.name FROM blob_use u JOIN blob b ON b.no = u.blob WHERE u.session = "         \
    "$1::bigint ORDER BY b.no")                                                             \
  X(CK_POSTGRES_LIST_REQUESTS,                                                              \
    "SELECT no, kind, body FROM request WHERE session = $1::bigint ORDER BY no")            \
  X(CK_POSTGRES_IS_USED,                                                                    \
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM session) OR EXISTS (SELECT 1 FROM fact) "         \
    "OR EXISTS (SELECT 1 FROM blob) OR EXISTS (SELECT 1 FROM meta WHERE key = "             \
    "'key')")                                                                               \
  X(CK_POSTGRES_RECEIVE_META,                                                               \
    "INSERT INTO meta VALUES ($1::text, $2::bytea) ON CONFLICT (key) DO UPDATE SET "        \
    "value = excluded.value")                                                               \
  X(CK_POSTGRES_RECEIVE_SESSION,                                                            \
    "WITH made AS (INSERT INTO session (no, id, status, reason, timeline, run, "            \
    "created_ms, updated_ms, profile, flow, input, failure, origin, cut, restarts, "        \
    "restarted_ms, progress, description, node) OVERRIDING SYSTEM VALUE VALUES "            \
    "($1::bigint, $2::text, $3::bigint, $4::text, $6::bigint, $7::text, "                   \
    "$8::bigint, $9::bigint, $10::text, $11::text, $12::bytea, $13::text, "                 \
    "$14::bigint, $15::bigint, $16::bigint, $17::bigint, $18::bigint, $19::text, "          \
    "$20::text) RETURNING no) INSERT INTO lease (session, epoch, writer, base, "            \
    "last_seq, expires) SELECT no, $5::bigint, 0, $15, $15, 'epoch' FROM made "             \
    "RETURNING session")                                                                    \
  X(CK_POSTGRES_RECEIVE_HEAD,                                                               \
    "INSERT INTO head VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, "             \
    "$5::bytea, $6::bytea, $7::bytea) RETURNING 1")                                         \
  X(CK_POSTGRES_RECEIVE_EVENTS,                                                             \
    "INSERT INTO event (session, seq, timeline, kind, at_ms, encoding, plain_len, "         \
    "check_sum, scope, agent, body, mac, key_id, decision) SELECT $1::bigint, u.* "         \
    "FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], "                  \
    "$6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], "                   \
    "$11::bytea[], $12::bytea[], $13::bytea[], $14::bytea[]) u")                            \
  X(CK_POSTGRES_RECEIVE_CHECKPOINT,                                                         \
    "INSERT INTO checkpoint (session, id, seq, parent, keyframe, timeline, covers, "        \
    "kind, created_ms, clean, resumable, cost_micros, input_tokens, output_tokens, "        \
    "model_calls, tool_calls, unmetered, active_us, changed, format, encoding, "            \
    "plain_len, events_digest, payload_digest, digest, mac, key_id, info, payload) "        \
    "VALUES ($1::bigint, $2::text, $3::bigint, $4::bigint, $5::bigint, $6::bigint, "        \
    "$7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint, $12::bigint, "           \
    "$13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::bigint, $18::bigint, "        \
    "$19::bigint, $20::bigint, $21::bigint, $22::bigint, $23::bytea, $24::bytea, "          \
    "$25::bytea, $26::bytea, $27::bytea, $28::bytea, $29::bytea) RETURNING 1")              \
  X(CK_POSTGRES_RECEIVE_PIN, "INSERT INTO pin VALUES ($1::bigint, $2::bigint) RETURNING 1") \
  X(CK_POSTGRES_RECEIVE_USE,                                                                \
    "INSERT INTO blob_use SELECT $1::bigint, no FROM blob WHERE name = $2::bytea "          \
    "RETURNING 1")                                                                          \
  X(CK_POSTGRES_RECEIVE_BLOB,                                                               \
    "INSERT INTO blob (name, kind, encoding, plain_len, body) VALUES ($1::bytea, "          \
    "$2::text, $3::bigint, $4::bigint, $5::bytea) ON CONFLICT (name) DO UPDATE SET kind "   \
    "= blob.kind RETURNING 1")                                                              \
  X(CK_POSTGRES_NEXT_NUMBER, "SELECT nextval(pg_get_serial_sequence('session', 'no'))")     \
  X(CK_POSTGRES_IS_CHECKPOINT,                                                              \
    "SELECT 1 FROM checkpoint WHERE session = $1::bigint AND seq = $2::bigint AND digest "  \
    "= $3::bytea")                                                                          \
  X(CK_POSTGRES_RETURN_PAYLOAD,                                                             \
    "UPDATE checkpoint SET keyframe = $4::bigint, encoding = $5::bigint, plain_len = "      \
    "$6::bigint, payload_digest = $7::bytea, mac = $8::bytea, key_id = $9::bytea, info = "  \
    "$10::bytea, payload = $11::bytea WHERE session = $1::bigint AND seq = $2::bigint AND " \
    "digest = $3::bytea AND encoding & 8 <> 0 AND (octet_length(payload) = 0 OR "           \
    "$5::bigint & 8 = 0) RETURNING 1")                                                      \
  X(CK_POSTGRES_RECEIVE_END,                                                                \
    "UPDATE lease SET last_seq = coalesce((SELECT max(seq) FROM event WHERE "               \
    "session = $1::bigint), base) WHERE session = $1 RETURNING 1")

#endif
