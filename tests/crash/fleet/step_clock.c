/* step_clock.c - for LD_PRELOAD: a process whose wall clock is ahead by as many seconds as the file
 * $CLOCK_STEP says, at once when that changes; its monotonic clock goes on. Not linked into any
 * program: built by the tests with -shared -fPIC -DSTEP_CLOCK_PRELOAD, and empty without. */
#ifdef STEP_CLOCK_PRELOAD
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long read_step(void) {
  const char *path = getenv("CLOCK_STEP");
  char text[32] = "";
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return 0;
  ssize_t len = read(fd, text, sizeof text - 1);
  close(fd);
  return len > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t which, struct timespec *out) {
  int failed = (int)syscall(SYS_clock_gettime, which, out);
  if (!failed && which == CLOCK_REALTIME) out->tv_sec += read_step();
  return failed;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
#endif
