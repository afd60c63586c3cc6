/* describe.h - an event in one line, for a person. */
#ifndef CK_RUNTIME_SESSION_TAIL_DESCRIBE_H
#define CK_RUNTIME_SESSION_TAIL_DESCRIBE_H

#include "core/model/event.h"

/* Appends what happened as plain text: not yet redacted, not yet escaped. */
void ck_describe_event(ck_buffer *out, const ck_event *event);
/* Appends a chat message as "assistant: text [calls tool arguments]"; of content blocks texts,
 * calls, and "[result …]" or "[error …]" of tools, others as they are. */
void ck_describe_message(ck_buffer *out, ck_bytes message);

#endif
