/* position.h - prints the position of a session after a rewind or an undo. */
#ifndef CK_HOST_INSPECT_POSITION_H
#define CK_HOST_INSPECT_POSITION_H

#include "core/host/session/remote_command.h"
#include "core/runtime/history/history_edit.h"

/* The checkpoint it continues from, the agents that got a report, the branch that was left, and the
 * command that resumes it. */
CK_CHECKED ck_status ck_position_print(const ck_remote_command *remote,
                                       const ck_history_edit_result *now, ck_error *err);

#endif
