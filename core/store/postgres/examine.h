/* examine.h - what a server is asked for beside its sessions (core/store/server.h). Private to
 * core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_EXAMINE_H
#define CK_STORE_POSTGRES_EXAMINE_H

#include "core/store/backend.h"

CK_CHECKED ck_status ck_postgres_replicate(void *self, ck_error *err);
CK_CHECKED ck_status ck_postgres_examine(void *self, ck_server_visit visit, void *to,
                                         ck_error *err);

#endif
