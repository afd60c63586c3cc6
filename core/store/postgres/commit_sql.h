/* commit_sql.h - the statement of one session's commit: the fence, and what is written behind it.
 * The server makes every part of a statement ready each time, also one that writes nothing then, so
 * a commit's statement has the parts that it needs. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_COMMIT_SQL_H
#define CK_STORE_POSTGRES_COMMIT_SQL_H

#include "core/store/postgres/postgres.h"

enum { CK_POSTGRES_ANY_SEQ = -1 };
/* So many events are a row of arguments each. Of more every column is an array, which costs as much
 * as a row or two. */
enum { CK_POSTGRES_FEW_EVENTS = 2 };

/* Of a commit what is not in its batch. */
typedef struct ck_postgres_commit_as {
  int64_t writer;    /* that the lease's row must have */
  int64_t last_seq;  /* the same; or CK_POSTGRES_ANY_SEQ */
  bool has_parent;   /* the checkpoint's parent is known to be there; else it is looked for */
  int64_t lease_ms;  /* from the commit on */
  const char *level; /* of synchronous_commit */
} ck_postgres_commit_as;

/* It answers with a row; with none when the lease's row was another, or there is no such parent,
 * and nothing was written. */
ck_postgres_sql ck_postgres_commit_of(const ck_row_batch *batch, const ck_postgres_commit_as *as);
bool ck_postgres_asks_parent(const ck_row_batch *batch, const ck_postgres_commit_as *as);

/* ---- commit_bind.c ---- */
/* *out: that statement and its arguments, borrowed. */
void ck_postgres_bind_commit(ck_postgres_query *out, const ck_row_batch *batch,
                             const ck_postgres_commit_as *as);

#endif
