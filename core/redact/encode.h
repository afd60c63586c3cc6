/* encode.h - the encodings of a secret that are byte strings of their own. */
#ifndef CK_REDACT_ENCODE_H
#define CK_REDACT_ENCODE_H

#include "core/base/buffer.h"

/* Form encoding (with '+' for spaces); hex and hex with colons, both in both cases; base64 and
 * base64url each at three alignments; base64 of base64 and of base64url at three times
 * three; base32 at five alignments in both cases. */
enum { CK_ENCODINGS = 5 + 6 + 18 + 10 };

/* Appends the characters that do not depend on the text before and after `bytes`; nothing when
 * encoding `which` leaves the bytes unchanged. */
void ck_encode_append(ck_buffer *out, int which, ck_bytes bytes);

/* The numbers of characters directly before and after those that hold some bits of the `len` bytes
 * as well: 0 or 1. */
typedef struct ck_encoding_rest {
  size_t before, behind;
} ck_encoding_rest;
ck_encoding_rest ck_encode_rest(int which, size_t len);

#endif
