/* own_folder.c - a list of folders, each with the time of its last change when it was read. */
#include "core/base/own_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

struct ck_own_subfolder {
  ck_own_subfolder *next;
  ck_file_identity is;
  int64_t changed_ns; /* when it was read; 0: read it again */
  int depth;
  size_t prefix; /* where in `path` the prefix of names begins */
  char path[];
};

static const int64_t second_ns = 1000000000;

static ck_status add_folder(ck_own_folder *self, const char *path, const ck_own_subfolder *above,
                            ck_error *err) {
  ck_own_subfolder **end = &self->folders;
  size_t size = strlen(path) + 1;
  while (*end) end = &(*end)->next;
  ck_own_subfolder *added = calloc(1, sizeof *added + size);
  if (!added) return ck_error_no_memory(err);
  memcpy(added->path, path, size);
  added->prefix = above ? size - 1 : (size_t)(strrchr(path, '/') + 1 - path);
  added->depth = above ? above->depth + 1 : 0;
  *end = added;
  return CK_OK;
}

static const ck_own_subfolder *find_folder(const ck_own_folder *self, const char *path) {
  const ck_own_subfolder *it = self->folders;
  while (it && strcmp(it->path, path) != 0) it = it->next;
  return it;
}

/* The list grows at its end, where the walk comes by later. */
static ck_status take_entry(ck_own_folder *self, const ck_own_subfolder *folder, int fd,
                            const char *name, ck_error *err) {
  const char *prefix = folder->path + folder->prefix;
  ck_file_identity found;
  char path[4096];
  if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return CK_OK;
  if (strncasecmp(name, prefix, strlen(prefix)) != 0) return CK_OK;
  if (!ck_file_identity_read(&found, fd, name, false)) return CK_OK;
  ck_status status = ck_identity_set_add(&self->seen, &found, err);
  if (status != CK_OK || !found.is_folder || folder->depth >= CK_OWN_FOLDER_DEPTH_MAX)
    return status;
  int len = snprintf(path, sizeof path, "%.*s%s/", (int)folder->prefix, folder->path, name);
  bool known = len >= (int)sizeof path || find_folder(self, path);
  return known ? CK_OK : add_folder(self, path, folder, err);
}

/* A change within the same tick of the file system's clock would not show in the time of the last
 * change: what has changed just now is read again the next time. */
static int64_t time_to_keep(const struct stat *folder, int64_t now_ns) {
  int64_t changed_ns = folder->st_mtim.tv_sec * second_ns + folder->st_mtim.tv_nsec;
  int64_t tick_ns = folder->st_mtim.tv_nsec ? second_ns / 20 : 2 * second_ns;
  return changed_ns + tick_ns < now_ns ? changed_ns : 0;
}

static ck_status read_folder(ck_own_folder *self, ck_own_subfolder *folder, const char *path,
                             ck_error *err) {
  struct stat info;
  struct timespec now;
  struct dirent *entry;
  ck_status status = CK_OK;
  DIR *open = opendir(path);
  if (!open) return CK_OK;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  bool known = fstat(dirfd(open), &info) == 0;
  while (status == CK_OK && (entry = readdir(open)))
    status = take_entry(self, folder, dirfd(open), entry->d_name, err);
  closedir(open);
  int64_t now_ns = now.tv_sec * second_ns + now.tv_nsec;
  folder->changed_ns = known && status == CK_OK ? time_to_keep(&info, now_ns) : 0;
  return status;
}

/* False: it is gone. */
static bool has_changed(bool *gone, ck_own_subfolder *folder, const char *path) {
  struct stat info;
  ck_file_identity is;
  *gone = stat(path, &info) != 0 || !ck_file_identity_read(&is, AT_FDCWD, path, true);
  if (*gone) return false;
  bool same = ck_file_identity_equal(&is, &folder->is) &&
              folder->changed_ns == info.st_mtim.tv_sec * second_ns + info.st_mtim.tv_nsec;
  folder->is = is;
  return !same;
}

ck_status ck_own_folder_look(ck_own_folder *self, const char *path, ck_error *err) {
  ck_status status = self->folders ? CK_OK : add_folder(self, path, NULL, err);
  for (ck_own_subfolder **at = &self->folders; *at && status == CK_OK;) {
    ck_own_subfolder *folder = *at;
    char of[4096];
    bool gone;
    snprintf(of, sizeof of, "%.*s", (int)folder->prefix, folder->path);
    if (has_changed(&gone, folder, of)) status = read_folder(self, folder, of, err);
    if (gone && folder->depth > 0) {
      *at = folder->next;
      free(folder);
    } else {
      at = &folder->next;
    }
  }
  return status;
}

void ck_own_folder_clear(ck_own_folder *self) {
  while (self->folders) {
    ck_own_subfolder *next = self->folders->next;
    free(self->folders);
    self->folders = next;
  }
  ck_identity_set_clear(&self->seen);
}
