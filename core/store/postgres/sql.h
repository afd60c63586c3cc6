/* sql.h - every prepared statement of the PostgreSQL backend. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_H
#define CK_STORE_POSTGRES_SQL_H

#include "core/store/postgres/sql_copy.h"
#include "core/store/postgres/sql_maintenance.h"
#include "core/store/postgres/sql_read.h"
#include "core/store/postgres/sql_rekey.h"
#include "core/store/postgres/sql_run.h"
#include "core/store/postgres/sql_worker.h"

/* X(enumerator, text): each is prepared once per connection, when it is first needed. */
/* clang-format off */
#define CK_POSTGRES_SQL_TABLE(X) \
  CK_POSTGRES_SQL_RUN_TABLE(X)   \
  CK_POSTGRES_SQL_WORKER_TABLE(X) \
  CK_POSTGRES_SQL_MAINTENANCE_TABLE(X) \
  CK_POSTGRES_SQL_COPY_TABLE(X) \
  CK_POSTGRES_SQL_REKEY_TABLE(X) \
  CK_POSTGRES_SQL_READ_TABLE(X)
/* clang-format on */

typedef enum {
#define X(name, text) name,
  CK_POSTGRES_SQL_TABLE(X)
#undef X
  /* Behind them are those that are composed (commit_sql.h). */
  CK_POSTGRES_COMMIT,
  CK_POSTGRES_COMMITS = 64,
  CK_POSTGRES_SQL_COUNT = CK_POSTGRES_COMMIT + CK_POSTGRES_COMMITS
} ck_postgres_sql;

#endif
