/* transcript.h - a session for people to read: its conversation as Markdown. */
#ifndef CK_HOST_INSPECT_TRANSCRIPT_H
#define CK_HOST_INSPECT_TRANSCRIPT_H

#include "core/host/inspect/inspect.h"

/* Appends the messages of the live timeline, calls and their results, checkpoints, and what else
 * became of the session, in their order; what was left behind is not in it. Every text passes the
 * redactor of `output` once more. */
CK_CHECKED ck_status ck_transcript_write(ck_buffer *out, const ck_inspection *inspection,
                                         ck_output *output, ck_error *err);

#endif
