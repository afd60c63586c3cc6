/* kill_at.c - for LD_PRELOAD: a process that dies at the Nth of its calls that change something
 * outside of it.
 *
 * Counts those calls of all threads in one order. KILL_AT=2N dies before the Nth call, KILL_AT=2N+1
 * right after it. KILL_COUNT=FILE: the number of calls is written there at the exit. Not linked
 * into any program: built by the tests with -shared -fPIC -DKILL_AT_PRELOAD, and empty without. */
#ifdef KILL_AT_PRELOAD
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pid_t owner; /* calls of forked processes are not counted */
static long limit;
static atomic_long calls;

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("KILL_AT");
  limit = at ? atol(at) : 0;
  owner = getpid();
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("KILL_COUNT");
  FILE *file = path && owner == getpid() ? fopen(path, "we") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", (long)atomic_load(&calls));
  fclose(file);
}

/* The number of the call that begins; 0: it is not counted. */
static long enter(bool counted) {
  if (!counted || owner != getpid()) return 0;
  long number = atomic_fetch_add(&calls, 1) + 1;
  if (limit == 2 * number) kill(owner, SIGKILL);
  return number;
}

static void leave(long number) {
  if (number && limit == 2 * number + 1) kill(owner, SIGKILL);
}

/* Output for people, and wakers between threads, change nothing that a resume sees. */
static bool lasts(int fd) {
  struct stat info;
  return fd > STDERR_FILENO && fstat(fd, &info) == 0 && (info.st_mode & S_IFMT) != 0;
}

#define PASS(type, name, counted, parameters, ...)                 \
  type name parameters {                                           \
    static type(*_Atomic next) parameters;                         \
    if (!next) next = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    long number = enter(counted);                                  \
    type answer = next(__VA_ARGS__);                               \
    leave(number);                                                 \
    return answer;                                                 \
  }

PASS(ssize_t, write, lasts(fd), (int fd, const void *data, size_t size), fd, data, size)
PASS(ssize_t, pwrite, true, (int fd, const void *data, size_t size, off_t at), fd, data, size, at)
PASS(ssize_t, pwrite64, true, (int fd, const void *data, size_t size, off64_t at), fd, data, size,
     at)
PASS(ssize_t, writev, lasts(fd), (int fd, const struct iovec *parts, int count), fd, parts, count)
PASS(ssize_t, pwritev, true, (int fd, const struct iovec *parts, int count, off_t at), fd, parts,
     count, at)
PASS(int, fdatasync, true, (int fd), fd)
PASS(int, fsync, true, (int fd), fd)
PASS(int, ftruncate, true, (int fd, off_t size), fd, size)
PASS(int, ftruncate64, true, (int fd, off64_t size), fd, size)
PASS(int, fallocate, true, (int fd, int mode, off_t at, off_t size), fd, mode, at, size)
PASS(int, fallocate64, true, (int fd, int mode, off64_t at, off64_t size), fd, mode, at, size)
PASS(int, posix_fallocate, true, (int fd, off_t at, off_t size), fd, at, size)
PASS(int, posix_fallocate64, true, (int fd, off64_t at, off64_t size), fd, at, size)
PASS(int, unlink, true, (const char *path), path)
PASS(int, unlinkat, true, (int folder, const char *path, int flags), folder, path, flags)
PASS(int, rename, true, (const char *from, const char *to), from, to)
PASS(int, renameat, true, (int a, const char *from, int b, const char *to), a, from, b, to)
PASS(int, mkdir, true, (const char *path, mode_t mode), path, mode)
PASS(int, mkdirat, true, (int folder, const char *path, mode_t mode), folder, path, mode)
PASS(int, flock, true, (int fd, int operation), fd, operation)
PASS(int, fchmod, true, (int fd, mode_t mode), fd, mode)
PASS(int, posix_spawn, true,
     (pid_t *restrict pid, const char *restrict path,
      const posix_spawn_file_actions_t *restrict actions,
      const posix_spawnattr_t *restrict attributes, char *const argv[restrict],
      char *const environment[restrict]),
     pid, path, actions, attributes, argv, environment)

/* The child leaves through here too; it is not the owner. */
PASS(pid_t, fork, true, (void))

#define PASS_OPEN(name, parameters, ...)                                    \
  int name parameters {                                                     \
    static int(*_Atomic next) parameters;                                   \
    va_list more;                                                           \
    va_start(more, flags);                                                  \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                           \
    if (!next) next = (int(*) parameters)dlsym(RTLD_NEXT, #name);           \
    long number = enter((flags & (O_CREAT | O_TRUNC)) != 0);                \
    int answer = next(__VA_ARGS__, flags, mode);                            \
    leave(number);                                                          \
    return answer;                                                          \
  }

PASS_OPEN(open, (const char *path, int flags, ...), path)
PASS_OPEN(open64, (const char *path, int flags, ...), path)
PASS_OPEN(openat, (int folder, const char *path, int flags, ...), folder, path)
PASS_OPEN(openat64, (int folder, const char *path, int flags, ...), folder, path)
#endif
