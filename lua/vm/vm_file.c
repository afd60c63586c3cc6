/* vm_file.c - reads a script from disk, after looking at who could have written it. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"
#include "core/base/utf8.h"
#include "lua/vm/vm.h"

static ck_status check_stat(const char *path, const struct stat *info, ck_error *err) {
  if (!S_ISREG(info->st_mode))
    return ck_error_set(err, CK_E_REFUSED, "%s: not a regular file", path);
  uid_t user = geteuid();
  if (user != 0 && info->st_uid != user && info->st_uid != 0) {
    return ck_error_set(err, CK_E_REFUSED, "%s: belongs to user %u, not to you or root", path,
                        (unsigned)info->st_uid);
  }
  /* A group with its owner's number is the owner's own group, whatever the umask left of its
   * bits. */
  bool group_writes = (info->st_mode & S_IWGRP) && info->st_gid != info->st_uid;
  if (group_writes || (info->st_mode & S_IWOTH)) {
    return ck_error_set(err, CK_E_REFUSED,
                        "%s: others may write it (mode %03o); run chmod go-w on it", path,
                        (unsigned)(info->st_mode & 0777));
  }
  if (info->st_size > CK_VM_SOURCE_MAX) {
    return ck_error_set(err, CK_E_OVERSIZE,
                        "%s: %lld bytes, more than the %d that a script may have", path,
                        (long long)info->st_size, CK_VM_SOURCE_MAX);
  }
  return CK_OK;
}

static ck_status read_all(ck_buffer *out, int fd, const char *path, ck_error *err) {
  size_t begin = out->len;
  char chunk[16384];
  for (;;) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ck_error_set(err, CK_E_IO, "%s: %s", path, ck_errno_text(errno));
    if (got == 0) return ck_buffer_check(out, err);
    ck_buffer_append(out, chunk, (size_t)got);
    if (out->len - begin > CK_VM_SOURCE_MAX) {
      return ck_error_set(err, CK_E_OVERSIZE, "%s: more than %d bytes", path, CK_VM_SOURCE_MAX);
    }
  }
}

static ck_status check_utf8(const char *path, ck_bytes text, ck_error *err) {
  for (size_t i = 0, step; i < text.len; i += step) {
    step = ck_utf8_length(text.data + i, text.len - i);
    if (step == 0) return ck_error_set(err, CK_E_PARSE, "%s: not UTF-8 at byte %zu", path, i);
  }
  return CK_OK;
}

static ck_status open_file(int *out, const char *path, ck_error *err) {
  *out = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (*out >= 0) return CK_OK;
  if (errno == ENOENT || errno == ENOTDIR)
    return ck_error_set(err, CK_E_NOT_FOUND, "%s: there is no such file", path);
  if (errno == ELOOP)
    return ck_error_set(err, CK_E_REFUSED, "%s: a symbolic link; name the file itself", path);
  if (errno == EACCES) return ck_error_set(err, CK_E_REFUSED, "%s: %s", path, ck_errno_text(errno));
  return ck_error_set(err, CK_E_IO, "%s: %s", path, ck_errno_text(errno));
}

ck_status ck_vm_read_file(ck_buffer *out, const char *path, ck_error *err) {
  int fd;
  size_t begin = out->len;
  ck_status status = ck_own_file_check(path, err);
  if (status == CK_OK) status = ck_own_file_add(CK_OWN_SOURCE, path, err);
  if (status == CK_OK) status = open_file(&fd, path, err);
  if (status != CK_OK) return status;
  struct stat info;
  if (fstat(fd, &info) != 0)
    status = ck_error_set(err, CK_E_IO, "%s: %s", path, ck_errno_text(errno));
  if (status == CK_OK) status = check_stat(path, &info, err);
  if (status == CK_OK) status = read_all(out, fd, path, err);
  if (status == CK_OK)
    status =
        check_utf8(path, (ck_bytes){out->data ? out->data + begin : NULL, out->len - begin}, err);
  close(fd);
  return status;
}
