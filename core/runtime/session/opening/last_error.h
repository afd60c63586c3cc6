/* last_error.h - what failed where a scope is when a run goes on. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_LAST_ERROR_H
#define CK_RUNTIME_SESSION_OPENING_LAST_ERROR_H

#include "core/base/error.h"

typedef struct ck_session ck_session;
typedef struct ck_scope ck_scope;

/* What failed before the last boundary of the scope that the run goes on from, for its turn. */
CK_CHECKED ck_status ck_session_find_error(ck_session *self, ck_scope *scope, ck_error *err);

#endif
