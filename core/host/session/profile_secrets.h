/* profile_secrets.h - keeps the secrets of a stored session's profile out of the output. */
#ifndef CK_HOST_SESSION_PROFILE_SECRETS_H
#define CK_HOST_SESSION_PROFILE_SECRETS_H

#include "core/host/print/output.h"
#include "core/store/store.h"

/* Registers the secrets of the session's profile with the redactor of `output`. Not a failure: a
 * session without a profile, a profile that cannot be loaded, a secret that cannot be read. */
CK_CHECKED ck_status ck_profile_secrets_hide(ck_output *output, ck_store *store, const char *id,
                                             ck_error *err);

#endif
