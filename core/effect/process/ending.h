/* ending.h - puts a child's end, and what it said last, into words. */
#ifndef CK_EFFECT_PROCESS_ENDING_H
#define CK_EFFECT_PROCESS_ENDING_H

#include "core/effect/process/child.h"

/* What is known of an effect's child. One that was cancelled and exited by itself has told what
 * came of it; what may simply be done again (`repeats`) is cancelled all the same. */
ck_child_end ck_ending_known(const ck_child_end *end, bool repeats);
/* "exit status 3", "cannot be started: No such file or directory", … */
void ck_ending_append_reason(ck_buffer *out, const ck_child_end *end);
/* The last `most` bytes of an output, where the reason usually stands, without white space around
 * them; "…" in front when there were more. Bytes that are no UTF-8 become U+FFFD. False, and
 * nothing appended, when nothing was said. */
bool ck_ending_append_tail(ck_buffer *out, const char *before, ck_bytes text, size_t most);

#endif
