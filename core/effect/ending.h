/* ending.h - puts a child's end, and what it said last, into words. */
#ifndef CK_EFFECT_ENDING_H
#define CK_EFFECT_ENDING_H

#include "core/effect/child.h"

/* "exit status 3", "cannot be started: No such file or directory", … */
void ck_ending_append_reason(ck_buffer *out, const ck_child_end *end);
/* The last `most` bytes of an output, where the reason usually stands, without white space around them; "…" in front when
 * there were more. Bytes that are no UTF-8 become U+FFFD. False, and nothing appended, when nothing was said. */
bool ck_ending_append_tail(ck_buffer *out, const char *before, ck_bytes text, size_t most);

#endif
