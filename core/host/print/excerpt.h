/* excerpt.h - excerpts of two values around their difference. */
#ifndef CK_HOST_PRINT_EXCERPT_H
#define CK_HOST_PRINT_EXCERPT_H

#include "core/base/json.h"

/* Appends a JSON value in at most about `limit` bytes. When it and `other` are long strings, their
 * common beginning and end are left out but for a few words and their length; otherwise the end is
 * left out. Appends nothing for no bytes. Not yet redacted or escaped. */
void ck_excerpt_append(ck_buffer *out, ck_bytes value, ck_bytes other, size_t limit);

#endif
