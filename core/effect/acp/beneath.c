/* beneath.c - the kernel resolves each path beneath the folder, so that no link and no ".." leads
 * out of it. A file is first only referred to (O_PATH), which opens nothing; what was examined is
 * then opened, whatever has become of the path. */
#include "core/effect/acp/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/own_file.h"

typedef struct request {
  const char *path;   /* as the agent gave it */
  const char *inside; /* its part below the folder */
  int root;           /* the folder */
  size_t root_len;    /* of its path */
  struct stat git;    /* of the folder's ".git"; zero: there is none */
  bool writes;
} request;

static ck_status refuse(const request *self, int code, ck_error *err) {
  return ck_error_set(err, CK_E_REFUSED, "%.200s: %s", self->path,
                      code == EXDEV    ? "it leads out of the working folder"
                      : code == EEXIST ? "a link that leads nowhere"
                                       : strerror(code));
}

/* -1 and errno. */
static int resolve(int at, const char *path, int flags, unsigned more) {
  struct open_how how = {.flags = (unsigned)flags | O_CLOEXEC,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | more};
  if (flags & O_CREAT) how.mode = 0666;
  return (int)syscall(SYS_openat2, at, path, &how, sizeof how);
}

/* ---- what an agent gets ---- */

static bool is_git(const request *self, const char *path, size_t len) {
  char part[PATH_MAX];
  struct stat there;
  snprintf(part, sizeof part, "%.*s", (int)len, path);
  return self->git.st_ino != 0 && stat(part, &there) == 0 && there.st_dev == self->git.st_dev &&
         there.st_ino == self->git.st_ino;
}

/* A part of `real` has that name, or is the folder's own one under another name. */
static bool lies_in_git(const request *self, const char *real) {
  for (const char *slash = real + self->root_len; slash; slash = strchr(slash + 1, '/')) {
    size_t len = strcspn(slash + 1, "/");
    if (len == 4 && strncasecmp(slash + 1, ".git", len) == 0) return true;
    if (is_git(self, real, (size_t)(slash + 1 - real) + len)) return true;
  }
  return false;
}

/* `found` NULL: it does not exist. */
static ck_status check(const request *self, const char *real, const struct stat *found,
                       ck_error *err) {
  const char *own = ck_own_file_find(real, found);
  if (!own && lies_in_git(self, real)) own = "a file of git's own";
  if (own)
    return ck_error_set(err, CK_E_REFUSED, "%.200s is %s, and not for agents", self->path, own);
  if (found && !S_ISREG(found->st_mode))
    return ck_error_set(err, CK_E_REFUSED, "%.200s is not a regular file", self->path);
  if (found && self->writes && found->st_nlink > 1)
    return ck_error_set(err, CK_E_REFUSED,
                        "%.200s has %lu names (hard links), and all would change: write a copy",
                        self->path, (unsigned long)found->st_nlink);
  return CK_OK;
}

/* The path that `fd` has now. */
static ck_status find_path(char out[PATH_MAX], const request *self, int fd, ck_error *err) {
  char link[48];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t len = readlink(link, out, PATH_MAX);
  if (len < 0 || len >= PATH_MAX) return refuse(self, len < 0 ? errno : ENAMETOOLONG, err);
  out[len] = '\0';
  return CK_OK;
}

/* ---- opening ---- */

static ck_status open_held(int *out, const request *self, int held, ck_error *err) {
  char real[PATH_MAX], link[48];
  struct stat found;
  ck_status status = find_path(real, self, held, err);
  if (status == CK_OK && fstat(held, &found) != 0) status = refuse(self, errno, err);
  if (status == CK_OK) status = check(self, real, &found, err);
  if (status != CK_OK) return status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", held);
  *out = open(link, (self->writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  return *out >= 0 ? CK_OK : refuse(self, errno, err);
}

static ck_status make_in(int *out, const request *self, int folder, const char *name,
                         ck_error *err) {
  char real[PATH_MAX];
  ck_status status = find_path(real, self, folder, err);
  if (status != CK_OK) return status;
  size_t used = strcmp(real, "/") == 0 ? 0 : strlen(real);
  if (snprintf(real + used, PATH_MAX - used, "/%s", name) >= (int)(PATH_MAX - used))
    return refuse(self, ENAMETOOLONG, err);
  status = check(self, real, NULL, err);
  if (status != CK_OK) return status;
  *out = resolve(folder, name, O_WRONLY | O_CREAT | O_EXCL, RESOLVE_NO_SYMLINKS);
  return *out >= 0 ? CK_OK : refuse(self, errno, err);
}

/* The folder above is held first, so that the file is made where it was examined. */
static ck_status make_file(int *out, const request *self, ck_error *err) {
  char above[PATH_MAX] = ".";
  const char *slash = strrchr(self->inside, '/'), *name = slash ? slash + 1 : self->inside;
  if (slash && snprintf(above, sizeof above, "%.*s", (int)(slash - self->inside), self->inside) >=
                   (int)sizeof above)
    return refuse(self, ENAMETOOLONG, err);
  int folder = resolve(self->root, above, O_PATH | O_DIRECTORY, 0);
  if (folder < 0) return refuse(self, errno, err);
  ck_status status = make_in(out, self, folder, name, err);
  close(folder);
  return status;
}

static ck_status open_file(int *out, const request *self, ck_error *err) {
  int held = resolve(self->root, self->inside, O_PATH, 0);
  if (held < 0 && errno == ENOENT && self->writes) return make_file(out, self, err);
  if (held < 0) return refuse(self, errno, err);
  ck_status status = open_held(out, self, held, err);
  close(held);
  return status;
}

/* The part of `path` below the folder; NULL: the path lies elsewhere. */
static const char *strip(const char *folder, const char *path) {
  size_t len = strlen(folder);
  if (strcmp(folder, "/") == 0) len = 0;
  if (strncmp(path, folder, len) != 0 || path[len] != '/') return NULL;
  path += len;
  while (*path == '/') path++;
  return *path ? path : NULL;
}

ck_status ck_acp_open_beneath(int *out, const char *folder, const char *path, bool writes,
                              ck_error *err) {
  char real[PATH_MAX];
  *out = -1;
  request self = {.path = path, .writes = writes};
  self.inside = realpath(folder, real) ? strip(real, path) : NULL;
  if (!self.inside)
    return ck_error_set(err, CK_E_REFUSED, "%.200s is not inside the working folder", path);
  self.root_len = strcmp(real, "/") == 0 ? 0 : strlen(real);
  self.root = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (self.root < 0)
    return ck_error_set(err, CK_E_REFUSED, "cannot open the working folder: %s", strerror(errno));
  if (fstatat(self.root, ".git", &self.git, 0) != 0) self.git = (struct stat){0};
  ck_status status = open_file(out, &self, err);
  close(self.root);
  return status;
}
