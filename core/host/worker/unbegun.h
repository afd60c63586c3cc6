/* unbegun.h - says in the store why this worker has not begun a session. */
#ifndef CK_HOST_WORKER_UNBEGUN_H
#define CK_HOST_WORKER_UNBEGUN_H

#include "core/redact/redact.h"
#include "core/store/refusal.h"

/* Masked as what is stored is; best effort. */
void ck_unbegun_tell(ck_store *store, ck_redactor *redactor, const char *session, const char *why);

#endif
