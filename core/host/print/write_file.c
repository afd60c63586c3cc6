/* write_file.c - writes an exported file: whole, or not at all. */
#include "core/host/print/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"

static int write_all(int fd, ck_bytes text) {
  while (text.len > 0) {
    ssize_t written = write(fd, text.data, text.len);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -1;
    text.data += written;
    text.len -= (size_t)written;
  }
  return 0;
}

static ck_status cannot_write(const char *path, int code, ck_error *err) {
  return ck_error_set(err, code == ENOSPC || code == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot write %s: %s", path, ck_errno_text(code));
}

ck_status ck_write_file(const char *path, ck_bytes text, ck_error *err) {
  char *draft = NULL;
  ck_status status = ck_own_file_check_written(path, err);
  if (status != CK_OK) return status;
  if (asprintf(&draft, "%s.XXXXXX", path) < 0) return ck_error_no_memory(err);
  int fd = mkostemp(draft, O_CLOEXEC), code = fd < 0 ? errno : 0; /* mode 0600 */
  if (!code && (write_all(fd, text) != 0 || fsync(fd) != 0)) code = errno;
  if (fd >= 0 && close(fd) != 0 && !code) code = errno;
  if (!code && rename(draft, path) != 0) code = errno;
  if (code && fd >= 0) unlink(draft);
  free(draft);
  return code ? cannot_write(path, code, err) : CK_OK;
}
