/* live_checkpoint.h - asks the process that runs a session to save at its next boundary. */
#ifndef CK_HOST_SESSION_LIVE_CHECKPOINT_H
#define CK_HOST_SESSION_LIVE_CHECKPOINT_H

#include "core/host/session/remote_command.h"

/* Leaves the request with the session's owner. `description`: what the checkpoint is listed as;
 * NULL: where it lies. CK_E_REFUSED: no process runs the session; the text says where it stands. */
CK_CHECKED ck_status ck_live_checkpoint_leave(ck_remote_command *remote, const char *description,
                                              ck_error *err);
/* Waits until what was left is on the disk; its id is remote->saved, and its description is
 * appended to `words`: nothing, if the end of the run has pruned it already. CK_E_REFUSED: the
 * owner refused, or its run ended before a boundary. CK_E_PENDING: the time is over, and the
 * request stands. */
CK_CHECKED ck_status ck_live_checkpoint_wait(ck_buffer *words, ck_remote_command *remote,
                                             ck_error *err);

#endif
