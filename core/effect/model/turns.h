/* turns.h - a conversation as each API requires it: every call with its result, in the order of
 * the calls.
 *
 * Assistant messages are kept as a provider sent them, so a conversation may hold several shapes:
 * OpenAI's (`tool_calls`) and Anthropic's (`content` with blocks); those of the responses API and
 * of Gemini in OpenAI's shape, for all who read them, with what came as it came beside it:
 * `responses.output`, `gemini.parts`.
 * Messages of the requested API go back as received, except for calls that it would refuse, such as
 * two with one id. A call without
 * a result gets a result that says so, and a result without a call becomes a user's text: a
 * provider refuses a conversation with either. For the files of this folder only. */
#ifndef CK_EFFECT_MODEL_TURNS_H
#define CK_EFFECT_MODEL_TURNS_H

#include "core/base/json.h"
#include "core/model/conversation.h"

/* Spans of the message; `id` and `name` are JSON strings or no bytes: an id that cannot be sent is
 * absent. `arguments`: Anthropic's are an object, those of the others a JSON string that holds
 * JSON. `result` is the content of the tool's message; no bytes: there is none. */
typedef struct ck_model_call {
  ck_bytes id, name, arguments, result;
} ck_model_call;

typedef enum {
  CK_SHAPE_OPENAI,
  CK_SHAPE_ANTHROPIC,
  CK_SHAPE_RESPONSES,
  CK_SHAPE_GEMINI
} ck_model_shape;

/* An assistant's turn. `position` is its index in the conversation: with a call's index it makes a
 * unique id. */
typedef struct ck_model_turn {
  ck_bytes message;
  ck_model_shape shape;
  size_t position;
  const ck_model_call *calls;
  size_t call_count;
} ck_model_turn;

/* Called in order. They append to buffers, which record failures. */
typedef struct ck_model_notifier {
  void *self;
  ck_model_shape shape; /* of the requested API */
  void (*system)(void *self, ck_bytes content);
  void (*user)(void *self, ck_bytes content);
  void (*assistant)(void *self, const ck_model_turn *turn); /* with the results of its calls */
} ck_model_notifier;

CK_CHECKED ck_status ck_model_notify(const ck_conversation *conversation,
                                     const ck_model_notifier *notifier, ck_error *err);

/* Helpers of both writers. */
#define CK_MODEL_NO_RESULT "Error: no result of this call was recorded"
/* A JSON string of nothing but white space, or no bytes, or null. */
bool ck_model_is_blank(ck_bytes json);
/* What an assistant's message says: its content, or why it refuses. */
ck_bytes ck_model_get_said(ck_bytes message);
/* An array whose elements are objects with a "type": blocks that the provider knows. */
bool ck_model_is_blocks(ck_bytes json);
/* The value as a JSON string: unchanged when it is one, else its text. */
void ck_model_append_text(ck_buffer *out, ck_bytes json);
/* A call's id as a JSON string: its own when it can be sent, else one made of its position. */
void ck_model_append_id(ck_buffer *out, const ck_model_turn *turn, size_t index);
/* The members of an object unchanged, except those named in `except`, NULL-terminated. */
void ck_model_copy_members(ck_json_writer *w, ck_bytes object, const char *const *except);

#endif
