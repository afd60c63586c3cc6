/* answering.h - gives a session a person's answer: at rest it is kept for the next resume, a
 * running one is given it at once. */
#ifndef CK_HOST_SESSION_ANSWERING_H
#define CK_HOST_SESSION_ANSWERING_H

#include "core/host/session/remote_command.h"

/* What would be masked of `text`, as it was given; `effect` as below. */
CK_CHECKED ck_status ck_answering_find_masking(ck_masking *out, ck_remote_command *remote,
                                               const char *text, const char *effect, ck_error *err);
/* `text` is redacted for storage already (ck_remote_command_clean); `effect` NULL: the only
 * question. The head is refreshed behind it. CK_E_USAGE: there are several questions; CK_E_REFUSED:
 * nothing waits for it, or it is none of the answers that can be given. */
CK_CHECKED ck_status ck_answering_give(ck_remote_command *remote, const char *text,
                                       const char *effect, ck_error *err);

#endif
