/* secret_file.c - reads a secret from a file, after looking at who could have written or read it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"
#include "core/runtime/session/secret.h"
#include "core/runtime/session/secret_source.h"

#define REMEDY "then try again"

ck_status ck_secret_trim(ck_buffer *out, size_t from, const ck_secret_asked *asked, ck_error *err) {
  while (out->len > from && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r'))
    out->len--;
  if (out->len > from) return CK_OK;
  return ck_error_set(err, CK_E_SECRET_MISSING, "%s is empty: put the secret there, " REMEDY,
                      asked->ref);
}

/* Reads into the given room only: a growing buffer would leave copies of the secret behind. */
static ssize_t read_whole(int fd, char *to, size_t size) {
  size_t len = 0;
  while (len < size) {
    ssize_t more = read(fd, to + len, size - len);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    if (more == 0) break;
    len += (size_t)more;
  }
  return (ssize_t)len;
}

/* What sshd and systemd do: who owns a file answers for who else reads it. So mine is closed to all
 * others when it is a key; root's may be open to the group that he gave it to, as the credentials
 * of systemd are. Root reads secrets of others, which he could take as well, but no key. */
static ck_status check_hands(const struct stat *info, const ck_secret_asked *asked, ck_error *err) {
  ck_status failure = asked->key ? CK_E_REFUSED : CK_E_SECRET_MISSING;
  unsigned mode = (unsigned)info->st_mode & 07777;
  bool mine = info->st_uid == geteuid(), roots = info->st_uid == 0;
  if (!mine && !roots && (asked->key || geteuid() != 0))
    return ck_error_set(err, failure,
                        "%s belongs to another user (uid %u): chown it to yourself, if what "
                        "is in it is yours",
                        asked->ref, (unsigned)info->st_uid);
  if (asked->key && (mode & (mine ? 077 : 027)))
    return ck_error_set(err, failure,
                        "%s can be read or written by others (mode %04o): chmod %s it, if "
                        "nobody has read it yet",
                        asked->ref, mode, mine ? "600" : "g-w,o-rwx");
  if (mode & S_IWOTH)
    return ck_error_set(err, failure,
                        "%s can be written by others (mode %04o): chmod o-w it, if what is in "
                        "it is yours",
                        asked->ref, mode);
  return CK_OK;
}

static ck_status check_file(struct stat *info, int fd, const ck_secret_asked *asked,
                            ck_error *err) {
  if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode))
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s is no regular file: put the secret into one, " REMEDY, asked->ref);
  ck_status status = check_hands(info, asked, err);
  if (status != CK_OK || info->st_size <= CK_SECRET_MAX) return status;
  return ck_error_set(err, CK_E_SECRET_MISSING,
                      "%s has more than %d bytes: give a smaller one, " REMEDY, asked->ref,
                      CK_SECRET_MAX);
}

static ck_status read_open_file(ck_buffer *out, int fd, const ck_secret_asked *asked,
                                ck_error *err) {
  struct stat info;
  ck_status status = check_file(&info, fd, asked, err);
  if (status != CK_OK) return status;
  size_t size = (size_t)info.st_size, before = out->len;
  char *room = ck_buffer_extend(out, size);
  if (!room) return ck_error_no_memory(err);
  ssize_t len = read_whole(fd, room, size);
  if (len < 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s cannot be read (%s): fix that, " REMEDY,
                        asked->ref, ck_errno_text(errno));
  out->len = before + (size_t)len;
  return ck_secret_trim(out, before, asked, err);
}

ck_status ck_secret_read_file(ck_buffer *out, const ck_secret_asked *asked, const char *path,
                              ck_error *err) {
  ck_status status = ck_own_file_check(path, err);
  if (status == CK_OK) status = ck_own_file_add(CK_OWN_SECRET, path, err);
  if (status != CK_OK) return status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s cannot be opened (%s): fix that, " REMEDY,
                        asked->ref, ck_errno_text(errno));
  status = read_open_file(out, fd, asked, err);
  close(fd);
  return status;
}

/* A credential is a file in a folder of systemd's own. */
ck_status ck_secret_read_credential(ck_buffer *out, const ck_secret_asked *asked, ck_error *err) {
  const char *folder = getenv("CREDENTIALS_DIRECTORY"), *name = asked->name;
  char *path = NULL;
  if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s names no credential: credential:NAME, without '/', is one", asked->ref);
  if (!folder || folder[0] != '/')
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s: $CREDENTIALS_DIRECTORY is not set: systemd sets it for a service that "
                        "has LoadCredential=%s:PATH or LoadCredentialEncrypted=",
                        asked->ref, name);
  if (asprintf(&path, "%s/%s", folder, name) < 0) return ck_error_no_memory(err);
  ck_status status = ck_secret_read_file(out, asked, path, err);
  free(path);
  return status;
}
