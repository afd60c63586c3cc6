/* secret_source.h - where secrets are read from. Private to secret.c and these sources: files,
 * credentials of systemd, keyrings of the kernel, a command. */
#ifndef CK_RUNTIME_SESSION_SECRET_SOURCE_H
#define CK_RUNTIME_SESSION_SECRET_SOURCE_H

#include <stdbool.h>

#include "core/base/buffer.h"

typedef struct ck_secret_asked {
  const char *ref;  /* as it was given, for messages */
  const char *name; /* behind its scheme */
  bool key;         /* the key of a store: nobody else may have read it */
} ck_secret_asked;

/* Each appends the secret without line breaks at its end. CK_E_SECRET_MISSING says why there is
 * none and what to do. */
CK_CHECKED ck_status ck_secret_read_file(ck_buffer *out, const ck_secret_asked *asked,
                                         const char *path, ck_error *err);
/* The file NAME of $CREDENTIALS_DIRECTORY, see systemd.exec(5). */
CK_CHECKED ck_status ck_secret_read_credential(ck_buffer *out, const ck_secret_asked *asked,
                                               ck_error *err);
/* The key NAME of type "user", see keyrings(7): of the process, its session or its user. */
CK_CHECKED ck_status ck_secret_read_keyring(ck_buffer *out, const ck_secret_asked *asked,
                                            ck_error *err);
/* What the command prints, by sh -c; an empty name: $CKRUN_KEY_COMMAND. */
CK_CHECKED ck_status ck_secret_read_command(ck_buffer *out, const ck_secret_asked *asked,
                                            ck_error *err);
/* Without line breaks at the end, from `from` on. CK_E_SECRET_MISSING when nothing is left. */
CK_CHECKED ck_status ck_secret_trim(ck_buffer *out, size_t from, const ck_secret_asked *asked,
                                    ck_error *err);

#endif
