/* chat.h - writes a conversation as every provider of models accepts it, whatever it held.
 *
 * The messages are those of the chat-completions API: {role, content}, of an assistant that calls
 * also tool_calls [{id, type: "function", function: {name, arguments (a string)}}], and
 * {role: "tool", tool_call_id, name, content} for each call, behind its message and in the order of
 * the calls. Every content is a string; ids are unique in the history and of the letters that both
 * public APIs take; behind the prompt the user speaks first; no turn is empty. Signed thinking is
 * left out whole. */
#ifndef CK_RUNTIME_PORTABLE_CHAT_H
#define CK_RUNTIME_PORTABLE_CHAT_H

#include "core/model/conversation.h"

/* The result of a call of which none is recorded. */
#define CK_CHAT_NO_RESULT "Error: no result of this call was recorded"

/* Messages in the order they were said. Zero-initialise. */
typedef struct ck_chat {
  ck_value **list; /* owned; shared */
  size_t count, cap;
  /* A refusal is a member of its message, as chat completions have it, not the assistant's words */
  bool refusals;
} ck_chat;
void ck_chat_clear(ck_chat *self);
/* Shares `message`. */
CK_CHECKED ck_status ck_chat_add(ck_chat *self, const ck_value *message, ck_error *err);
CK_CHECKED ck_status ck_chat_add_all(ck_chat *self, const ck_conversation *from, ck_error *err);

/* Writes the array. `opening`: what the user said first, where the messages do not begin with the
 * user's words. `kept`: as conversations are kept, where an assistant that calls and says nothing
 * has the content null. */
CK_CHECKED ck_status ck_chat_write(ck_json_writer *w, const ck_chat *self, ck_bytes opening,
                                   bool kept, ck_error *err);

#endif
