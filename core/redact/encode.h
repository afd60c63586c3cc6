/* encode.h - the ways a secret is written when it travels, as far as they are byte strings of their own. */
#ifndef CK_REDACT_ENCODE_H
#define CK_REDACT_ENCODE_H

#include "core/base/buffer.h"

/* Form (with '+' for spaces), hex in both cases, base64 and base64url each at three alignments. */
enum { CK_ENCODINGS = 9 };

/* Appends the characters that are the same whatever stands before and behind `bytes`; nothing when encoding `which` does
 * not change them. */
void ck_encode_append(ck_buffer *out, int which, ck_bytes bytes);

#endif
