/* position.h - tells where a session stands after a person went back in it. */
#ifndef CK_HOST_INSPECT_POSITION_H
#define CK_HOST_INSPECT_POSITION_H

#include "core/host/session/remote_command.h"
#include "core/runtime/history/history_edit.h"

/* Of a rewind or an undo: from where it goes on, who was told a report, what was left, and how to
 * go on. */
CK_CHECKED ck_status ck_position_print(const ck_remote_command *remote,
                                       const ck_history_edit_result *now, ck_error *err);

#endif
