/* signal_at.c - for LD_PRELOAD: the program's process group gets a signal while a child of it has
 * been forked and does not lead a session of its own yet.
 *
 * SIGNAL_AT=N: at the Nth child; SIGNAL_AT=end: when it closes its event loop, behind all that a
 * session does; SIGNAL=NUMBER: this signal. Not linked into any program: built by
 * the tests with -shared -fPIC -DSIGNAL_AT_PRELOAD, and empty without. */
#ifdef SIGNAL_AT_PRELOAD
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t program;
static int children; /* so far; a child has the number of its own fork */

static int number_of(const char *name) {
  const char *text = getenv(name);
  return text ? atoi(text) : 0;
}

__attribute__((constructor)) static void begin(void) { program = getpid(); }

pid_t fork(void) {
  pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
  children++;
  return real();
}

/* The first call of it in the child. */
pid_t setsid(void) {
  pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "setsid");
  if (getpid() != program && children && children == number_of("SIGNAL_AT"))
    kill(0, number_of("SIGNAL"));
  children = 0;
  return real();
}

int uv_loop_close(void *loop) {
  int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "uv_loop_close");
  const char *at = getenv("SIGNAL_AT");
  if (at && strcmp(at, "end") == 0) kill(0, number_of("SIGNAL"));
  return real(loop);
}
#endif
