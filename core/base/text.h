/* text.h - texts that somebody owns: copies of borrowed ones, and what fits into a buffer. */
#ifndef CK_BASE_TEXT_H
#define CK_BASE_TEXT_H

#include "core/base/error.h"

/* A copy of `text`, the caller's to free; NULL of NULL. CK_E_NO_MEMORY: *out is NULL. */
CK_CHECKED ck_status ck_text_copy(char **out, const char *text, ck_error *err);

/* Frees *text, which may be NULL, and puts a copy of `with` in its place; `with` may be the same
 * text or a part of it. NULL changes nothing, and neither does CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_text_replace(char **text, const char *with, ck_error *err);

/* The bytes of `text`, at most `most` of them, that are whole characters: for "%.*s". */
int ck_text_fits(const char *text, size_t most);
/* Formats into `out` as much as fits; no character is cut in two, and one that an argument was cut
 * in is left out where it would be the last. */
void ck_text_format(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
