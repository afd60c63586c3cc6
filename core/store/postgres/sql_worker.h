/* sql_worker.h - statements of workers, which look for sessions to run. Private to
 * core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_WORKER_H
#define CK_STORE_POSTGRES_SQL_WORKER_H

/* X(enumerator, text): as in sql.h. The number of a reservation's lock is that of the session and
 * the time, in steps of so many ms; that of the step before must be nobody's. */
#define CK_POSTGRES_SQL_WORKER_TABLE(X)                                                       \
  X(CK_POSTGRES_RESERVE,                                                                      \
    "SELECT CASE WHEN NOT pg_try_advisory_lock(this) THEN false WHEN "                        \
    "pg_try_advisory_lock(this - 1) THEN pg_advisory_unlock(this - 1) ELSE NOT "              \
    "pg_advisory_unlock(this) END, this FROM (SELECT $1::bigint + floor(extract(epoch FROM "  \
    "clock_timestamp()) * 1000 / $2::bigint)::bigint AS this OFFSET 0) place")                \
  X(CK_POSTGRES_UNRESERVE, "SELECT pg_advisory_unlock($1::bigint)")                           \
  X(CK_POSTGRES_REFUSE,                                                                       \
    "UPDATE lease l SET fault = $3::text FROM session s WHERE s.id = $1::text AND l.session " \
    "= s.no AND l.epoch = $2::bigint")

#endif
