/* redaction.h - the secrets of a session, and its redactor, which everything written passes. */
#ifndef CK_RUNTIME_SESSION_REDACTION_H
#define CK_RUNTIME_SESSION_REDACTION_H

#include "core/base/error.h"

typedef struct ck_session ck_session;

/* From now on the session redacts this secret, too. Answers as ck_secret_register. */
CK_CHECKED ck_status ck_session_learn_secret(ck_session *self, const char *name, const char *ref,
                                             ck_error *err);

/* ---- within the runtime ---- */

#include "core/redact/redact.h"

/* Adds the secrets of this session (its profile's, and those that its references were filled with)
 * to a redactor of the caller's, for what that one shows. */
CK_CHECKED ck_status ck_session_register_secrets(const ck_session *self, ck_redactor *to,
                                                 ck_error *err);
/* What is written for the session outside of it, as a fact is, passes this: with the rules and the
 * policies of all that it writes. */
ck_redactor *ck_session_get_redactor(const ck_session *self);
/* Makes the redactor, with the store's fingerprint key, the profile's secrets and keys, and the
 * policies' hook. CK_E_REFUSED: the profile demands encryption, and the store has no key. */
CK_CHECKED ck_status ck_session_make_redactor(ck_session *self, ck_error *err);
/* Reads each value of the state that was kept as a reference to a secret from the environment or
 * its file again. CK_E_SECRET_MISSING names key and reference. With `keep` references stay, and
 * those that can be read become known to the redactor. */
CK_CHECKED ck_status ck_session_fill_secret_references(ck_session *self, bool keep, ck_error *err);

#endif
