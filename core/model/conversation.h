/* conversation.h - the messages of one scope: OpenAI chat shape, assistant messages as the bytes
 * received. */
#ifndef CK_MODEL_CONVERSATION_H
#define CK_MODEL_CONVERSATION_H

#include "core/model/value.h"

/* Borrowed from its session. */
typedef struct ck_conversation ck_conversation;

size_t ck_conversation_count(const ck_conversation *self);
/* Borrowed; `index` < count. Of a conversation that was packed since it was last unpacked: only
 * from the last message on that is not a tool's. */
const ck_value *ck_conversation_get(const ck_conversation *self, size_t index);
/* The only form of each kind of message, so that equal turns are equal bytes. */
CK_CHECKED ck_status ck_message_system(ck_value **out, ck_bytes text, ck_error *err);
/* `content` is a JSON value (a string in the usual case), kept byte for byte. */
CK_CHECKED ck_status ck_message_user(ck_value **out, ck_bytes content, ck_error *err);
/* {"role":"tool","tool_call_id":…,"name":…,"content":…}; `call_id` and `name` are decoded text;
 * call_id may be NULL. `content` is JSON. */
CK_CHECKED ck_status ck_message_tool(ck_value **out, const char *call_id, const char *name,
                                     ck_bytes content, ck_error *err);

/* ---- within ckrun ---- */

#include "core/base/digest.h"
#include "core/model/effect.h"

CK_CHECKED ck_status ck_conversation_new(ck_conversation **out, ck_error *err);
void ck_conversation_free(ck_conversation *self);

/* Shares `message`. */
CK_CHECKED ck_status ck_conversation_append(ck_conversation *self, const ck_value *message,
                                            ck_error *err);
/* Models are sent `seen` in the place of the message that was appended last, as long as this
 * process lives: it is no part of the digest, nor of what is stored. Shares it. */
void ck_conversation_set_seen(ck_conversation *self, const ck_value *seen);
/* Keeps the first `count` messages. */
CK_CHECKED ck_status ck_conversation_cut(ck_conversation *self, size_t count, ck_error *err);
/* Applies the body of a REWIND event, {"to": N, "report": TEXT, "keep"?: K, "labelled"?: true}:
 * after the first N messages only the last K stay, preceded by the report as a message of the user,
 * as ck_message_report makes it when it is labelled. CK_E_RANGE: there
 * are fewer than N + K messages; CK_E_TYPE: N or the report is missing. On failure nothing is
 * changed. */
CK_CHECKED ck_status ck_conversation_rewind(ck_conversation *self, const ck_value *rewind,
                                            ck_error *err);
/* Likewise; what models are sent of it. */
const ck_value *ck_conversation_get_seen(const ck_conversation *self, size_t index);
/* How messages are packed. pack: into `to`, which holds from.len bytes; the length, 0: it takes no
 * less room. unpack: `from`, which came of `len` bytes, into `to`. */
typedef struct ck_packer {
  size_t (*pack)(char *to, ck_bytes from);
  CK_CHECKED ck_status (*unpack)(char *to, size_t len, ck_bytes from, ck_error *err);
} ck_packer;
/* Packs the older messages of a long conversation (over CK_CONVERSATION_LOOSE bytes), when nobody
 * is going to read them for a while; borrows `packer`. What takes no less room, or finds no memory,
 * stays as it is. Cheap while there is nothing to do. */
enum { CK_CONVERSATION_LOOSE = 1 << 20 };
void ck_conversation_pack(ck_conversation *self, const ck_packer *packer);
/* Not before so many bytes lie there unpacked; from then on as usual. For one that was just read:
 * the next to go on with it nearly always wants all of it, and CK_CONVERSATION_READ is what that
 * may take. */
enum { CK_CONVERSATION_READ = 16 << 20 };
void ck_conversation_keep_loose(ck_conversation *self, size_t bytes);
/* All messages can be read again. On failure they stay packed. */
CK_CHECKED ck_status ck_conversation_unpack(ck_conversation *self, ck_error *err);
/* Bytes of the messages that lie there unpacked. */
size_t ck_conversation_loose(const ck_conversation *self);
/* A digest over count and bytes of all messages so far, in order, fingerprints in placeholders as
 * zeros; each call costs the messages since the last one, and the end of a hash. The first call
 * finds all of them there: the conversation was unpacked since it was last packed. (Else it does
 * that itself, and ends the process where there is no memory for it.) */
ck_digest ck_conversation_digest(const ck_conversation *self);
/* There is a placeholder in a message. */
bool ck_conversation_is_masked(const ck_conversation *self);

/* A message of the user that says it is a report, in place of what was rewound:
 * "<rewind-report>\nREPORT\n</rewind-report>". `report` is a JSON string. */
CK_CHECKED ck_status ck_message_report(ck_value **out, ck_bytes report, ck_error *err);

#endif
