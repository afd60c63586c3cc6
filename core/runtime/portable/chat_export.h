/* chat_export.h - a session as conversations in the form of chat completions. */
#ifndef CK_RUNTIME_PORTABLE_CHAT_EXPORT_H
#define CK_RUNTIME_PORTABLE_CHAT_EXPORT_H

#include "core/redact/redact.h"
#include "core/store/store.h"

/* Appends a line for each scope and agent that said something, in the order in which they began:
 * {"session_id", "conversation_id" (its number, a text), "scope", "agent", "usage":
 * {"prompt_tokens", "completion_tokens"}, "cost_usd", "messages"}. Messages are as chat.h has them;
 * what was left behind is not among them, nor is a turn without a word, such as one that its
 * provider paused. All that was paid for is in usage and cost, so that the lines come to what the
 * session has spent; where nothing is left of who spent it, in the first. */
CK_CHECKED ck_status ck_chat_export(ck_buffer *out, ck_store *store, const ck_head *head,
                                    ck_redactor *redactor, ck_error *err);

#endif
