/* mended.h - a secret as ckrun leaves it where its bytes cannot be kept as they are. */
#ifndef CK_REDACT_MENDED_H
#define CK_REDACT_MENDED_H

#include "core/base/buffer.h"

/* Bytes that are no UTF-8, and NUL, have become U+FFFD (as in JSON); the text was made plain (as
 * that of an error); both. */
enum { CK_MENDINGS = 3, CK_MENDED_MOST = 3 };

/* Appends at most CK_MENDED_MOST bytes for each one of `bytes`; nothing when mending `which` leaves
 * them as they are. */
void ck_mended_append(ck_buffer *out, int which, ck_bytes bytes);

#endif
