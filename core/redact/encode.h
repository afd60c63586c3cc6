/* encode.h - the ways a secret is written when it travels, as far as they are byte strings of their
 * own. */
#ifndef CK_REDACT_ENCODE_H
#define CK_REDACT_ENCODE_H

#include "core/base/buffer.h"

/* Form (with '+' for spaces), hex in both cases, base64 and base64url each at three alignments. */
enum { CK_ENCODINGS = 9 };

/* Appends the characters that are the same whatever stands before and behind `bytes`; nothing when
 * encoding `which` does not change them. */
void ck_encode_append(ck_buffer *out, int which, ck_bytes bytes);

/* How many characters in front of those and behind them hold some of the bits of `len` bytes as
 * well: 0 or 1. */
typedef struct ck_encoding_rest {
  size_t before, behind;
} ck_encoding_rest;
ck_encoding_rest ck_encode_rest(int which, size_t len);

#endif
