/* own_file.c - a list of paths, and of the files that were seen there: whoever may rename a file
 * must not thereby make it another one. */
#include "core/base/own_file.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/own_folder.h"

typedef struct own_file {
  struct own_file *next;
  ck_own_kind kind;
  unsigned count;
  ck_identity_set seen; /* whatever was at the path, or at a companion's, when it was looked at */
  ck_own_folder beside; /* of a store: what lies there under its name */
  char path[];          /* absolute */
} own_file;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static own_file *all;

static const char *const companions[] = {"", "-wal", "-shm", "-journal", ".lock", ".new", NULL};
static const char *const folders[] = {".sessions", ".spill", NULL};
static const char *const nouns[] = {"a file of the store", "a file with a secret",
                                    "a file that ckrun works by", "a file of the store",
                                    "a file that ckrun works by"};

/* ---- identities ---- */

static ck_status look_at(own_file *self, const char *path, ck_error *err) {
  ck_file_identity there;
  return ck_file_identity_read(&there, AT_FDCWD, path, true)
             ? ck_identity_set_add(&self->seen, &there, err)
             : CK_OK;
}

static ck_status look(own_file *self, ck_error *err) {
  if (self->kind != CK_OWN_STORE) return look_at(self, self->path, err);
  ck_status status = ck_own_folder_look(&self->beside, self->path, err);
  for (const char *const *ending = companions; *ending && status == CK_OK; ending++) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s%s", self->path, *ending) < (int)sizeof path)
      status = look_at(self, path, err);
  }
  return status;
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
  ck_identity_set_clear(&self->seen);
  ck_own_folder_clear(&self->beside);
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
  ck_status status = look(*at, err);
  if (status == CK_OK) (*at)->count++;
  if (status != CK_OK && (*at)->count == 0) drop_entry(at);
  return status;
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
  ck_status status = CK_OK;
  pthread_mutex_lock(&mutex);
  for (own_file *it = all; it && status == CK_OK; it = it->next) status = look(it, err);
  pthread_mutex_unlock(&mutex);
  return status;
}

/* ---- comparison ---- */

/* `path` without its last name, but with the slash. */
static void folder_of(char out[PATH_MAX], const char *path) {
  snprintf(out, PATH_MAX, "%.*s", (int)(strrchr(path, '/') + 1 - path), path);
}

/* Under whatever name: a hard link, too, and one that it was given since. */
static bool is_file_of(const own_file *self, const ck_file_identity *file) {
  return ck_identity_set_has(&self->seen, file) || ck_identity_set_has(&self->beside.seen, file);
}

/* The birth of what `real` names is that of `found`, unless it was replaced meanwhile. */
static ck_file_identity identify(const char *real, const struct stat *found) {
  ck_file_identity one = {.device = found->st_dev, .inode = found->st_ino}, there;
  return ck_file_identity_read(&there, AT_FDCWD, real, false) &&
                 ck_file_identity_equal(&there, &one)
             ? there
             : one;
}

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
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

static bool is_one_of(const char *const *endings, const char *name, size_t len, const char *store) {
  for (; *endings; endings++)
    if (strlen(store) + strlen(*endings) == len && strncmp(name, store, strlen(store)) == 0 &&
        strncmp(name + strlen(store), *endings, strlen(*endings)) == 0)
      return true;
  return false;
}

/* Which names beside a store are its own. */
typedef enum { EXACT, WITH_FOLDERS, BY_PREFIX } reach;

static bool is_named(const char *name, size_t len, const char *store, reach how) {
  if (how == BY_PREFIX) return strncasecmp(name, store, strlen(store)) == 0;
  return is_one_of(companions, name, len, store) ||
         (how == WITH_FOLDERS && is_one_of(folders, name, len, store));
}

/* Some part of `real` lies in the store's folder under such a name. The
 * folders are compared by inode: there are mounts, and file systems that ignore case. */
