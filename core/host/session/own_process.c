/* own_process.c - hides this process's memory, and moves its variables out of the kernel's view. */
#include "core/host/session/own_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/base/locked.h"

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { HIDES = 1 };
#else
enum { HIDES = 0 };
#endif

static ck_locked_pool texts; /* secrets among them */
static char **variables; /* environ points here: what is only reachable from the stack is a leak */

static void hide_memory(void) {
  const char *dumpable = getenv("CKRUN_DUMPABLE");
  if (HIDES && !(dumpable && strcmp(dumpable, "1") == 0)) prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

bool ck_own_process_is_shown(const char *variable) {
  static const char *const names[] = {
      "CKRUN_RUN=",    "CKRUN_SESSION=", "CKRUN_DUMPABLE=", "LD_",           "GLIBC_TUNABLES=",
      "ASAN_OPTIONS=", "LSAN_OPTIONS=",  "UBSAN_OPTIONS=",  "TSAN_OPTIONS=", NULL};
  for (const char *const *name = names; *name; name++)
    if (strncmp(variable, *name, strlen(*name)) == 0) return true;
  return false;
}

bool ck_own_process_hide(void) {
  hide_memory();
  size_t count = 0;
  while (environ && environ[count]) count++;
  variables = calloc(count + 1, sizeof *variables);
  if (!variables) return false;
  for (size_t i = 0; i < count; i++)
    if (!(variables[i] = ck_locked_copy(&texts, environ[i], strlen(environ[i]) + 1))) return false;
  for (size_t i = 0; i < count; i++)
    if (!ck_own_process_is_shown(environ[i])) explicit_bzero(environ[i], strlen(environ[i]));
  environ = variables;
  return true;
}
