/* ending.h - words a child's end and the end of its output. */
#ifndef CK_EFFECT_PROCESS_ENDING_H
#define CK_EFFECT_PROCESS_ENDING_H

#include "core/effect/process/child.h"

/* The same end, EXITED where the child has told its outcome although it was to be ended: it exited
 * by itself in the time that it had for that. An effect that may simply be repeated (`repeats`) and
 * was cancelled counts as cancelled all the same. */
ck_child_end ck_ending_known(const ck_child_end *end, bool repeats);
/* False for an exit status by which a program tells that another one, which it ran, was ended from
 * outside: 128 + N of shells, where signal N ends programs, and 124 of timeout(1). */
bool ck_ending_status_tells(int status);
/* True for an end that does not tell what the child did: by a signal, or with a status that tells
 * of one; at its deadline; for its output; for want of memory here. */
bool ck_ending_is_unknown(const ck_child_end *end);
/* Why an UNSTARTED child is that. */
const char *ck_ending_start_text(const ck_child_end *end);
/* "exit status 3", "cannot be started: No such file or directory", … */
void ck_ending_append_reason(ck_buffer *out, const ck_child_end *end);
/* Appends the last `most` bytes of an output, where the reason usually is, without white space
 * around them; "…" in front when there were more. Bytes that are no UTF-8 become U+FFFD. False, and
 * nothing appended, for an empty output. */
bool ck_ending_append_tail(ck_buffer *out, const char *before, ck_bytes text, size_t most);

#endif
