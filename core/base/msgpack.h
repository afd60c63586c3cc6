/* msgpack.h - MessagePack as JSON. */
#ifndef CK_BASE_MSGPACK_H
#define CK_BASE_MSGPACK_H

#include "core/base/buffer.h"

enum { CK_MSGPACK_DEPTH_MAX = 96 };

/* Appends the one value that `bytes` are. Binary data becomes {"$bytes": base64}; an extension that
 * is MessagePack itself {"$ext": its number, "value": that}, another one with its bytes; keys that
 * are numbers become texts, numbers that JSON does not have null. False: it is none, ends early,
 * goes on behind its value, has texts that are not UTF-8, or is nested deeper than
 * CK_MSGPACK_DEPTH_MAX; what was appended is undefined. Want of memory shows in `out`. */
bool ck_msgpack_append_json(ck_buffer *out, ck_bytes bytes);

#endif
