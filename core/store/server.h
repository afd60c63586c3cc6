/* server.h - what a store on a server can be asked for beside its sessions: that another server has
 * each commit, too, and how the server is. */
#ifndef CK_STORE_SERVER_H
#define CK_STORE_SERVER_H

#include "core/store/store.h"

/* From now on each power-durable commit of this handle is applied at a synchronous standby as well
 * before it is answered. CK_E_UNSUPPORTED: the store is no server's; CK_E_REFUSED: its server has
 * no synchronous standby. It is asked now, and not again for each commit. */
CK_CHECKED ck_status ck_store_replicate(ck_store *self, ck_error *err);

/* One thing to be known (CK_OK) or to be mended: `check` is static, `text` borrowed. */
typedef void (*ck_server_visit)(void *to, const char *check, ck_status status, const char *text);
/* Of a store that is no server's nothing is told. */
CK_CHECKED ck_status ck_store_examine(ck_store *self, ck_server_visit visit, void *to,
                                      ck_error *err);

/* All or none, of a backend. */
typedef struct ck_server_functions {
  CK_CHECKED ck_status (*replicate)(void *self, ck_error *err);
  CK_CHECKED ck_status (*examine)(void *self, ck_server_visit visit, void *to, ck_error *err);
} ck_server_functions;

#endif
