/* json_mend.h - replaces what JSON forbids, though many write it: for what programs and services
 * say. */
#ifndef CK_BASE_JSON_MEND_H
#define CK_BASE_JSON_MEND_H

#include "core/base/buffer.h"

/* Appends `text` with bytes that are not UTF-8, the escape of NUL and lone halves of surrogate
 * pairs each replaced by U+FFFD. False: it had none of them. */
bool ck_json_mend(ck_buffer *out, ck_bytes text);
/* Of these the escapes alone. */
bool ck_json_mend_escapes(ck_buffer *out, ck_bytes text);
/* The number of a \uXXXX at the front; -1: there is none. */
int ck_json_escape_number(const char *at, size_t len);
/* Halves of a surrogate pair. */
bool ck_json_escape_is_high(int number);
bool ck_json_escape_is_low(int number);

#endif
