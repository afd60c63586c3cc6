/* loop_document.h - an agent's loop of turns as one portable document.
 *
 *   {"schema_version": 1, "run_id", "parent_run_id"?, "session_id", "turn", "messages": [message],
 *    "total_usage", "tool_calls_count", "verification_reports": [], "checkpoint_ms",
 *    "agent"?, "flow"?, "ckrun"? (extension.h)}
 *
 * `turn` is the last completed one; messages are those of blocks.h; usage is that of carried.h.
 * It is a run checkpoint (run_checkpoint.h) with other names, and what was spent. */
#ifndef CK_RUNTIME_PORTABLE_LOOP_DOCUMENT_H
#define CK_RUNTIME_PORTABLE_LOOP_DOCUMENT_H

#include "core/redact/redact.h"
#include "core/runtime/portable/carried.h"

/* Appends the document of the session's last run; `totals`: what the session has spent. The
 * refusals of ck_run_checkpoint_write, and of a session that is no agent's conversation. */
CK_CHECKED ck_status ck_loop_document_write(ck_buffer *out, ck_store *store, const ck_head *head,
                                            const ck_totals *totals, ck_redactor *redactor,
                                            ck_error *err);

/* True for a JSON object that means to be one, however badly. */
bool ck_loop_document_is(ck_bytes document);
/* Appends the same as a run checkpoint to `run`. CK_E_PARSE names the field; CK_E_UNSUPPORTED: a
 * newer schema. */
CK_CHECKED ck_status ck_loop_document_read(ck_carried *out, ck_buffer *run, ck_bytes document,
                                           ck_error *err);

#endif
