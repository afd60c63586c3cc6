/* resolve_session.h - resolves a word on the command line to a session. */
#ifndef CK_HOST_SESSION_RESOLVE_SESSION_H
#define CK_HOST_SESSION_RESOLVE_SESSION_H

#include "core/host/session/session_filter.h"
#include "core/store/store.h"

/* One of a ck_operand table: a session as ck_resolve_session takes it. */
#define CK_SESSION_OPERAND(values, member)                                                        \
  {                                                                                               \
    .name = "SESSION", .offset = offsetof(values, member),                                        \
    .help = "its id, or that of one of its runs; of one that ckrun made also a beginning, of it " \
            "or of its last part, from 4 characters; \"latest\", or \"@{1}\" for the one before", \
    .complete = CK_COMPLETE_SESSION                                                               \
  }

/* CK_E_USAGE: the word is neither an id, nor a part of one, nor "latest" or "@{N}". */
CK_CHECKED ck_status ck_session_word_check(const char *word, ck_error *err);
/* The whole id of the session; "latest" is the one that was begun last, "@{N}" the one N before
 * it, unless a session is called so. A run is looked up in the session that made it, not in its
 * forks. An id that a person chose must be given in full, so that no script acts on another session
 * when its own is gone. CK_E_USAGE: a malformed word, or it fits several. CK_E_NOT_FOUND names a
 * near one. */
CK_CHECKED ck_status ck_resolve_session(char out[CK_ID_SIZE], ck_store *store, const char *word,
                                        ck_error *err);
/* The same among the sessions of a filter: all others are as if they were not. */
CK_CHECKED ck_status ck_resolve_session_within(char out[CK_ID_SIZE], ck_store *store,
                                               const ck_session_filter *filter, const char *word,
                                               ck_error *err);

#endif
