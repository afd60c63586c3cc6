/* scrub.h - the parts of a scrub (core/store/scrub.h). Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_SCRUB_H
#define CK_STORE_SQLITE_SCRUB_H

#include "core/store/sqlite/sqlite.h"

/* ---- scrub.c: as in backend.h ---- */
CK_CHECKED ck_status ck_sqlite_scrub(void *self, const ck_lease *leases, size_t count,
                                     const ck_row_scrub *with, ck_error *err);

/* ---- head.c ---- */
/* seq 0: the session has none. As the transaction sees it. */
CK_CHECKED ck_status ck_sqlite_read_head(ck_head_row *out, ck_sqlite *self, int64_t session,
                                         ck_error *err);

/* ---- blob.c ---- */
/* Kept for the session, in a transaction; what is there already is not written again. */
CK_CHECKED ck_status ck_sqlite_put_blob_rows(ck_sqlite *self, int64_t session,
                                             const ck_blob_row *rows, size_t count, ck_error *err);
/* The columns of CK_SQL_BLOB, borrowed. False: they cannot have been written. */
bool ck_sqlite_take_blob(ck_blob_row *out, sqlite3_stmt *stmt);

/* ---- rekey.c ---- */
/* Moves the log into the file and cuts it: overwritten content is zeroed in the file
 * (secure_delete), but the log still has the old pages. CK_E_BUSY: a reader needs it. */
CK_CHECKED ck_status ck_sqlite_clear_log(void *self, ck_error *err);

#endif
