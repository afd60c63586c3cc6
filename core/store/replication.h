/* replication.h - commits that another server has, too, before they are called durable. */
#ifndef CK_STORE_REPLICATION_H
#define CK_STORE_REPLICATION_H

#include "core/store/store.h"

/* From now on each power-durable commit of this handle is applied at a synchronous standby as well
 * before it is answered. CK_E_UNSUPPORTED: the store is no server's; CK_E_REFUSED: its server has
 * no synchronous standby. It is asked now, and not again for each commit. */
CK_CHECKED ck_status ck_store_replicate(ck_store *self, ck_error *err);

#endif
