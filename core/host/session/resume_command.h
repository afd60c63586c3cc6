/* resume_command.h - the command line that goes on with a session as its last run was. */
#ifndef CK_HOST_SESSION_RESUME_COMMAND_H
#define CK_HOST_SESSION_RESUME_COMMAND_H

#include "core/host/cli/command.h"
#include "core/store/store.h"

/* Appends the command of `words`, which have one "%s" for the session's id. A resume also says what
 * the last run was given for itself (--profile, --policy, --option), as a shell takes it: without
 * these words it would be another. The value of an option that is masked in the store is left out,
 * and whoever follows the command literally is told so by its refusal. */
CK_CHECKED ck_status ck_resume_command_append(ck_buffer *out, const ck_host *host, ck_store *store,
                                              const ck_head *head, const char *words,
                                              ck_error *err);

#endif
