/* otlp_message.h - one message as traces of OpenTelemetry have it: a role and parts.
 *
 *   {"role", "parts": [{"type": "text", "content"}, {"type": "reasoning", "content"},
 *    {"type": "file", "modality", "mime_type", "file_id" (its digest)},
 *    {"type": "tool_call", "id", "name", "arguments"},
 *    {"type": "tool_call_response", "id", "response"}], "finish_reason"?}
 *
 * Bytes of images and files are no part of a trace. */
#ifndef CK_RUNTIME_PORTABLE_OTLP_MESSAGE_H
#define CK_RUNTIME_PORTABLE_OTLP_MESSAGE_H

#include "core/base/json.h"

/* `finish_reason`: NULL for a message that is no answer. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_otlp_message_write(ck_json_writer *w, ck_bytes message,
                                           const char *finish_reason, ck_error *err);
/* Which of the conventions' providers made an answer of this form: "anthropic", "gcp.gemini",
 * "openai"; NULL where there is no answer that could tell. Static. */
const char *ck_otlp_message_provider(ck_bytes message);

#endif
