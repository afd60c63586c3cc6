/* shortage.c - for LD_PRELOAD: a process that gets no other processes while the file
 * $SHORTAGE/processes is there, cannot read its store while $SHORTAGE/reads.PID is, and writes none
 * (the disk is full) while $SHORTAGE/writes is. Not linked into any program: built by the tests
 * with -shared -fPIC -DSHORTAGE_PRELOAD, and empty without. */
#ifdef SHORTAGE_PRELOAD
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_there(const char *name) {
  char path[PATH_MAX];
  const char *folder = getenv("SHORTAGE");
  if (!folder) return 0;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *how, char *const argv[], char *const environment[]) {
  int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
              char *const[], char *const[]) = NULL;
  if (is_there("processes")) return EAGAIN;
  *(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
  return real(pid, path, files, how, argv, environment);
}

static int is_database(int fd) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t len = readlink(link, path, sizeof path - 1);
  if (len <= 0) return 0;
  path[len] = 0;
  return strstr(path, "ckrun.db") != NULL;
}

#undef pread64
ssize_t pread64(int fd, void *to, size_t len, off64_t at) {
  ssize_t (*real)(int, void *, size_t, off64_t) = NULL;
  char reads[32];
  snprintf(reads, sizeof reads, "reads.%d", (int)getpid());
  if (is_there(reads) && is_database(fd)) {
    errno = ESTALE; /* EIO is taken for damage */
    return -1;
  }
  *(void **)&real = dlsym(RTLD_NEXT, "pread64");
  return real(fd, to, len, at);
}

#undef pwrite64
ssize_t pwrite64(int fd, const void *from, size_t len, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = NULL;
  if (is_there("writes") && is_database(fd)) {
    errno = ENOSPC;
    return -1;
  }
  *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
  return real(fd, from, len, at);
}
#endif
