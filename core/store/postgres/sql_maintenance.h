/* sql_maintenance.h - statements of pins, prunes, deletes, requests, facts and blobs. Private to
 * core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_MAINTENANCE_H
#define CK_STORE_POSTGRES_SQL_MAINTENANCE_H

/* X(enumerator, text): as in sql.h. */
#define CK_POSTGRES_SQL_MAINTENANCE_TABLE(X)                                                      \
  X(CK_POSTGRES_PUT_KEY,                                                                          \
    "INSERT INTO meta SELECT 'key', $1::bytea WHERE NOT EXISTS (SELECT 1 FROM session) "          \
    "AND NOT EXISTS (SELECT 1 FROM fact) AND NOT EXISTS (SELECT 1 FROM meta WHERE key = "         \
    "'key') RETURNING 1")                                                                         \
  X(CK_POSTGRES_PIN, "INSERT INTO pin SELECT $1::bigint, $2::bigint ON CONFLICT DO NOTHING")      \
  X(CK_POSTGRES_UNPIN, "DELETE FROM pin WHERE session = $1::bigint AND seq = $2::bigint")         \
  X(CK_POSTGRES_HAS_CHECKPOINT,                                                                   \
    "SELECT 1 FROM checkpoint WHERE session = $1::bigint AND seq = $2::bigint AND "               \
    "encoding & 8 = 0")                                                                           \
  X(CK_POSTGRES_LIST_PINS, "SELECT seq FROM pin WHERE session = $1::bigint ORDER BY seq")         \
  X(CK_POSTGRES_LIST_BASES,                                                                       \
    "WITH RECURSIVE below(no, cut) AS (SELECT no, cut FROM session WHERE origin = "               \
    "$1::bigint AND origin > 0 UNION ALL SELECT s.no, least(s.cut, below.cut) FROM below "        \
    "JOIN session s ON s.origin = below.no AND s.origin > 0) SELECT DISTINCT checkpoint "         \
    "FROM below JOIN timeline ON session = below.no WHERE checkpoint BETWEEN 1 AND "              \
    "below.cut ORDER BY 1")                                                                       \
  X(CK_POSTGRES_PRUNE,                                                                            \
    "UPDATE checkpoint SET encoding = $4::bigint, payload_digest = $5::bytea, keyframe = "        \
    "CASE $6::bigint WHEN 1 THEN 0 ELSE keyframe END, plain_len = CASE $6 WHEN 1 THEN 0 "         \
    "ELSE plain_len END, payload = CASE $6 WHEN 1 THEN '' ELSE payload END, mac = "               \
    "$7::bytea, key_id = $8::bytea, info = coalesce($9::bytea, info) WHERE session = "            \
    "$1::bigint AND seq = $2::bigint AND digest = $3::bytea RETURNING 1")                         \
  X(CK_POSTGRES_LIST_FORKS,                                                                       \
    "SELECT s.no, s.id, s.status, s.reason, l.epoch, s.timeline, s.run, s.created_ms, "           \
    "s.updated_ms, s.profile, s.flow, s.input, s.failure, s.origin, s.cut, s.restarts, "          \
    "s.restarted_ms, s.progress, s.description, s.node FROM session s JOIN lease l ON "           \
    "l.session = s.no WHERE s.origin = $1::bigint AND s.origin > 0 AND s.no > $2::bigint "        \
    "ORDER BY s.no LIMIT 100")                                                                    \
  X(CK_POSTGRES_COUNT_FORKS,                                                                      \
    "SELECT count(*) FROM session WHERE origin = $1::bigint AND origin > 0")                      \
  X(CK_POSTGRES_COPY_EVENTS,                                                                      \
    "INSERT INTO event SELECT $2::bigint, seq, timeline, kind, at_ms, encoding, "                 \
    "plain_len, check_sum, scope, agent, body, mac, key_id, decision FROM event WHERE "           \
    "session = $1::bigint AND seq <= $3::bigint")                                                 \
  X(CK_POSTGRES_PUT_EVENT,                                                                        \
    "INSERT INTO event VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, "                  \
    "$5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::text, $10::text, $11::bytea, "           \
    "$12::bytea, $13::bytea, $14::bytea)")                                                        \
  X(CK_POSTGRES_COPY_TIMELINES,                                                                   \
    "INSERT INTO timeline SELECT $2::bigint, no, parent, cut, first_seq, checkpoint, "            \
    "attempt, run, parent_run, about FROM timeline WHERE session = $1::bigint AND no < "          \
    "$3::bigint")                                                                                 \
  X(CK_POSTGRES_COPY_STUB,                                                                        \
    "INSERT INTO checkpoint SELECT $2::bigint, seq, id, parent, 0, timeline, covers, "            \
    "kind, created_ms, clean, resumable, cost_micros, input_tokens, output_tokens, "              \
    "model_calls, tool_calls, unmetered, active_us, changed, format, $6::bigint, 0, "             \
    "events_digest, $5::bytea, digest, $7::bytea, $8::bytea, coalesce($9::bytea, info), "         \
    "'' FROM checkpoint WHERE session = $1::bigint AND seq = $3::bigint AND digest = "            \
    "$4::bytea RETURNING 1")                                                                      \
  X(CK_POSTGRES_COPY_BLOB_USES,                                                                   \
    "INSERT INTO blob_use SELECT $2::bigint, blob FROM blob_use WHERE session = "                 \
    "$1::bigint ON CONFLICT DO NOTHING")                                                          \
  X(CK_POSTGRES_MOVE_ORIGIN,                                                                      \
    "WITH moved AS (UPDATE session SET origin = $3::bigint, cut = $4::bigint WHERE no = "         \
    "$2::bigint AND origin = $1::bigint RETURNING no) UPDATE lease SET base = $4 FROM "           \
    "moved WHERE session = moved.no RETURNING session")                                           \
  X(CK_POSTGRES_DELETE,                                                                           \
    "WITH gone AS (DELETE FROM session WHERE no = $1::bigint RETURNING no), a AS (DELETE "        \
    "FROM pin USING gone WHERE session = gone.no), b AS (DELETE FROM request USING gone "         \
    "WHERE session = gone.no), c AS (DELETE FROM checkpoint USING gone WHERE session = "          \
    "gone.no), d AS (DELETE FROM event USING gone WHERE session = gone.no), e AS (DELETE "        \
    "FROM timeline USING gone WHERE session = gone.no), f AS (DELETE FROM head USING gone "       \
    "WHERE session = gone.no), g AS (DELETE FROM blob USING blob_use u, gone WHERE "              \
    "blob.no = u.blob AND u.session = gone.no AND NOT EXISTS (SELECT 1 FROM blob_use o "          \
    "WHERE o.blob = u.blob AND o.session <> u.session)), h AS (DELETE FROM blob_use USING "       \
    "gone WHERE session = gone.no), i AS (DELETE FROM lease USING gone WHERE session = "          \
    "gone.no), j AS (DELETE FROM output USING gone WHERE session = gone.no) SELECT no FROM "      \
    "gone")                                                                                       \
  X(CK_POSTGRES_PUT_REQUEST,                                                                      \
    "INSERT INTO request (session, kind, body) SELECT no, $2::text, $3::bytea FROM "              \
    "session WHERE no = $1::bigint RETURNING 1")                                                  \
  X(CK_POSTGRES_DROP_REQUEST,                                                                     \
    "WITH fence AS (SELECT session FROM lease WHERE session = $1::bigint AND epoch = "            \
    "$2::bigint AND writer = $3::bigint FOR SHARE), gone AS (DELETE FROM request "                \
    "USING fence WHERE request.session = fence.session AND no = $4::bigint) SELECT "              \
    "count(*) FROM fence")                                                                        \
  X(CK_POSTGRES_GET_REQUEST,                                                                      \
    "SELECT r.no, r.kind, r.body FROM lease LEFT JOIN LATERAL (SELECT no, kind, body "            \
    "FROM request WHERE session = $1::bigint AND no > $4::bigint ORDER BY no LIMIT 1) r "         \
    "ON true WHERE lease.session = $1 AND epoch = $2::bigint AND writer = $3::bigint")            \
  X(CK_POSTGRES_PUT_FACT,                                                                         \
    "INSERT INTO fact VALUES ($1::text, $2::text, $3::bytea, $4::bigint) ON CONFLICT "            \
    "(owner, key) DO UPDATE SET value = excluded.value, updated_ms = excluded.updated_ms")        \
  X(CK_POSTGRES_DROP_FACT, "DELETE FROM fact WHERE owner = $1::text AND key = $2::text")          \
  X(CK_POSTGRES_GET_FACT, "SELECT value FROM fact WHERE owner = $1::text AND key = $2::text")     \
  X(CK_POSTGRES_LIST_FACTS,                                                                       \
    "SELECT owner, key, value, updated_ms FROM fact WHERE (owner, key) > ($1::text, "             \
    "$2::text) AND ($3::text IS NULL OR owner = $3) AND ($4::text = '' OR "                       \
    "starts_with(key, $4)) ORDER BY owner, key LIMIT 200")                                        \
  X(CK_POSTGRES_PUT_BLOB,                                                                         \
    "WITH made AS (INSERT INTO blob (name, kind, encoding, plain_len, body) VALUES "              \
    "($2::bytea, $3::text, $4::bigint, $5::bigint, $6::bytea) ON CONFLICT (name) DO "             \
    "UPDATE SET kind = blob.kind RETURNING no) INSERT INTO blob_use SELECT $1::bigint, no "       \
    "FROM made ON CONFLICT DO NOTHING")                                                           \
  X(CK_POSTGRES_USES_BLOB,                                                                        \
    "SELECT 1 FROM blob JOIN blob_use ON blob = no WHERE name = $2::bytea AND session = "         \
    "$1::bigint")                                                                                 \
  X(CK_POSTGRES_GET_BLOB,                                                                         \
    "SELECT no, name, kind, encoding, plain_len, body FROM blob WHERE name = $1::bytea")          \
  X(CK_POSTGRES_LIST_BLOBS,                                                                       \
    "SELECT no, name, kind, encoding, plain_len, body FROM blob WHERE no > $1::bigint "           \
    "ORDER BY no LIMIT 20")                                                                       \
  X(CK_POSTGRES_LIST_OUTPUTS,                                                                     \
    "SELECT name, sum(octet_length(body))::bigint FROM output WHERE name > $1::text AND "         \
    "($2::text IS NULL OR session = (SELECT no FROM session WHERE id = $2)) GROUP BY name "       \
    "ORDER BY name LIMIT 1000")                                                                   \
  X(CK_POSTGRES_GET_OUTPUT,                                                                       \
    "SELECT last, check_sum, body FROM output WHERE name = $1::text AND part = $2::bigint")       \
  X(CK_POSTGRES_DROP_OUTPUT, "DELETE FROM output WHERE name = $1::text AND session = $2::bigint") \
  X(CK_POSTGRES_PUT_OUTPUT,                                                                       \
    "INSERT INTO output (name, part, session, last, check_sum, body) VALUES ($1::text, "          \
    "$2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bytea) ON CONFLICT (name, part) DO "     \
    "UPDATE SET last = excluded.last, check_sum = excluded.check_sum, body = excluded.body")      \
  X(CK_POSTGRES_MOVE_OUTPUT,                                                                      \
    "UPDATE output SET name = $3::text WHERE name = $1::text AND session = $2::bigint")

#endif
