/* chat_check.h - holds the messages of a document to the rules of the providers' public APIs. */
#ifndef CK_RUNTIME_PORTABLE_CHAT_CHECK_H
#define CK_RUNTIME_PORTABLE_CHAT_CHECK_H

#include "core/base/json.h"

/* `history` is an array of messages in one of the ways of message.h. CK_E_PARSE names the field:
 * a role that is none; content that is missing or no text (only an assistant that calls may leave
 * it out); a call without id, name or arguments, or with another's id; calls that are not answered
 * once each before anybody else speaks; a first speaker other than the user. */
CK_CHECKED ck_status ck_chat_check(ck_bytes history, ck_error *err);

#endif
