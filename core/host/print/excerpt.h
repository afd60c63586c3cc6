/* excerpt.h - two values that differ, cut down to where they differ. */
#ifndef CK_HOST_PRINT_EXCERPT_H
#define CK_HOST_PRINT_EXCERPT_H

#include "core/base/json.h"

/* Appends a JSON value in at most about `limit` bytes. When it and `other` are long strings, what
 * both begin and end with is left out but for a few words, with its length; otherwise the end is
 * left out. No bytes append nothing. Not yet redacted or escaped. */
void ck_excerpt_append(ck_buffer *out, ck_bytes value, ck_bytes other, size_t limit);

#endif
