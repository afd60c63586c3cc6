/* scopes.h - a session's scopes by name; after a resume all are folded from the transcript when the
 * first is asked for. */
#ifndef CK_RUNTIME_SESSION_SCOPES_H
#define CK_RUNTIME_SESSION_SCOPES_H

#include "core/model/conversation.h"

typedef struct ck_session ck_session;

/* The conversation of a scope: empty, or folded from the transcript after a resume. Borrowed. */
CK_CHECKED ck_status ck_session_conversation(ck_conversation **out, ck_session *self,
                                             const char *scope, ck_error *err);

/* ---- within the runtime ---- */

typedef struct ck_scope ck_scope;
/* Borrowed. */
CK_CHECKED ck_status ck_session_scope(ck_scope **out, ck_session *self, const char *name,
                                      ck_error *err);

#endif
