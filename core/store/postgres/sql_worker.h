/* sql_worker.h - statements of workers, which look for sessions to run. Private to
 * core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_WORKER_H
#define CK_STORE_POSTGRES_SQL_WORKER_H

/* X(enumerator, text): as in sql.h. The number of a reservation's lock is that of the session and
 * the time, in steps of so many ms; that of the step before must be nobody's. */
#define CK_POSTGRES_SQL_WORKER_TABLE(X)                                                        \
  X(CK_POSTGRES_RESERVE,                                                                       \
    "SELECT CASE WHEN NOT pg_try_advisory_lock(this) THEN false WHEN "                         \
    "pg_try_advisory_lock(this - 1) THEN pg_advisory_unlock(this - 1) ELSE NOT "               \
    "pg_advisory_unlock(this) END, this FROM (SELECT $1::bigint + floor(extract(epoch FROM "   \
    "clock_timestamp()) * 1000 / $2::bigint)::bigint AS this OFFSET 0) place")                 \
  X(CK_POSTGRES_UNRESERVE, "SELECT pg_advisory_unlock($1::bigint)")                            \
  X(CK_POSTGRES_LIST_LEAN,                                                                     \
    "SELECT s.no, s.id, s.status, s.reason, l.epoch, s.timeline, s.run, s.created_ms, "        \
    "s.updated_ms, s.profile, NULL::text, NULL::bytea, NULL::text, s.origin, s.cut, "          \
    "s.restarts, s.restarted_ms, s.progress, NULL::text, NULL::text FROM session s JOIN "      \
    "lease l ON l.session = s.no WHERE s.no < $1::bigint AND ($2::bigint >> "                  \
    "s.status::integer) & 1 = 1 AND (s.updated_ms >= $3::bigint OR s.status = 1) ORDER BY "    \
    "s.no DESC LIMIT 2000")                                                                    \
  X(CK_POSTGRES_GROUP,                                                                         \
    "SELECT status, CASE WHEN status = 2 THEN reason END, count(*), min(updated_ms) FROM "     \
    "session GROUP BY 1, 2")                                                                   \
  X(CK_POSTGRES_PUT_LAPSE,                                                                     \
    "UPDATE session s SET restarts = s.restarts - 1 FROM lease l WHERE s.no = $1::bigint AND " \
    "l.session = s.no AND s.status IN (1, 5) AND $2::bigint BETWEEN l.epoch - s.restarts + 1 " \
    "AND l.epoch")                                                                             \
  X(CK_POSTGRES_REFUSE,                                                                        \
    "UPDATE lease l SET fault = $3::text FROM session s WHERE s.id = $1::text AND l.session "  \
    "= s.no AND l.epoch = $2::bigint")

#endif
