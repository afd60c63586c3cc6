/* new_file.c - makes a store's file under another name, and gives it its own when it is whole. */
#include "core/store/sqlite/new_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRAFT ".ckrun-draft-" /* and letters, as many as mkostemp(3) makes */
enum { DRAFT_RANDOM = 6 };

static ck_status exists(const char *name, ck_error *err) {
  return ck_error_set(err, CK_E_EXISTS,
                      "%s exists already, and a copy replaces nothing: name a new file", name);
}

/* A stale log or mark at the copy's name would be taken for its own. */
static ck_status check_absent(const char *path, ck_error *err) {
  static const char *const suffixes[] = {"",      "-wal",      "-shm",  "-journal",
                                         ".lock", ".sessions", ".spill"};
  ck_status status = CK_OK;
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && status == CK_OK; i++) {
    char *name = NULL;
    struct stat found;
    if (asprintf(&name, "%s%s", path, suffixes[i]) < 0) return ck_error_no_memory(err);
    if (lstat(name, &found) == 0) status = exists(name, err);
    free(name);
  }
  return status;
}

/* SQLite's own, while the draft's head is changed. */
static void remove_journal(int folder, const char *draft) {
  char name[NAME_MAX + 1];
  int len = snprintf(name, sizeof name, "%s-journal", draft);
  if (len > 0 && (size_t)len < sizeof name) unlinkat(folder, name, 0);
}

/* A draft that nobody locks is one of a copy that was killed. */
static void remove_if_stale(int folder, const char *name) {
  int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
    remove_journal(folder, name);
    unlinkat(folder, name, 0);
  }
  if (fd >= 0) close(fd);
}

static void remove_stale_drafts(const char *path) {
  char prefix[NAME_MAX + 1];
  const char *slash = strrchr(path, '/');
  char *folder_path = strndup(path, (size_t)(slash - path) + 1);
  DIR *folder = folder_path ? opendir(folder_path) : NULL;
  size_t len = (size_t)snprintf(prefix, sizeof prefix, "%s" DRAFT, slash + 1);
  for (struct dirent *entry; folder && len < sizeof prefix && (entry = readdir(folder));) {
    if (strncmp(entry->d_name, prefix, len) == 0 && strlen(entry->d_name) == len + DRAFT_RANDOM)
      remove_if_stale(dirfd(folder), entry->d_name);
  }
  if (folder) closedir(folder);
  free(folder_path);
}

/* Held as long as the draft is written; false: it was taken for a stale one meanwhile. */
static bool lock_draft(int fd) {
  struct stat found;
  return flock(fd, LOCK_EX) == 0 && fstat(fd, &found) == 0 && found.st_nlink > 0;
}

/* Several backups to one name do not meet: each has a draft of its own, and only one is renamed. */
static ck_status make_draft(char **draft, int *lock, const char *path, ck_error *err) {
  remove_stale_drafts(path);
  do {
    if (*lock >= 0) close(*lock);
    free(*draft);
    if (asprintf(draft, "%s" DRAFT "XXXXXX", path) < 0) {
      *draft = NULL;
      *lock = -1;
      return ck_error_no_memory(err);
    }
    *lock = mkostemp(*draft, O_CLOEXEC); /* mode 0600 */
    if (*lock < 0) return ck_sqlite_path_error(err, "make it", path);
  } while (!lock_draft(*lock));
  return CK_OK;
}

/* Never over a file that came meanwhile. */
static ck_status name_draft(const char *draft, const char *path, ck_error *err) {
  int failed = renameat2(AT_FDCWD, draft, AT_FDCWD, path, RENAME_NOREPLACE);
  if (failed && (errno == EINVAL || errno == ENOSYS)) /* not on every file system */
    failed = link(draft, path) != 0 || unlink(draft) != 0;
  if (!failed) return ck_sqlite_sync_folder(path, err);
  return errno == EEXIST ? exists(path, err) : ck_sqlite_path_error(err, "make it", path);
}

static ck_status write_and_name(const ck_new_file *self, char *draft, ck_error *err) {
  ck_status status = self->write(self->self, draft, err);
  if (status == CK_OK && self->before) status = self->before(self->to, self->path, err);
  if (status == CK_OK) status = name_draft(draft, self->path, err);
  if (status != CK_OK) unlink(draft);
  return status;
}

ck_status ck_new_file_make(const ck_new_file *self, ck_error *err) {
  char *draft = NULL;
  int lock = -1;
  ck_status status = check_absent(self->path, err);
  if (status == CK_OK) status = make_draft(&draft, &lock, self->path, err);
  if (status == CK_OK) status = write_and_name(self, draft, err);
  if (lock >= 0) close(lock);
  free(draft);
  return status;
}
