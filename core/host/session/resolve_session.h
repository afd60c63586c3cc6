/* resolve_session.h - finds the session that a word on the command line means. */
#ifndef CK_HOST_SESSION_RESOLVE_SESSION_H
#define CK_HOST_SESSION_RESOLVE_SESSION_H

#include "core/store/store.h"

#define CK_RESOLVE_SESSION_HELP \
  "its id; of one that ckrun made also a beginning, of it or of its last part, from 4 characters"

/* The whole id. One that a person gave must be said in full, so that no script acts on another
 * session when its own is gone. CK_E_USAGE: a malformed word, or it fits several. CK_E_NOT_FOUND
 * names one that is near. */
CK_CHECKED ck_status ck_resolve_session(char out[CK_ID_SIZE], ck_store *store, const char *word,
                                        ck_error *err);

#endif
