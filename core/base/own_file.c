/* own_file.c - a list of paths, compared by device and inode whenever it is asked. */
#include "core/base/own_file.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct own_file {
  struct own_file *next;
  ck_own_kind kind;
  unsigned count;
  char path[]; /* absolute */
} own_file;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static own_file *all;

static const char *const companions[] = {"", "-wal", "-shm", "-journal", ".lock", ".new", NULL};
static const char *const nouns[] = {"a file of the store", "a file with a secret",
                                    "a file that ckrun works by"};

/* ---- the list ---- */

/* The link that leads to it; to NULL: it is not listed. */
static own_file **find_entry(ck_own_kind kind, const char *path) {
  own_file **at = &all;
  while (*at && ((*at)->kind != kind || strcmp((*at)->path, path) != 0)) at = &(*at)->next;
  return at;
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
  (*at)->count++;
  return CK_OK;
}

ck_status ck_own_file_add(ck_own_kind kind, const char *path, ck_error *err) {
  char real[PATH_MAX];
  if (kind != CK_OWN_STORE && !realpath(path, real)) return CK_OK;
  pthread_mutex_lock(&mutex);
  ck_status status = add_entry(kind, kind == CK_OWN_STORE ? path : real, err);
  pthread_mutex_unlock(&mutex);
  return status;
}

void ck_own_file_remove(ck_own_kind kind, const char *path) {
  char real[PATH_MAX];
  if (kind != CK_OWN_STORE && realpath(path, real)) path = real;
  pthread_mutex_lock(&mutex);
  own_file **at = find_entry(kind, path), *self = *at;
  if (self && --self->count == 0) {
    *at = self->next;
    free(self);
  }
  pthread_mutex_unlock(&mutex);
}

/* ---- comparison ---- */

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_at(const char *path, const struct stat *file) {
  struct stat there;
  return stat(path, &there) == 0 && is_same(&there, file);
}

/* Under whatever name: a hard link, too. */
static bool is_inode_of(const own_file *self, const struct stat *file) {
  if (self->kind != CK_OWN_STORE) return is_at(self->path, file);
  for (const char *const *ending = companions; *ending; ending++) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s", self->path, *ending) < (int)sizeof path &&
        is_at(path, file))
      return true;
  }
  return false;
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
  snprintf(folder, sizeof folder, "%.*s", (int)(store - self->path), self->path);
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

const char *ck_own_file_find(const char *real, const struct stat *found) {
  const char *noun = NULL;
  pthread_mutex_lock(&mutex);
  for (const own_file *it = all; it && !noun; it = it->next) {
    bool own = (found && is_inode_of(it, found)) ||
               (it->kind == CK_OWN_STORE && is_beside(it, real, false));
    if (own) noun = nouns[it->kind];
  }
  pthread_mutex_unlock(&mutex);
  return noun;
}

/* ---- what this process is about to open ---- */

/* Also of a file that does not exist; false: neither does its folder. */
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

ck_status ck_own_file_check(const char *path, ck_error *err) {
  char real[PATH_MAX];
  struct stat file;
  bool there = stat(path, &file) == 0, resolved = resolve(real, path), own = false;
  ck_status status = CK_OK;
  pthread_mutex_lock(&mutex);
  for (const own_file *it = all; it && !own; it = it->next) {
    if (it->kind != CK_OWN_STORE) continue;
    own = (there && is_inode_of(it, &file)) || (resolved && is_beside(it, real, true));
    if (own)
      status = ck_error_set(err, CK_E_REFUSED,
                            "%.300s is a file of the open store %.300s: name another one", path,
                            it->path);
  }
  pthread_mutex_unlock(&mutex);
  return status;
}
