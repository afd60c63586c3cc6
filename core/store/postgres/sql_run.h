/* sql_run.h - statements that run sessions: commits, leases, openings. Private to
 * core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_RUN_H
#define CK_STORE_POSTGRES_SQL_RUN_H

/* Of two columns the second is how long it lasts, in ms. Behind a start of the server, or a
 * failover to another one, that is one lease (`ms`) at least: its owner may not have been able to
 * renew it, or had renewed it by an answer that this server does not know of. In `meta`, "serving"
 * is when the server of which it tells was first met; another one has just been met. */
#define CK_POSTGRES_STARTED \
  "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text"
#define CK_POSTGRES_MET                                                                    \
  "coalesce((SELECT to_timestamp(split_part(convert_from(value, 'UTF8'), ' ', 2)::bigint " \
  "/ 1000000.0) FROM meta WHERE key = 'serving' AND split_part(convert_from(value, "       \
  "'UTF8'), ' ', 1) = " CK_POSTGRES_STARTED "), clock_timestamp())"
#define CK_POSTGRES_END(ms)                                                          \
  "greatest(l.expires, CASE WHEN l.expires > 'epoch' THEN " CK_POSTGRES_MET " + " ms \
  "::bigint * interval '1 millisecond' END)"
#define CK_POSTGRES_LASTS(ms)                                   \
  CK_POSTGRES_END(ms)                                           \
  " > clock_timestamp(), (extract(epoch FROM " CK_POSTGRES_END( \
      ms) " - clock_timestamp()) * 1000)::bigint"

