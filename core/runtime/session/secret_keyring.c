/* secret_keyring.c - reads a secret from the kernel's keyrings. */
#include <errno.h>
#include <linux/keyctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/shortage.h"
#include "core/runtime/session/secret.h"
#include "core/runtime/session/secret_source.h"

static const char type[] = "user";

/* The keyrings of the process and its session; else the user's, which not every session links. No
 * program is asked to make the key. */
static long find(const char *name) {
  long key = syscall(SYS_request_key, type, name, NULL, 0);
  if (key >= 0 || (errno != ENOKEY && errno != EACCES)) return key;
  return syscall(SYS_keyctl, KEYCTL_SEARCH, (long)KEY_SPEC_USER_KEYRING, type, name, 0L);
}

static ck_status failed(const ck_secret_asked *asked, ck_error *err) {
  if (errno == ENOKEY)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s is in no keyring of this session or user: put it there with 'keyctl "
                        "padd user %s @u', then try again",
                        asked->ref, asked->name);
  if (errno == EACCES)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s may not be read (%s): link it to the keyring of the session with "
                        "'keyctl link @u @s', then try again",
                        asked->ref, ck_errno_text(errno));
  return ck_error_set(err, CK_E_SECRET_MISSING,
                      "%s cannot be read from the kernel (%s); containers often forbid keyrings: "
                      "give a file: or a credential:",
                      asked->ref, ck_errno_text(errno));
}

ck_status ck_secret_read_keyring(ck_buffer *out, const ck_secret_asked *asked, ck_error *err) {
  size_t before = out->len;
  if (!*asked->name)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s names no key: keyring:NAME does", asked->ref);
  char *room = ck_buffer_extend(out, CK_SECRET_MAX);
  if (!room) return ck_error_no_memory(err);
  out->len = before;
  long key = find(asked->name);
  long len = key < 0 ? -1 : syscall(SYS_keyctl, KEYCTL_READ, key, room, (long)CK_SECRET_MAX, 0L);
  if (len < 0) return failed(asked, err);
  if (len > CK_SECRET_MAX)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s has more than %d bytes", asked->ref,
                        CK_SECRET_MAX);
  out->len = before + (size_t)len;
  return ck_secret_trim(out, before, asked, err);
}
