/* utf8.h - recognises whole UTF-8 characters. */
#ifndef CK_BASE_UTF8_H
#define CK_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length (1 to 4) of the character at the front of `len` bytes; 0 when they do not begin with one:
 * cut short, overlong, a surrogate, beyond U+10FFFF, a stray byte (RFC 3629, section 4). */
size_t ck_utf8_length(const char *text, size_t len);
/* The code point of a character that ck_utf8_length measured as `len` bytes. */
uint32_t ck_utf8_point(const char *text, size_t len);
/* Writes U+0000 to U+10FFFF (no surrogates) and returns the length. */
size_t ck_utf8_encode(char out[4], uint32_t point);
/* Whether a character controls a terminal, changes the reading direction or is not seen, so that
 * the display differs from the text: controls, bidi, zero-width, soft hyphen, byte order mark,
 * format characters of annotations, tags. */
bool ck_utf8_acts(uint32_t point);
/* The greatest length at most `len` that does not end inside a character. */
size_t ck_utf8_cut(const char *text, size_t len);

#endif
