/* maintenance.h - prunes and pins that another process requests of a running session. */
#ifndef CK_RUNTIME_SESSION_MAINTENANCE_H
#define CK_RUNTIME_SESSION_MAINTENANCE_H

#include "core/runtime/session/requests.h"

/* Prunes or pins as the request says. What cannot be done is a problem for its note: CK_E_USAGE,
 * CK_E_NOT_FOUND, the store's. */
CK_CHECKED ck_status ck_session_serve_maintenance(ck_session *self,
                                                  const ck_session_request *request, ck_error *err);

#endif
