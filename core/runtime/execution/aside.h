/* aside.h - a model's call with messages of its own. Within the room. */
#ifndef CK_RUNTIME_EXECUTION_ASIDE_H
#define CK_RUNTIME_EXECUTION_ASIDE_H

#include "core/runtime/execution/call_private.h"

/* The messages that the request brings, if it does. CK_E_FLOW: they are none. */
CK_CHECKED ck_status ck_call_take_messages(ck_call *self, ck_error *err);

#endif