/* X(enumerator, text): as in sql.h. */
#define CK_POSTGRES_SQL_RUN_TABLE(X)                                                              \
  X(CK_POSTGRES_EXPLAIN,                                                                          \
    "SELECT epoch, writer, last_seq, $2::bigint <= base OR EXISTS (SELECT 1 FROM "                \
    "checkpoint c WHERE c.session = $1::bigint AND c.seq = $2) FROM lease WHERE session = "       \
    "$1")                                                                                         \
  X(CK_POSTGRES_CREATE,                                                                           \
    "WITH made AS (INSERT INTO session (id, status, reason, failure, node, timeline, run, "       \
    "created_ms, updated_ms, profile, flow, description, input, origin, cut) VALUES "             \
    "($1::text, $2::bigint, $3::text, $4::text, $5::text, $6::bigint, $7::text, "                 \
    "$8::bigint, $8, $9::text, $10::text, $11::text, $12::bytea, $13::bigint, "                   \
    "$14::bigint) ON CONFLICT (id) DO NOTHING RETURNING no), leased AS (INSERT INTO lease "       \
    "(session, epoch, writer, base, last_seq, expires, owner) SELECT no, 1, $15::bigint, "        \
    "$14, $14, clock_timestamp() + $16::bigint * interval '1 millisecond', $17::text FROM "       \
    "made) SELECT no FROM made")                                                                  \
  X(CK_POSTGRES_LOCK,                                                                             \
    "SELECT s.no, l.epoch, l.last_seq, (SELECT max(t.no) FROM timeline t WHERE t.session "        \
    "= s.no), l.owner, " CK_POSTGRES_LASTS("$2") " FROM session s JOIN lease l ON l.session "     \
                                                 "= s.no WHERE s.id = $1::text FOR UPDATE OF l")  \
  X(CK_POSTGRES_OWNER,                                                                            \
    "SELECT s.no, l.epoch, l.last_seq, 0::bigint, l.owner, " CK_POSTGRES_LASTS(                   \
        "$2") ", l.fault FROM session s JOIN lease l ON l.session = s.no WHERE s.id = $1::text")  \
  X(CK_POSTGRES_ACQUIRE,                                                                          \
    "WITH changed AS (UPDATE session SET status = $2::bigint, reason = $3::text, failure "        \
    "= $4::text, node = $5::text, timeline = $6::bigint, run = $7::text, updated_ms = "           \
    "greatest(updated_ms, $8::bigint), restarts = $9::bigint, restarted_ms = $10::bigint, "       \
    "progress = $11::bigint WHERE no = $1::bigint) UPDATE lease SET epoch = epoch + 1, "          \
    "writer = $12::bigint, owner = $13::text, fault = NULL, expires = clock_timestamp() + "       \
    "$14::bigint * interval '1 millisecond' WHERE session = $1 RETURNING session")                \
  X(CK_POSTGRES_OWN,                                                                              \
    "UPDATE lease SET writer = $2::bigint, owner = $3::text, fault = NULL, expires = "            \
    "clock_timestamp() + $4::bigint * interval '1 millisecond' WHERE session = $1::bigint "       \
    "RETURNING session")                                                                          \
  X(CK_POSTGRES_RELEASE,                                                                          \
    "UPDATE lease SET owner = NULL, fault = NULL, expires = 'epoch' WHERE session = "             \
    "$1::bigint AND epoch = $2::bigint AND writer = $3::bigint")                                  \
  X(CK_POSTGRES_RENEW,                                                                            \
    "UPDATE lease SET expires = clock_timestamp() + $3::bigint * interval '1 millisecond' "       \
    "WHERE session IN (SELECT session FROM lease WHERE session = ANY ($1::bigint[]) AND "         \
    "owner = $2::text ORDER BY session FOR UPDATE SKIP LOCKED) RETURNING session, epoch")         \
  X(CK_POSTGRES_REFENCE,                                                                          \
    "UPDATE lease l SET writer = u.now FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) u "  \
    "(session, was, now) WHERE l.session = u.session AND l.writer IN (u.was, u.now)")             \
  X(CK_POSTGRES_FAULT,                                                                            \
    "UPDATE lease SET fault = $4::text WHERE session = $1::bigint AND epoch = $2::bigint "        \
    "AND writer = $3::bigint")                                                                    \
  X(CK_POSTGRES_PUT_TIMELINE,                                                                     \
    "INSERT INTO timeline VALUES ($1::bigint, $2::bigint, $3::bigint, $4::bigint, "               \
    "$5::bigint, $6::bigint, $7::bigint, $8::text, $9::text, $10::bytea)")                        \
  X(CK_POSTGRES_LOCK_BASE,                                                                        \
    "WITH RECURSIVE up(no, origin, cut) AS (SELECT no, origin, cut FROM session WHERE no "        \
    "= $1::bigint UNION ALL SELECT s.no, s.origin, s.cut FROM up JOIN session s ON s.no = "       \
    "up.origin WHERE $2::bigint <= up.cut) SELECT session FROM lease WHERE session = "            \
    "(SELECT min(no) FROM up) FOR SHARE")                                                         \
  X(CK_POSTGRES_HAS_BASE,                                                                         \
    "WITH RECURSIVE up(no, origin, cut) AS (SELECT no, origin, cut FROM session WHERE no "        \
    "= $1::bigint UNION ALL SELECT s.no, s.origin, s.cut FROM up JOIN session s ON s.no = "       \
    "up.origin WHERE $2::bigint <= up.cut) SELECT 1 FROM checkpoint WHERE session = "             \
    "(SELECT min(no) FROM up) AND seq = $2 AND encoding & 8 = 0")                                 \
  X(CK_POSTGRES_CHECK_LEASE,                                                                      \
    "SELECT epoch, writer FROM lease WHERE session = $1::bigint FOR UPDATE")                      \
  X(CK_POSTGRES_SERVE,                                                                            \
    "WITH now AS (SELECT " CK_POSTGRES_STARTED " AS started) INSERT INTO meta SELECT 'serving', " \
    "convert_to(started || ' ' || (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, "    \
    "'UTF8') FROM now WHERE NOT EXISTS (SELECT FROM meta WHERE key = 'serving' AND "              \
    "split_part(convert_from(value, 'UTF8'), ' ', 1) = started) ON CONFLICT (key) DO UPDATE "     \
    "SET value = excluded.value")                                                                 \
  X(CK_POSTGRES_EXAMINE,                                                                          \
    "SELECT current_setting('server_version'), current_setting('fsync'), "                        \
    "current_setting('full_page_writes'), current_setting('synchronous_standby_names'), "         \
    "current_setting('max_connections')::bigint - "                                               \
    "current_setting('superuser_reserved_connections')::bigint, (SELECT count(*) FROM "           \
    "pg_stat_activity WHERE backend_type = 'client backend'), (extract(epoch FROM "               \
    "clock_timestamp()) * 1000)::bigint, (SELECT count(*) FROM pg_stat_replication), (SELECT "    \
    "count(*) FROM pg_locks WHERE NOT granted), (SELECT string_agg(DISTINCT p, ', ') FROM "       \
    "pg_tables t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) p WHERE t.schemaname = "  \
    "current_schema() AND NOT has_table_privilege(format('%I.%I', t.schemaname, t.tablename), "   \
    "p)), current_user::text, (SELECT count(*) FROM lease WHERE owner IS NOT NULL AND expires < " \
    "clock_timestamp())")                                                                         \
  X(CK_POSTGRES_GET_STANDBYS, "SELECT current_setting('synchronous_standby_names')")              \
  X(CK_POSTGRES_GET_META, "SELECT value FROM meta WHERE key = $1::text")                          \
  X(CK_POSTGRES_PUT_META, "INSERT INTO meta VALUES ($1::text, $2::bytea)")

#endif
