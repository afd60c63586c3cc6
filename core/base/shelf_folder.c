/* shelf_folder.c - a shelf that is a folder of files, for the user alone. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shelf.h"
#include "core/base/shortage.h"

typedef struct file {
  ck_shelf_item item;
  int fd;
  char *path;
} file;

static ck_status failed(ck_error *err, const char *doing, const char *path) {
  int cause = errno;
  ck_status status = cause == ENOSPC || cause == EDQUOT  ? CK_E_FULL
                     : cause == ENOENT || cause == ELOOP ? CK_E_NOT_FOUND
                                                         : CK_E_IO;
  return ck_error_set(err, status, "cannot %s %s: %s", doing, path, ck_errno_text(cause));
}

static ck_status make_path(char **out, const char *folder, const char *name, ck_error *err) {
  if (asprintf(out, "%s/%s", folder, name) >= 0) return CK_OK;
  *out = NULL;
  return ck_error_no_memory(err);
}

/* ---- one file ---- */

static void free_file(ck_shelf_item *item) {
  file *self = (file *)item;
  if (self->fd >= 0) close(self->fd);
  free(self->path);
  free(self);
}

static ck_status read_file(size_t *got, ck_shelf_item *item, char *room, size_t len,
                           ck_error *err) {
  file *self = (file *)item;
  while (*got < len) {
    ssize_t more = read(self->fd, room + *got, len - *got);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return failed(err, "read", self->path);
    if (more == 0) break;
    *got += (size_t)more;
  }
  return CK_OK;
}

static ck_status write_file(ck_shelf_item *item, ck_bytes bytes, ck_error *err) {
  file *self = (file *)item;
  while (bytes.len > 0) {
    ssize_t len = write(self->fd, bytes.data, bytes.len);
    if (len < 0 && errno == EINTR) continue;
    if (len < 0) return failed(err, "write", self->path);
    bytes.data += len;
    bytes.len -= (size_t)len;
  }
  return CK_OK;
}

static ck_status end_file(ck_shelf_item *item, bool sync, ck_error *err) {
  file *self = (file *)item;
  if (sync && fsync(self->fd) != 0) return failed(err, "sync", self->path);
  int fd = self->fd;
  self->fd = -1;
  return close(fd) == 0 ? CK_OK : failed(err, "write", self->path);
}

static const ck_shelf_kind files;

static ck_status new_file(file **out, const char *folder, const char *name, ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  **out = (file){.item = {&files}, .fd = -1};
  ck_status status = make_path(&(*out)->path, folder, name, err);
  if (status == CK_OK) return CK_OK;
  free(*out);
  *out = NULL;
  return status;
}

static ck_status open_file(ck_shelf_item **out, void *folder, const char *name, ck_error *err) {
  struct stat found;
  file *self;
  ck_status status = new_file(&self, folder, name, err);
  if (status != CK_OK) return status;
  self->fd = open(self->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (self->fd >= 0 && fstat(self->fd, &found) == 0 && S_ISREG(found.st_mode)) {
    *out = &self->item;
    return CK_OK;
  }
  if (self->fd >= 0) errno = ENOENT;
  status = failed(err, "read", self->path);
  free_file(&self->item);
  return status;
}

static ck_status make_file(ck_shelf_item **out, void *folder, const char *name, ck_error *err) {
  file *self;
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return failed(err, "make the folder", folder);
  ck_status status = new_file(&self, folder, name, err);
  if (status != CK_OK) return status;
  unlink(self->path);
  self->fd = open(self->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  status = self->fd < 0 ? failed(err, "make", self->path) : ck_own_file_note(self->path, err);
  if (status == CK_OK) {
    *out = &self->item;
    return CK_OK;
  }
  if (self->fd >= 0) unlink(self->path);
  free_file(&self->item);
  return status;
}

/* ---- the folder ---- */

static ck_status move(void *folder, const char *name, const char *as, ck_error *err) {
  char *from, *to = NULL;
  ck_status status = make_path(&from, folder, name, err);
  if (status == CK_OK) status = make_path(&to, folder, as, err);
  if (status == CK_OK && rename(from, to) != 0) status = failed(err, "replace", to);
  free(from);
  free(to);
  return status;
}

static ck_status remove_file(void *folder, const char *name, ck_error *err) {
  char *path;
  ck_status status = make_path(&path, folder, name, err);
  if (status == CK_OK && unlink(path) != 0 && errno != ENOENT) status = failed(err, "remove", path);
  free(path);
  return status;
}

/* Its own name, too: whoever made it may have been killed before that was on disk. */
static ck_status sync_folder(void *folder, ck_error *err) {
  static const int how = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  int fd = open(folder, how);
  if (fd < 0 && errno == ENOENT) return CK_OK;
  int above = fd >= 0 ? openat(fd, "..", how) : -1;
  bool done = above >= 0 && fsync(fd) == 0 && fsync(above) == 0;
  ck_status status = done ? CK_OK : failed(err, "sync", folder);
  if (above >= 0) close(above);
  if (fd >= 0) close(fd);
  return status;
}

static ck_status visit_file(int folder, const char *name, ck_shelf_visit visit, void *to,
                            ck_error *err) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode))
    return CK_OK;
  if (!visit(to, name, found.st_size) || unlinkat(folder, name, 0) == 0 || errno == ENOENT)
    return CK_OK;
  return ck_error_set(err, CK_E_IO, "cannot remove %s: %s", name, ck_errno_text(errno));
}

/* Whose each is is in its name, which the visitor reads. */
static ck_status list(void *folder, const char *session, ck_shelf_visit visit, void *to,
                      ck_error *err) {
  DIR *entries = opendir(folder);
  (void)session;
  if (!entries) return errno == ENOENT ? CK_OK : failed(err, "read the folder", folder);
  ck_status first = CK_OK;
  for (struct dirent *entry; (entry = readdir(entries));) {
    ck_status status =
        visit_file(dirfd(entries), entry->d_name, visit, to, first == CK_OK ? err : NULL);
    if (first == CK_OK) first = status;
  }
  closedir(entries);
  if (first != CK_OK) ck_error_prefix(err, "%s", (const char *)folder);
  return first;
}

static const ck_shelf_kind files = {.list = list,
                                    .open = open_file,
                                    .make = make_file,
                                    .move = move,
                                    .remove = remove_file,
                                    .sync = sync_folder,
                                    .close = free,
                                    .read = read_file,
                                    .write = write_file,
                                    .end = end_file,
                                    .free = free_file};

ck_status ck_shelf_open_folder(ck_shelf *out, const char *folder, ck_error *err) {
  char *copy = strdup(folder);
  *out = (ck_shelf){0};
  if (!copy) return ck_error_no_memory(err);
  *out = (ck_shelf){.kind = &files, .self = copy, .place = copy, .folder = copy};
  return CK_OK;
}
