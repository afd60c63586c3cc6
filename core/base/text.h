/* text.h - texts that somebody owns: copies of borrowed ones. */
#ifndef CK_BASE_TEXT_H
#define CK_BASE_TEXT_H

#include "core/base/error.h"

/* A copy of `text`, the caller's to free; NULL of NULL. CK_E_NO_MEMORY: *out is NULL. */
CK_CHECKED ck_status ck_text_copy(char **out, const char *text, ck_error *err);

/* Frees *text, which may be NULL, and puts a copy of `with` in its place; `with` may be the same
 * text or a part of it. NULL changes nothing, and neither does CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_text_replace(char **text, const char *with, ck_error *err);

#endif
