/* rewind.h - a session at rest goes back to a checkpoint, and takes such a step back. */
#ifndef CK_RUNTIME_HISTORY_REWIND_H
#define CK_RUNTIME_HISTORY_REWIND_H

#include "core/runtime/history/history_edit.h"

/* Goes back to `checkpoint`, with the report as a message of the user in the conversation of each
 * scope that had begun there and has gone on since; in the main one's when none has. It never comes
 * before a conversation's prompt. CK_E_OWNED, CK_E_NOT_FOUND (the checkpoint, the scope);
 * CK_E_REFUSED: the session is completed or cancelled; fork it. */
CK_CHECKED ck_status ck_session_rewind(ck_history_edit_result *out, ck_runtime *runtime,
                                       const char *id, const ck_history_edit_options *options,
                                       ck_error *err);
/* Back to the last checkpoint of the timeline that the last rewind, undo or resume from an older
 * checkpoint has left: so the undo of an undo is a redo. CK_E_OWNED; CK_E_REFUSED: there is nothing
 * to undo, or the session is completed or cancelled. */
CK_CHECKED ck_status ck_session_undo(ck_history_edit_result *out, ck_runtime *runtime,
                                     const char *id, ck_error *err);

#endif
