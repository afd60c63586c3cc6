/* reserve.h - reservations of sessions among the workers of a store in a file. Private to
 * core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_RESERVE_H
#define CK_STORE_SQLITE_RESERVE_H

#include "core/store/backend.h"

void ck_sqlite_add_reservation(ck_backend *backend);

#endif
