/* base64.h - bytes as base64 (RFC 4648, with padding), and back. */
#ifndef CK_BASE_BASE64_H
#define CK_BASE_BASE64_H

#include "core/base/buffer.h"

/* The length of so many bytes as base64. */
size_t ck_base64_len(size_t bytes);
/* Appends. */
void ck_base64_append(ck_buffer *out, ck_bytes bytes);
/* Appends the bytes that `text` stands for; line breaks and missing padding are taken. False: it is
 * no base64; what was appended is undefined. Want of memory shows in `out`. */
bool ck_base64_read(ck_buffer *out, ck_bytes text);

#endif
