/* foreign.h - the rows of a SQLite database that is another program's. */
#ifndef CK_STORE_SQLITE_FOREIGN_H
#define CK_STORE_SQLITE_FOREIGN_H

#include "core/base/buffer.h"
#include "core/base/error.h"

/* Appends a line of JSON for each row of those tables that it has, the last name is NULL:
 * {"table": its name, "COLUMN": value, …}, in the order of the first three columns. A blob is what
 * it says where it is JSON or MessagePack, {"$bytes": base64} otherwise. What a log beside the file
 * holds is read, too; nothing is written. CK_E_PARSE: it is no database, or a damaged one.
 * CK_E_OVERSIZE: it has more than `most` bytes. */
CK_CHECKED ck_status ck_foreign_read(ck_buffer *out, const char *path, const char *const *tables,
                                     size_t most, ck_error *err);

#endif
