/* key_source.h - the key of a store, read from a variable or a file, never from the command
 * line. */
#ifndef CK_HOST_SESSION_KEY_SOURCE_H
#define CK_HOST_SESSION_KEY_SOURCE_H

#include <stdbool.h>

#include "core/redact/redact.h"
#include "core/store/format/seal.h"

/* What stands for the command in $CKRUN_KEY_COMMAND. */
#define CK_KEY_SOURCE_COMMAND "command:"
/* `given` (--key; may be NULL), else "env:CKRUN_KEY" when that variable is set, else the command in
 * $CKRUN_KEY_COMMAND; NULL: no key. */
const char *ck_key_source_of(const char *given);
/* Whether a word is a reference, not the key itself or a name. */
bool ck_key_source_is_ref(const char *word);
/* `ref`: as ck_secret_read_key. The key is registered as a secret of `redactor` (NULL: none).
 * CK_E_USAGE: no reference. CK_E_SECRET_MISSING: nothing is there. CK_E_PARSE: no key.
 * CK_E_REFUSED: a file that is another user's, or that others can read or write. */
CK_CHECKED ck_status ck_key_source_read(ck_key **out, const char *ref, ck_redactor *redactor,
                                        ck_error *err);

#endif
