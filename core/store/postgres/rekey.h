/* rekey.h - rows that are read page by page in a transaction of the writer, and written again.
 * Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_REKEY_H
#define CK_STORE_POSTGRES_REKEY_H

#include "core/store/postgres/postgres.h"

/* A walk through a table: the last row's key, in as many numbers as its statement has. */
typedef struct ck_postgres_walk {
  ck_postgres *store;
  const ck_rekey *with;
  int64_t at[2];
  int64_t rows;
} ck_postgres_walk;
/* Changes the row and moves `at` behind it. */
typedef ck_status (*ck_postgres_change)(ck_postgres_walk *self, const ck_postgres_row *row,
                                        ck_error *err);
/* ---- rekey_tables.c ---- */
/* One page; *more: there was a row. `query` is cleared. */
CK_CHECKED ck_status ck_postgres_change_page(bool *more, ck_postgres_walk *self,
                                             ck_postgres_query *query, ck_postgres_change change,
                                             ck_error *err);
/* All that is neither event nor checkpoint. */
CK_CHECKED ck_status ck_postgres_rekey_tables(ck_postgres *self, const ck_rekey *with,
                                              ck_error *err);

#endif
