/* counters.c - reads the names that counters have of their stores. */
#include "core/store/counters.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_MAX = PATH_MAX + 256, NAME_DIGITS = 32 };
static const char head[] = "ckrun counter 1\n", name[] = "\nstore ", end[] = "\nsum ";

/* The store's path, within `text`; NULL: it is no counter. A path can have line breaks in it. */
static char *find_store(char text[TEXT_MAX], int folder, const char *file) {
  int fd = openat(folder, file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return NULL;
  ssize_t len = read(fd, text, TEXT_MAX - 1);
  close(fd);
  text[len > 0 ? len : 0] = '\0';
  char *store = strstr(text, name), *behind = NULL;
  if (strncmp(text, head, sizeof head - 1) != 0 || !store) return NULL;
  store += sizeof name - 1;
  for (char *at = store; (at = strstr(at, end)); at++) behind = at;
  if (!behind || *store != '/') return NULL;
  *behind = '\0';
  return store;
}

static bool is_gone(const char *store) {
  struct stat found;
  return stat(store, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

ck_status ck_counters_list_orphans(const char *folder, ck_counter_visit visit, void *to,
                                   ck_error *err) {
  char text[TEXT_MAX], *path;
  DIR *list = opendir(folder);
  if (!list && errno == ENOENT) return CK_OK;
  if (!list)
    return ck_error_set(err, CK_E_IO, "cannot read the folder %s: %s", folder, strerror(errno));
  ck_status status = CK_OK;
  for (struct dirent *entry; status == CK_OK && (entry = readdir(list));) {
    const char *file = entry->d_name;
    if (strspn(file, "0123456789abcdef") != NAME_DIGITS || file[NAME_DIGITS]) continue;
    const char *store = find_store(text, dirfd(list), file);
    if (!store || !is_gone(store)) continue;
    if (asprintf(&path, "%s/%s", folder, file) < 0) {
      status = ck_error_no_memory(err);
      break;
    }
    visit(to, path, store);
    free(path);
  }
  closedir(list);
  return status;
}
