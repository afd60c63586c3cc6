/* rekey.h - the parts of a change of key, in a transaction of the writer. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_REKEY_H
#define CK_STORE_SQLITE_REKEY_H

#include "core/store/sqlite/sqlite.h"

/* All heads, in a transaction; their checks are still made with the seal in use. */
CK_CHECKED ck_status ck_sqlite_rekey_heads(ck_sqlite *self, const ck_rekey *with, ck_error *err);
/* All blobs, likewise. */
CK_CHECKED ck_status ck_sqlite_rekey_blobs(ck_sqlite *self, const ck_rekey *with, ck_error *err);
/* rekey.c: the entry about the key; and what this handle remembers of it, behind the commit. */
CK_CHECKED ck_status ck_sqlite_put_entry(ck_sqlite *self, ck_bytes entry, ck_error *err);
CK_CHECKED ck_status ck_sqlite_note_entry(ck_sqlite *self, ck_bytes entry, ck_error *err);
/* CK_E_OWNED while a session is being run. */
CK_CHECKED ck_status ck_sqlite_check_idle(ck_sqlite *self, ck_error *err);

#endif
