/* session_screen.h - one session on a terminal: how it stands, what failed, what to do next, what
 * it cost, what it did last. */
#ifndef CK_HOST_INSPECT_SESSION_SCREEN_H
#define CK_HOST_INSPECT_SESSION_SCREEN_H

#include "core/host/inspect/session_view.h"

CK_CHECKED ck_status ck_session_screen_print(const ck_session_view *self, ck_output *output,
                                             ck_error *err);

#endif
