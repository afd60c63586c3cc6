/* place.h - where the main scope is when a run goes on. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_PLACE_H
#define CK_RUNTIME_SESSION_OPENING_PLACE_H

#include "core/base/error.h"

typedef struct ck_session ck_session;

/* A pause is told of as where the main scope is. The checkpoint that a run goes on from can be one
 * of another scope: then the main scope's last boundary before it tells. A flow without nodes stays
 * where that checkpoint was taken. */
CK_CHECKED ck_status ck_session_find_place(ck_session *self, ck_error *err);

#endif
