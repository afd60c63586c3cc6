/* message.h - one message of a conversation, in whichever way it is spelt.
 *
 *   chat completions   {role, content, tool_calls: [{id, type, function: {name, arguments}}]}, and
 *                      {role: "tool", tool_call_id, name?, content}
 *   messages           {role, content: [{type: "text" | "tool_use" | "thinking" | …}]}
 *   camelCase          {role, content, toolCalls: [{id, name, args}]}, and
 *                      {role: "tool", toolCallId, toolName?, content}
 *
 * Spans point into the message; those of an absent member have no bytes. */
#ifndef CK_RUNTIME_PORTABLE_MESSAGE_H
#define CK_RUNTIME_PORTABLE_MESSAGE_H

#include "core/base/json.h"

/* The members of a tool call. `arguments` is an object, or a string that holds one. */
typedef struct ck_message_call {
  ck_bytes id, name, arguments;
} ck_message_call;

/* Zero-initialise. */
typedef struct ck_message_calls {
  ck_message_call *list; /* owned */
  size_t count, cap;
  bool failed; /* there was no memory for one */
} ck_message_calls;
void ck_message_calls_clear(ck_message_calls *self);
/* Replaces the list by the calls of `message`, in their order. */
void ck_message_calls_read(ck_message_calls *self, ck_bytes message);

/* The array that holds the calls, and its member's name; no bytes: none that is an array. */
ck_bytes ck_message_call_list(const char **name, ck_bytes message);
/* The call that a tool's message answers, and its member's name. */
ck_bytes ck_message_answers(const char **name, ck_bytes message);
/* Appends the words of `content`: a string's, the texts of blocks one per line and what images and
 * files are, nothing for null, and of any other value its JSON. */
void ck_message_append_text(ck_buffer *out, ck_bytes content);

bool ck_message_is(ck_bytes message, const char *role);
/* A system or developer message: instructions, which no turn answers. */
bool ck_message_is_prompt(ck_bytes message);
/* Whether it is what a tool gave: "tool", of older ones "function". */
bool ck_message_is_result(ck_bytes message);

#endif
