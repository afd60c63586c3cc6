/* next_command.h - the command line that continues with a session. */
#ifndef CK_HOST_SESSION_NEXT_COMMAND_H
#define CK_HOST_SESSION_NEXT_COMMAND_H

#include "core/host/cli/command.h"

/* Appends "ckrun [--store URL] [--key REF] " and `words` ("resume ID"): the same store and key as
 * this command's, where they were named. */
void ck_next_command_append(ck_buffer *out, const ck_host *host, const char *words);

#endif
