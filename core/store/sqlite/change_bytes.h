/* change_bytes.h - single sealed values of rows, changed by SQL statements. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_CHANGE_BYTES_H
#define CK_STORE_SQLITE_CHANGE_BYTES_H

#include "core/store/sqlite/sqlite.h"

/* The first failure stays in `status` and `err`; the statement ends with an error then. */
typedef struct ck_bytes_change {
  /* Appends what takes the place of the bytes. */
  ck_status (*change)(ck_buffer *out, void *self, const ck_rekey_bytes *what, ck_error *err);
  void *self;
  ck_status status;
  ck_error *err;
} ck_bytes_change;

/* Registers the SQL function `name`(USE, NAME, ID, CREATED_MS, BYTES or TEXT), which leaves NULL as
 * it is; `by` NULL: takes it away. Returns SQLite's code. */
int ck_bytes_change_add(sqlite3 *db, const char *name, ck_bytes_change *by);
/* Runs SQL without rows that calls it. */
CK_CHECKED ck_status ck_bytes_change_run(ck_sqlite *self, const ck_bytes_change *by,
                                         const char *sql, const char *doing, ck_error *err);

#endif
