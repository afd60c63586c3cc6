/* archive.h - copies sessions from store to store, row by row, as they are stored. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_ARCHIVE_H
#define CK_STORE_SQLITE_ARCHIVE_H

#include "core/store/sqlite/sqlite.h"

/* One session on its way. Both databases are in a transaction of the caller. */
typedef struct ck_copying {
  const ck_sqlite *from, *into; /* for errors */
  sqlite3 *source, *target;
  int64_t session; /* its number there */
  int64_t as;      /* and here */
  int64_t origin;  /* the number here of the session that it was forked from; 0: none */
} ck_copying;

/* What seals the store's rows: its fingerprint key, and the entry about its key. */
CK_CHECKED ck_status ck_copying_identity(const ck_copying *self, ck_error *err);
/* All rows of the session, and the files that it needs. CK_E_CORRUPT: one is not what was
 * written. */
CK_CHECKED ck_status ck_copying_session(const ck_copying *self, ck_error *err);
/* Payloads alone, to a session that is here: *out: how many checkpoints are not pruned any more.
 * *foreign: the seq of the first checkpoint there that is not the one here; 0: all are. */
CK_CHECKED ck_status ck_copying_payloads(int64_t *out, int64_t *foreign, const ck_copying *self,
                                         ck_error *err);

/* As in backend.h: restore.c. */
CK_CHECKED ck_status ck_sqlite_restore(void *self, const char *path, ck_restored_visit visit,
                                       void *to, ck_error *err);
void ck_sqlite_add_copy(ck_backend *backend); /* copying.c */
/* sqlite.c: all functions of the backend. */
void ck_sqlite_add_functions(ck_backend *out, ck_sqlite *self);
/* sqlite.c: makes the schema in the empty database `db` of `draft`, in one transaction, with what
 * `fill` (NULL: nothing) writes there. */
CK_CHECKED ck_status ck_sqlite_make_schema(const ck_sqlite *draft, sqlite3 *db,
                                           ck_status (*fill)(void *to, ck_error *err), void *to,
                                           ck_error *err);

#endif
