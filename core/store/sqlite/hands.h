/* hands.h - who could have changed the files of a store. Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_HANDS_H
#define CK_STORE_SQLITE_HANDS_H

#include "core/base/error.h"

/* CK_E_REFUSED names what others can write: a file of the store, its log, locks and outputs, or its
 * folder. `path` as ck_sqlite_resolve gives it. */
CK_CHECKED ck_status ck_sqlite_check_hands(const char *path, ck_error *err);

#endif
