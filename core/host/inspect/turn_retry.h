/* turn_retry.h - how a retry of an agent's turn would go on: in the agent's session, or anew. */
#ifndef CK_HOST_INSPECT_TURN_RETRY_H
#define CK_HOST_INSPECT_TURN_RETRY_H

#include "core/host/print/document.h"
#include "core/host/session/remote_command.h"

/* Whether the key is that of an agent's turn. */
bool ck_turn_retry_is_of(const char *key);
/* With JSON the member `retry`: {by: "resume" | "load" | "new", session?}; else, for `document`
 * NULL, a notice. */
CK_CHECKED ck_status ck_turn_retry_tell(ck_document *document, const ck_remote_command *remote,
                                        const char *key, ck_error *err);

#endif
