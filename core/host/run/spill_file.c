/* spill_file.c - opens what is sealed, and writes beside before it replaces. */
#include "core/host/run/spill_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/sealed_text.h"
#include "core/base/shortage.h"
#include "core/effect/process/spill.h"

static ck_status failed(ck_error *err, const char *doing, const char *path) {
  int cause = errno;
  return ck_error_set(err, cause == ENOSPC || cause == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot %s %s: %s", doing, path, ck_errno_text(cause));
}

static ck_status make_path(char **out, const char *folder, const char *name, ck_error *err) {
  if (asprintf(out, "%s/%s", folder, name) >= 0) return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

static ck_status read_all(ck_buffer *out, const char *path, ck_error *err) {
  struct stat found;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return failed(err, "read", path);
  size_t size = fstat(fd, &found) == 0 ? (size_t)found.st_size : 0, len = 0;
  char *to = ck_buffer_extend(out, size + 1); /* the file can be empty */
  ssize_t more = 1;
  while (to && len < size && more > 0) {
    more = read(fd, to + len, size - len);
    if (more > 0) len += (size_t)more;
    if (more < 0 && errno == EINTR) more = 1;
  }
  ck_status status = !to ? ck_error_no_memory(err) : more < 0 ? failed(err, "read", path) : CK_OK;
  out->len = to ? len : 0;
  close(fd);
  return status;
}

static ck_status open_seal(ck_buffer *out, const ck_spill_file *self, ck_bytes file,
                           ck_error *err) {
  uint8_t key[CK_SPILL_KEY];
  if (!self->key)
    return ck_error_set(err, CK_E_CORRUPT,
                        "%s/%s is sealed, and lies beside a store without a key: it is of another "
                        "store",
                        self->folder, self->name);
  ck_spill_derive_key(key, self->key);
  ck_status status = ck_sealed_text_open(out, key, self->name, file, err);
  explicit_bzero(key, sizeof key);
  if (status == CK_E_CORRUPT) ck_error_prefix(err, "%s", self->folder);
  return status;
}

ck_status ck_spill_file_read(ck_buffer *out, bool *sealed, const ck_spill_file *self,
                             ck_error *err) {
  char *path;
  ck_buffer file = {0};
  *sealed = false;
  ck_status status = make_path(&path, self->folder, self->name, err);
  if (status != CK_OK) return status;
  status = read_all(&file, path, err);
  *sealed = status == CK_OK && ck_sealed_text_is(ck_buffer_bytes(&file));
  if (*sealed)
    status = open_seal(out, self, ck_buffer_bytes(&file), err);
  else if (status == CK_OK)
    ck_buffer_append_bytes(out, ck_buffer_bytes(&file));
  if (status == CK_OK) status = ck_buffer_check(out, err);
  if (file.data) explicit_bzero(file.data, file.cap);
  ck_buffer_clear(&file);
  free(path);
  return status;
}

static ck_status write_all(int fd, ck_bytes bytes, const char *path, ck_error *err) {
  while (bytes.len > 0) {
    ssize_t len = write(fd, bytes.data, bytes.len);
    if (len < 0 && errno != EINTR) return failed(err, "write", path);
    if (len < 0) continue;
    bytes.data += len;
    bytes.len -= (size_t)len;
  }
  return fsync(fd) == 0 ? CK_OK : failed(err, "sync", path);
}

ck_status ck_spill_file_sync_folder(const char *folder, ck_error *err) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ck_status status = fd >= 0 && fsync(fd) == 0 ? CK_OK : failed(err, "sync", folder);
  if (fd >= 0) close(fd);
  return status;
}

/* `text` itself without a key. */
static ck_status seal(ck_bytes *out, ck_buffer *space, const ck_spill_file *self, ck_bytes text,
                      ck_error *err) {
  uint8_t key[CK_SPILL_KEY];
  *out = text;
  if (!self->key) return CK_OK;
  ck_spill_derive_key(key, self->key);
  ck_status status = ck_sealed_text_write(space, key, self->name, text, err);
  explicit_bzero(key, sizeof key);
  *out = ck_buffer_bytes(space);
  return status;
}

static ck_status put(const char *draft, const char *path, ck_bytes bytes, ck_error *err) {
  unlink(draft);
  int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  ck_status status = fd >= 0 ? ck_own_file_note(draft, err) : failed(err, "make", draft);
  if (status == CK_OK) status = write_all(fd, bytes, draft, err);
  if (fd >= 0) close(fd);
  if (status == CK_OK && rename(draft, path) != 0) status = failed(err, "replace", path);
  if (status != CK_OK) unlink(draft);
  return status;
}

ck_status ck_spill_file_put(const ck_spill_file *self, const char *draft, const char *as,
                            ck_bytes text, ck_error *err) {
  char *from = NULL, *to = NULL;
  ck_buffer space = {0};
  ck_bytes bytes;
  ck_status status = make_path(&from, self->folder, draft, err);
  if (status == CK_OK) status = make_path(&to, self->folder, as, err);
  if (status == CK_OK) status = seal(&bytes, &space, self, text, err);
  if (status == CK_OK) status = put(from, to, bytes, err);
  if (status == CK_OK) status = ck_spill_file_sync_folder(self->folder, err);
  ck_buffer_clear(&space);
  free(from);
  free(to);
  return status;
}
