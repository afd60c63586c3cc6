/* own_file.c - a list of paths, and of the files that were seen there: whoever may rename a file
 * must not thereby make it another one. */
#include "core/base/own_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct identity {
  dev_t device;
  ino_t inode;
} identity;

typedef struct own_file {
  struct own_file *next;
  ck_own_kind kind;
  unsigned count;
  identity *seen; /* whatever was at the path, or at a companion's, when it was looked at */
  size_t seen_count;
  char path[]; /* absolute */
} own_file;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static own_file *all;

enum { DEPTH_MAX = 16 }; /* of folders beside a store */

static const char *const companions[] = {"", "-wal", "-shm", "-journal", ".lock", ".new", NULL};
static const char *const nouns[] = {"a file of the store", "a file with a secret",
                                    "a file that ckrun works by", "a file of the store"};

/* ---- identities ---- */

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool has_seen(const own_file *self, const struct stat *file) {
  for (size_t i = 0; i < self->seen_count; i++)
    if (self->seen[i].device == file->st_dev && self->seen[i].inode == file->st_ino) return true;
  return false;
}

/* These two: false: there is no memory for what was seen. */
static bool look_at(own_file *self, const char *path) {
  struct stat there;
  if (stat(path, &there) != 0 || has_seen(self, &there)) return true;
  identity *seen = realloc(self->seen, (self->seen_count + 1) * sizeof *seen);
  if (!seen) return false;
  seen[self->seen_count++] = (identity){there.st_dev, there.st_ino};
  self->seen = seen;
  return true;
}

static bool look(own_file *self) {
  bool done = true;
  if (self->kind != CK_OWN_STORE) return look_at(self, self->path);
  for (const char *const *ending = companions; *ending; ending++) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s", self->path, *ending) < (int)sizeof path)
      done = look_at(self, path) && done;
  }
  return done;
}

/* ---- the list ---- */

/* The path that a file has, or would have; false: its folder does not exist, either. */
static bool resolve(char real[PATH_MAX], const char *path) {
  char folder[PATH_MAX];
  if (realpath(path, real)) return true;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  int len = slash ? snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path)
                  : snprintf(folder, sizeof folder, ".");
  if (len >= (int)sizeof folder || !realpath(folder, real)) return false;
  size_t used = strcmp(real, "/") == 0 ? 0 : strlen(real);
  return snprintf(real + used, PATH_MAX - used, "/%s", name) < (int)(PATH_MAX - used);
}

/* The link that leads to it; to NULL: it is not listed. */
static own_file **find_entry(ck_own_kind kind, const char *path) {
  own_file **at = &all;
  while (*at && ((*at)->kind != kind || strcmp((*at)->path, path) != 0)) at = &(*at)->next;
  return at;
}

static void drop_entry(own_file **at) {
  own_file *self = *at;
  *at = self->next;
  free(self->seen);
  free(self);
}

static ck_status add_entry(ck_own_kind kind, const char *path, ck_error *err) {
  own_file **at = find_entry(kind, path);
  if (!*at) {
    size_t size = strlen(path) + 1;
    own_file *self = calloc(1, sizeof *self + size);
    if (!self) return ck_error_no_memory(err);
    self->kind = kind;
    memcpy(self->path, path, size);
    *at = self;
  }
  bool seen = look(*at);
  if (seen) (*at)->count++;
  if (!seen && (*at)->count == 0) drop_entry(at);
  return seen ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_own_file_add(ck_own_kind kind, const char *path, ck_error *err) {
  char real[PATH_MAX];
  if (kind != CK_OWN_STORE && !resolve(real, path)) return CK_OK;
  pthread_mutex_lock(&mutex);
  ck_status status = add_entry(kind, kind == CK_OWN_STORE ? path : real, err);
  pthread_mutex_unlock(&mutex);
  return status;
}

void ck_own_file_remove(ck_own_kind kind, const char *path) {
  char real[PATH_MAX];
  if (kind != CK_OWN_STORE && resolve(real, path)) path = real;
  pthread_mutex_lock(&mutex);
  own_file **at = find_entry(kind, path);
  if (*at && --(*at)->count == 0) drop_entry(at);
  pthread_mutex_unlock(&mutex);
}

ck_status ck_own_file_look(ck_error *err) {
  bool seen = true;
  pthread_mutex_lock(&mutex);
  for (own_file *it = all; it; it = it->next) seen = look(it) && seen;
  pthread_mutex_unlock(&mutex);
  return seen ? CK_OK : ck_error_no_memory(err);
}

/* ---- comparison ---- */

/* `path` without its last name, but with the slash. */
static void folder_of(char out[PATH_MAX], const char *path) {
  snprintf(out, PATH_MAX, "%.*s", (int)(strrchr(path, '/') + 1 - path), path);
}

/* A name of `file` begins with `prefix` in that folder, or lies in a folder whose name does.
 * Folders are read; no file is opened, and no link followed. */
static bool is_linked_in(const char *folder, const char *prefix, const struct stat *file,
                         int depth) {
  char path[PATH_MAX];
  struct stat there;
  struct dirent *entry;
  bool found = false;
  DIR *open = opendir(folder);
  while (open && !found && (entry = readdir(open))) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (strncasecmp(name, prefix, strlen(prefix)) != 0) continue;
    if (fstatat(dirfd(open), name, &there, AT_SYMLINK_NOFOLLOW) != 0) continue;
    found = is_same(&there, file);
    if (S_ISDIR(there.st_mode) && depth < DEPTH_MAX &&
        snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path)
      found = found || is_linked_in(path, "", file, depth + 1);
  }
  if (open) closedir(open);
  return found;
}

