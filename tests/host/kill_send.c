/* kill_send.c - for LD_PRELOAD: kills a program before it sends the KILL_SEND-th message to a
 * server, or has it stand still there (STOP_SEND=1); 0: counts them. Not linked into any program:
 * built by the tests with -shared -fPIC -DKILL_SEND_PRELOAD, and empty without. */
#ifdef KILL_SEND_PRELOAD
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static long count;
__attribute__((destructor)) static void end(void) {
  if (getenv("KILL_SEND")) printf("sent %ld\n", count);
}
ssize_t send(int fd, const void *data, size_t len, int flags) {
  ssize_t (*real)(int, const void *, size_t, int) =
      (ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
  const char *at = getenv("KILL_SEND");
  if (at && ++count == atol(at)) kill(getpid(), getenv("STOP_SEND") ? SIGSTOP : SIGKILL);
  return real(fd, data, len, flags);
}
#endif
