/* conversations.h - the conversations that a checkpoint restores, as a document. */
#ifndef CK_HOST_INSPECT_CONVERSATIONS_H
#define CK_HOST_INSPECT_CONVERSATIONS_H

#include "core/host/inspect/snapshot.h"
#include "core/host/print/document.h"

/* Adds conversation_states: by scope its messages, oldest first. Open scopes up to their own cut,
 * as a later attempt continues them; those that have ended, with all that was said in them, since
 * an agent that is asked again goes on there. */
CK_CHECKED ck_status ck_conversations_put(ck_document *document, struct cJSON *at,
                                          const ck_snapshot *snapshot, ck_error *err);

#endif
