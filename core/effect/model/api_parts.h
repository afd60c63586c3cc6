/* api_parts.h - parts of requests and answers that several APIs have alike. For the files of the
 * APIs only. */
#ifndef CK_EFFECT_MODEL_API_PARTS_H
#define CK_EFFECT_MODEL_API_PARTS_H

#include "core/effect/model/private.h"

/* ---- requests ---- */

/* Of a system's, or a developer's, message. */
bool ck_model_is_system(ck_bytes message);
/* The members name, description and `schema` of a tool of the flow's: a name alone is one that
 * takes any object, of which `any` is the schema. */
void ck_model_put_function(ck_json_writer *w, ck_bytes tool, const char *schema, const char *any);
/* A member whose value is an object: what `text` is, {} for nothing, and for anything else
 * {"INVALID_JSON": text}, the name that Anthropic's documentation gives it. */
void ck_model_put_object(ck_json_writer *w, const char *name, ck_bytes text);
/* The same of arguments, which are such a text in a JSON string, or the JSON itself. */
void ck_model_put_arguments(ck_json_writer *w, const char *name, ck_bytes arguments);
/* Arguments of a call as JSON in a string, whatever they came as. */
void ck_model_put_argument_text(ck_json_writer *w, const ck_model_turn *turn,
                                const ck_model_call *call);

/* ---- answers ---- */

/* Figures of all so far, of several the largest: `cached` of `input` were read from the cache;
 * those that cannot be are counted as others, which cost no less. False: larger ones were stated.
 */
bool ck_model_raise_usage(ck_model_reply *to, int64_t input, int64_t cached, int64_t output);
/* The same of a usage object of OpenAI's, whose APIs have other names for the same figures:
 * `details` is of the input. */
typedef struct ck_model_usage_names {
  const char *input, *output, *details;
} ck_model_usage_names;
bool ck_model_take_figures(ck_model_reply *to, ck_bytes usage, const ck_model_usage_names *names);
/* The first element of a list; no bytes: there is none. */
ck_bytes ck_model_first(ck_bytes answer, const char *list);
/* The answer has an error, an object or a text. */
bool ck_model_has_error(ck_bytes answer);
/* The members of the assistant's message in the shape of chat completions: `text`, or null. */
void ck_model_put_said(ck_json_writer *w, const ck_buffer *text);
/* A call in that shape; `id` and `name` are left out where they are no texts. `arguments`: JSON
 * with its quotes, or no bytes. */
void ck_model_put_call(ck_json_writer *w, ck_bytes id, ck_bytes name, ck_bytes arguments);

#endif
