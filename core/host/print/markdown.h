/* markdown.h - stored text as CommonMark that cannot be taken for what is around it. */
#ifndef CK_HOST_PRINT_MARKDOWN_H
#define CK_HOST_PRINT_MARKDOWN_H

#include "core/base/buffer.h"

/* As a quote: its own Markdown shows, but no heading or rule of it is one of the document, no HTML
 * of it is HTML, and no picture is loaded from where it says. Code between fences stays as it is.
 * Characters that act (ck_utf8_acts) are named, "[U+202E]", here and below. */
void ck_markdown_append_quote(ck_buffer *out, ck_bytes text);
/* Between fences that are longer than any that it has. */
void ck_markdown_append_code(ck_buffer *out, ck_bytes text);
/* Within a line, not at its front: none of its characters means anything there. */
void ck_markdown_append_plain(ck_buffer *out, ck_bytes text);

#endif
