/* next_command.h - the command line that continues with a session. */
#ifndef CK_HOST_SESSION_NEXT_COMMAND_H
#define CK_HOST_SESSION_NEXT_COMMAND_H

#include "core/host/cli/command.h"
#include "core/model/session.h"

/* A failure that the same call meets again: the conversation is too long, or the request was
 * refused. Something must change before the session goes on. CK_OK: it did not fail like that. */
ck_status ck_next_command_refusal(const ck_session_record *record);
/* The words behind "ckrun" that continue with the session, with "%s" for its id; `doubts`: it has
 * effects in doubt. */
const char *ck_next_command_words(const ck_session_record *record, bool doubts);
/* Appends " OPTION VALUE" (" VALUE" where `option` is NULL); a value that a shell would change is
 * quoted. */
void ck_next_command_append_option(ck_buffer *out, const char *option, const char *value);
/* Appends "ckrun [--store URL] [--key REF] " and `words` ("resume ID"): the same store and key as
 * this command's, where they were named. */
void ck_next_command_append(ck_buffer *out, const ck_host *host, const char *words);

#endif