static bool is_beside(const own_file *self, const char *real, reach how) {
  char folder[PATH_MAX];
  struct stat home, above;
  const char *store = strrchr(self->path, '/') + 1;
  folder_of(folder, self->path);
  if (stat(folder, &home) != 0) return false;
  for (const char *slash = strchr(real, '/'); slash; slash = strchr(slash + 1, '/')) {
    const char *name = slash + 1;
    size_t len = strcspn(name, "/");
    if (!is_named(name, len, store, how)) continue;
    snprintf(folder, sizeof folder, "%.*s", (int)(name - real), real);
    if (stat(folder, &above) == 0 && is_same(&above, &home)) return true;
  }
  return false;
}

ck_status ck_own_file_note(const char *path, ck_error *err) {
  char real[PATH_MAX];
  ck_status status = CK_OK;
  if (!resolve(real, path)) return CK_OK;
  pthread_mutex_lock(&mutex);
  for (own_file *it = all; it && status == CK_OK; it = it->next)
    if (it->kind == CK_OWN_STORE && is_beside(it, real, BY_PREFIX)) status = look_at(it, real, err);
  pthread_mutex_unlock(&mutex);
  return status;
}

/* Without memory for what was seen it is refused: the next rename would lose it. */
const char *ck_own_file_find(const char *real, const struct stat *found) {
  const char *noun = NULL;
  ck_error none = CK_ERROR_INIT;
  ck_file_identity file = {0};
  if (found) file = identify(real, found);
  pthread_mutex_lock(&mutex);
  for (own_file *it = all; it && !noun; it = it->next) {
    bool own = look(it, &none) != CK_OK || (found && is_file_of(it, &file));
    own = own || (it->kind == CK_OWN_STORE ? is_beside(it, real, BY_PREFIX)
                                           : !found && has_name(it, real));
    if (own) noun = nouns[it->kind];
  }
  pthread_mutex_unlock(&mutex);
  return noun;
}

/* ---- what this process is about to open ---- */

/* A path that somebody named, and what is there. */
typedef struct named {
  const char *path;
  ck_file_identity file;
  bool exists, resolved;
  char real[PATH_MAX];
} named;

static void find_named(named *out, const char *path) {
  out->path = path;
  out->exists = ck_file_identity_read(&out->file, AT_FDCWD, path, true);
  out->resolved = resolve(out->real, path);
}

static ck_status check_read(own_file *it, const named *file, ck_error *err) {
  if (it->kind != CK_OWN_STORE) return CK_OK;
  ck_status status = look(it, err);
  if (status != CK_OK) return status;
  bool own = (file->exists && ck_identity_set_has(&it->seen, &file->file)) ||
             (file->resolved && is_beside(it, file->real, EXACT));
  return own ? ck_error_set(err, CK_E_REFUSED,
                            "%.300s is a file of the open store %.300s: name another one",
                            file->path, it->path)
             : CK_OK;
}

static ck_status check_write(own_file *it, const named *file, ck_error *err) {
  if (it->kind == CK_OWN_TAPE) return CK_OK;
  ck_status status = check_read(it, file, err);
  if (status == CK_OK) status = look(it, err);
  if (status != CK_OK) return status;
  bool own = file->exists && ck_identity_set_has(&it->seen, &file->file);
  if (file->resolved && it->kind == CK_OWN_STORE) own |= is_beside(it, file->real, WITH_FOLDERS);
  if (file->resolved && !file->exists && it->kind != CK_OWN_STORE) own |= has_name(it, file->real);
  return own ? ck_error_set(err, CK_E_REFUSED, "%.300s is %s: name another one", file->path,
                            nouns[it->kind])
             : CK_OK;
}

static ck_status check_all(ck_status (*check)(own_file *it, const named *file, ck_error *err),
                           const char *path, ck_error *err) {
  named file;
  ck_status status = CK_OK;
  find_named(&file, path);
  pthread_mutex_lock(&mutex);
  for (own_file *it = all; it && status == CK_OK; it = it->next) status = check(it, &file, err);
  pthread_mutex_unlock(&mutex);
  return status;
}

ck_status ck_own_file_check(const char *path, ck_error *err) {
  return check_all(check_read, path, err);
}

ck_status ck_own_file_check_written(const char *path, ck_error *err) {
  return check_all(check_write, path, err);
}
