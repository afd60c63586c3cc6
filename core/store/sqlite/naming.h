/* naming.h - the SQL function may_name(BODY, NAME): whether the plain body of an event may name an
 * agent as one of its texts. Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_NAMING_H
#define CK_STORE_SQLITE_NAMING_H

struct sqlite3;

/* Registers it on a connection; answers a code of SQLite. */
int ck_naming_add_function(struct sqlite3 *db);

#endif
