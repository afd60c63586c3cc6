/* secret.h - secrets by reference, read when they are needed: "env:NAME", "file:PATH",
 * "credential:NAME" (of systemd) or "keyring:NAME" (of the kernel). */
#ifndef CK_RUNTIME_SESSION_SECRET_H
#define CK_RUNTIME_SESSION_SECRET_H

#include "core/model/profile.h"
#include "core/redact/redact.h"

/* Appends the secret; line breaks at its end do not belong to it. CK_E_SECRET_MISSING names the
 * reference, why it gives nothing and what to do; CK_E_REFUSED: it is a file of an open store. Wipe
 * the buffer with ck_secret_wipe. A file is opened once, links are followed, and the open file is
 * judged: it must belong to this user or root, unless root reads it, and not be writable by
 * everybody. */
CK_CHECKED ck_status ck_secret_read(ck_buffer *out, const char *ref, ck_error *err);
/* A store's key: CK_E_REFUSED, too, when its file belongs to another user, or anybody else may read
 * or write it; root's may be readable for its group. "command:LINE", too: what sh -c prints, of
 * $CKRUN_KEY_COMMAND when LINE is empty. */
CK_CHECKED ck_status ck_secret_read_key(ck_buffer *out, const char *ref, ck_error *err);
/* Whether a text is such a reference, not a secret or a name; `key`: of a store's key. */
bool ck_secret_is_ref(const char *text, bool key);
/* Overwrites and frees. */
void ck_secret_wipe(ck_buffer *secret);

/* Makes the secret known to a redactor. CK_E_SECRET_MISSING, or CK_E_RANGE as
 * ck_redactor_add_secret says. */
CK_CHECKED ck_status ck_secret_register(ck_redactor *to, const char *name, const char *ref,
                                        ck_error *err);
/* Makes all secrets of `profile` (may be NULL) known to a redactor. `problem` is called for each
 * that cannot be; NULL: all problems are one error, as ck_secret_register answers. */
typedef void (*ck_secret_problem)(void *to, const ck_error *problem);
CK_CHECKED ck_status ck_secret_register_all(ck_redactor *to, const ck_profile *profile,
                                            ck_secret_problem problem, void *self, ck_error *err);

#endif
