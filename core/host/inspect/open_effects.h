/* open_effects.h - lists the effects of a session that need a person: questions, and effects in
 * doubt. */
#ifndef CK_HOST_INSPECT_OPEN_EFFECTS_H
#define CK_HOST_INSPECT_OPEN_EFFECTS_H

#include "core/host/session/remote_command.h"

typedef enum { CK_OPEN_QUESTIONS, CK_OPEN_DOUBTS } ck_open_effects;

/* One row or one JSON object for each; `*count` of them. Prints nothing when there are none. */
CK_CHECKED ck_status ck_open_effects_print(size_t *count, const ck_remote_command *remote,
                                           ck_open_effects which, ck_error *err);

#endif
