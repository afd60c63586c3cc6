/* key_file.c - a new file of a key, that its owner alone can read. */
#include "core/host/session/key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

ck_status ck_key_file_write(const char *path, ck_bytes text, ck_error *err) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 && errno == EEXIST)
    return ck_error_set(err, CK_E_EXISTS, "%s is there already: a key is not written over anything",
                        path);
  if (fd < 0) return ck_error_set(err, CK_E_IO, "cannot make %s: %s", path, strerror(errno));
  bool written = write(fd, text.data, text.len) == (ssize_t)text.len && fsync(fd) == 0;
  int code = errno;
  if (close(fd) != 0 && written) {
    written = false;
    code = errno;
  }
  if (written) return CK_OK;
  unlink(path);
  return ck_error_set(err, code == ENOSPC || code == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot write %s: %s", path, strerror(code));
}