/* Under whatever name: a hard link, too, and one that it was given since. */
static bool is_file_of(const own_file *self, const struct stat *file) {
  char folder[PATH_MAX];
  if (has_seen(self, file)) return true;
  if (self->kind != CK_OWN_STORE) return false;
  folder_of(folder, self->path);
  return is_linked_in(folder, strrchr(self->path, '/') + 1, file, 0);
}

/* Of a file that does not exist. */
static bool has_name(const own_file *self, const char *real) {
  char folder[PATH_MAX];
  struct stat home, above;
  if (strcasecmp(strrchr(self->path, '/'), strrchr(real, '/')) != 0) return false;
  folder_of(folder, self->path);
  if (stat(folder, &home) != 0) return false;
  folder_of(folder, real);
  return stat(folder, &above) == 0 && is_same(&above, &home);
}

static bool is_companion(const char *name, size_t len, const char *store) {
  for (const char *const *ending = companions; *ending; ending++)
    if (strlen(store) + strlen(*ending) == len && strncmp(name, store, strlen(store)) == 0 &&
        strncmp(name + strlen(store), *ending, strlen(*ending)) == 0)
      return true;
  return false;
}

/* Some part of `real` lies in the store's folder and has its name, or one that begins with it. The
 * folders are compared by inode: there are mounts, and file systems that ignore case. */
static bool is_beside(const own_file *self, const char *real, bool exact) {
  char folder[PATH_MAX];
  struct stat home, above;
  const char *store = strrchr(self->path, '/') + 1;
  folder_of(folder, self->path);
  if (stat(folder, &home) != 0) return false;
  for (const char *slash = strchr(real, '/'); slash; slash = strchr(slash + 1, '/')) {
    const char *name = slash + 1;
    size_t len = strcspn(name, "/");
    bool named =
        exact ? is_companion(name, len, store) : strncasecmp(name, store, strlen(store)) == 0;
    if (!named) continue;
    snprintf(folder, sizeof folder, "%.*s", (int)(name - real), real);
    if (stat(folder, &above) == 0 && is_same(&above, &home)) return true;
  }
  return false;
}

/* Without memory for what was seen it is refused: the next rename would lose it. */
const char *ck_own_file_find(const char *real, const struct stat *found) {
  const char *noun = NULL;
  pthread_mutex_lock(&mutex);
  for (own_file *it = all; it && !noun; it = it->next) {
    bool own = !look(it) || (found && is_file_of(it, found));
    own = own ||
          (it->kind == CK_OWN_STORE ? is_beside(it, real, false) : !found && has_name(it, real));
    if (own) noun = nouns[it->kind];
  }
  pthread_mutex_unlock(&mutex);
  return noun;
}

/* ---- what this process is about to open ---- */

ck_status ck_own_file_check(const char *path, ck_error *err) {
  char real[PATH_MAX];
  struct stat file;
  bool there = stat(path, &file) == 0, resolved = resolve(real, path), own = false;
  ck_status status = CK_OK;
  pthread_mutex_lock(&mutex);
  for (own_file *it = all; it && !own && status == CK_OK; it = it->next) {
    if (it->kind != CK_OWN_STORE) continue;
    if (!look(it)) status = ck_error_no_memory(err);
    own = (there && has_seen(it, &file)) || (resolved && is_beside(it, real, true));
    if (own)
      status = ck_error_set(err, CK_E_REFUSED,
                            "%.300s is a file of the open store %.300s: name another one", path,
                            it->path);
  }
  pthread_mutex_unlock(&mutex);
  return status;
}
