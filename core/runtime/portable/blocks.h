/* blocks.h - a conversation as messages of content blocks, and back.
 *
 *   {"role": "system" | "user" | "assistant", "content": [block]}, a block being
 *   {"type": "text", "text"}, {"type": "tool_use", "id", "name", "input"} of an assistant, or
 *   {"type": "tool_result", "tool_use_id", "content"} of a user
 */
#ifndef CK_RUNTIME_PORTABLE_BLOCKS_H
#define CK_RUNTIME_PORTABLE_BLOCKS_H

#include "core/base/json.h"

/* Writes the array of a `history` that ck_chat_write has written. */
CK_CHECKED ck_status ck_blocks_write(ck_json_writer *w, ck_bytes history, ck_error *err);
/* Writes the array as a history that ck_chat_check takes: each result of a tool becomes a message
 * of its own. CK_E_PARSE names the field. */
CK_CHECKED ck_status ck_blocks_read(ck_json_writer *w, ck_bytes messages, ck_error *err);

#endif
