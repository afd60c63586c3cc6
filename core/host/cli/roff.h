/* roff.h - plain text as roff of man(7). */
#ifndef CK_HOST_CLI_ROFF_H
#define CK_HOST_CLI_ROFF_H

#include "core/host/cli/help.h"

/* What is special to roff is escaped, what is not ASCII named by its code point, a minus stays one;
 * an empty line begins a paragraph. */
void ck_roff_append_text(ck_buffer *out, const char *text);
void ck_roff_append_line(ck_buffer *out, const char *text);
void ck_roff_append_char(ck_buffer *out, char c);

#endif
