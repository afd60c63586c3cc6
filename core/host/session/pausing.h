/* pausing.h - a session is paused: by whoever runs it, or here when it waits for a worker. */
#ifndef CK_HOST_SESSION_PAUSING_H
#define CK_HOST_SESSION_PAUSING_H

#include "core/host/session/remote_command.h"

/* Until it is paused, and stays so: no worker goes on with it. Whatever it is paused for already
 * stays its reason. `reason`: as ck_remote_command_clean_reason made it. CK_OK with
 * `remote->rested`: it was paused, and a person has resumed it since. CK_E_USAGE: the reason is one
 * that workers go on for; CK_E_REFUSED: it is at rest and not paused, it ended before it could be
 * paused, or a person's resume superseded the pause; CK_E_PENDING: as ck_remote_command_wait;
 * CK_E_IO: the store did not take it. */
CK_CHECKED ck_status ck_pausing_pause(ck_remote_command *remote, const char *reason, ck_error *err);
/* Leaves the request where a process runs the session: true in *left; else as ck_pausing_pause. */
CK_CHECKED ck_status ck_pausing_ask(bool *left, ck_remote_command *remote, const char *reason,
                                    ck_error *err);

#endif
