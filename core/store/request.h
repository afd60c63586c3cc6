/* request.h - requests to the owner of a session, left in the store by other processes. */
#ifndef CK_STORE_REQUEST_H
#define CK_STORE_REQUEST_H

#include "core/model/request.h"
#include "core/store/store.h"

/* Process-durable. CK_E_NOT_FOUND: there is no such session. CK_E_UNSUPPORTED. */
CK_CHECKED ck_status ck_store_put_request(ck_store *self, const ck_request *request, ck_error *err);
/* The oldest request of the leased session behind number `after`, which stays in the store; false
 * in *found when there is none. Requests of several processes can come in another order than that
 * of their numbers. CK_E_CORRUPT: that one is not what was written; its number is in out->no, so
 * that those behind it can be asked for. CK_E_FENCED. */
CK_CHECKED ck_status ck_store_get_request(ck_request *out, bool *found, ck_store *self,
                                          ck_lease lease, int64_t after, ck_error *err);
/* Takes request `no` of the leased session out of the store: it is carried out. Process-durable;
 * one that is not there is out already. CK_E_FENCED. */
CK_CHECKED ck_status ck_store_drop_request(ck_store *self, ck_lease lease, int64_t no,
                                           ck_error *err);

#endif
