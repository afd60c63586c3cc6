/* spills_copy.c - copies the files of long outputs beside the copy of a store. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/effect/process/spill.h"
#include "core/host/run/spills.h"

enum { CHUNK = 1 << 16 };

static ck_status failed(const char *doing, const char *folder, const char *name, ck_error *err) {
  ck_status status = errno == ENOSPC || errno == EDQUOT ? CK_E_FULL : CK_E_IO;
  return ck_error_set(err, errno == EEXIST || errno == ENOTEMPTY ? CK_E_EXISTS : status,
                      "cannot %s %s%s%s: %s", doing, folder, *name ? "/" : "", name,
                      strerror(errno));
}

/* 0, or an errno. */
static int copy_bytes(int in, int out) {
  static char chunk[CHUNK]; /* of the thread that runs the command */
  for (;;) {
    ssize_t len = read(in, chunk, sizeof chunk);
    if (len == 0) return fsync(out) == 0 ? 0 : errno;
    if (len < 0) return errno;
    for (ssize_t at = 0; at < len;) {
      ssize_t written = write(out, chunk + at, (size_t)(len - at));
      if (written < 0) return errno;
      at += written;
    }
  }
}

/* One that was removed meanwhile is not named by what was copied before. `as`: its name there. */
static ck_status copy_file(int from, const char *name, const char *to, const char *as,
                           ck_error *err) {
  char *path = NULL;
  int in = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat found;
  if (in < 0 && (errno == ENOENT || errno == ELOOP)) return CK_OK;
  if (in < 0) return failed("read", "the long output", name, err);
  if (fstat(in, &found) != 0 || !S_ISREG(found.st_mode)) {
    close(in);
    return CK_OK;
  }
  int out = asprintf(&path, "%s/%s", to, as) < 0
                ? -1
                : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  errno = out < 0 ? errno : copy_bytes(in, out);
  ck_status status = errno ? failed("write", to, name, err) : CK_OK;
  if (out >= 0) close(out);
  close(in);
  free(path);
  return status;
}

static bool is_of(const char *name, const char *session) {
  return name[0] != '.' && (!session || ck_spill_belongs(name, session));
}

static ck_status copy_files(DIR *list, const char *session, const char *to, ck_error *err) {
  ck_status status = CK_OK;
  for (struct dirent *entry; status == CK_OK && (entry = readdir(list));)
    if (is_of(entry->d_name, session))
      status = copy_file(dirfd(list), entry->d_name, to, entry->d_name, err);
  return status;
}

static void remove_draft(const char *draft) {
  DIR *list = opendir(draft);
  for (struct dirent *entry; list && (entry = readdir(list));)
    if (entry->d_name[0] != '.') unlinkat(dirfd(list), entry->d_name, 0);
  if (list) closedir(list);
  rmdir(draft);
}

static ck_status copy_all(DIR *list, const char *session, const char *draft, const char *to,
                          ck_error *err) {
  ck_status status = copy_files(list, session, draft, err);
  int folder = status == CK_OK ? open(draft, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (status == CK_OK && (folder < 0 || fsync(folder) != 0 || rename(draft, to) != 0))
    status = failed("make", to, "", err);
  if (folder >= 0) close(folder);
  if (status != CK_OK) remove_draft(draft);
  return status;
}

static bool has_files(DIR *list, const char *session) {
  bool found = false;
  for (struct dirent *entry; !found && (entry = readdir(list));)
    found = is_of(entry->d_name, session);
  rewinddir(list);
  return found;
}

static ck_status open_list(DIR **out, const char *folder, ck_error *err) {
  *out = folder ? opendir(folder) : NULL;
  return !*out && folder && errno != ENOENT ? failed("read", folder, "", err) : CK_OK;
}

ck_status ck_spills_copy(const char *folder, const char *session, const char *to, ck_error *err) {
  char *draft = NULL;
  DIR *list;
  ck_status status = open_list(&list, folder, err);
  if (!list) return status;
  if (has_files(list, session)) {
    if (asprintf(&draft, "%s.XXXXXX", to) < 0)
      status = ck_error_no_memory(err);
    else
      status =
          mkdtemp(draft) ? copy_all(list, session, draft, to, err) : failed("make", to, "", err);
  }
  closedir(list);
  if (status != CK_E_NO_MEMORY) free(draft);
  return status;
}

/* Under another name first: one that a killed process has left there begins anew. */
static ck_status add_file(int from, int into, const char *to, const char *name, ck_error *err) {
  char *draft = NULL;
  if (faccessat(into, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) return CK_OK;
  if (asprintf(&draft, ".%s", name) < 0) return ck_error_no_memory(err);
  unlinkat(into, draft, 0);
  ck_status status = copy_file(from, name, to, draft, err);
  if (status == CK_OK && renameat(into, draft, into, name) != 0 && errno != ENOENT)
    status = failed("make", to, name, err);
  if (status != CK_OK) unlinkat(into, draft, 0);
  free(draft);
  return status;
}

ck_status ck_spills_add(const char *folder, const char *to, ck_error *err) {
  DIR *list;
  ck_status status = open_list(&list, folder, err);
  if (!list) return status;
  int into = -1;
  if (has_files(list, NULL)) {
    if (mkdir(to, 0700) == 0 || errno == EEXIST)
      into = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (into < 0) status = failed("make", to, "", err);
    for (struct dirent *entry; status == CK_OK && (entry = readdir(list));)
      if (is_of(entry->d_name, NULL)) status = add_file(dirfd(list), into, to, entry->d_name, err);
    if (status == CK_OK && fsync(into) != 0) status = failed("write", to, "", err);
  }
  if (into >= 0) close(into);
  closedir(list);
  return status;
}
