/* set_clock.c - for LD_PRELOAD: a process whose wall clock stands at $CLOCK_AT, in seconds. So what
 * is printed of a store's age is the same in every year. Not linked into any program: built by the
 * tests with -shared -fPIC -DSET_CLOCK_PRELOAD, and empty without. */
#ifdef SET_CLOCK_PRELOAD
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t which, struct timespec *out) {
  const char *at = getenv("CLOCK_AT");
  if (which != CLOCK_REALTIME || !at) return (int)syscall(SYS_clock_gettime, which, out);
  *out = (struct timespec){.tv_sec = atol(at)};
  return 0;
}
#endif
