/* test_pool.c - a process that ends amid its call is replaced, and none is lost over it: while it
 * ends, its place is nobody else's. */
/* link: -Wl,--wrap=pthread_mutex_lock,--wrap=waitpid */
#include "core/host/mcp/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/tap.h"

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  pthread_t held; /* the thread that is held up where it gives its process back */
  bool armed, ended, inside, open;
} gate = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options) {
  pid_t found = __real_waitpid(pid, status, options);
  __real_pthread_mutex_lock(&gate.mutex);
  gate.ended |= gate.armed && pthread_equal(pthread_self(), gate.held);
  pthread_mutex_unlock(&gate.mutex);
  return found;
}

/* The first lock behind the end of the process. */
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  __real_pthread_mutex_lock(&gate.mutex);
  if (gate.ended && !gate.inside && pthread_equal(pthread_self(), gate.held)) {
    gate.inside = true;
    pthread_cond_broadcast(&gate.changed);
    while (!gate.open) pthread_cond_wait(&gate.changed, &gate.mutex);
  }
  pthread_mutex_unlock(&gate.mutex);
  return __real_pthread_mutex_lock(mutex);
}

static ck_status ask(ck_buffer *out, ck_mcp_pool *pool, const char *line) {
  ck_error err = CK_ERROR_INIT;
  const ck_mcp_caller caller = {.id = ck_bytes_text("1"), .connection = -1};
  ck_status status = ck_mcp_pool_ask(out, pool, &caller, ck_bytes_text(line), &err);
  if (status != CK_OK) tap_diag("%s: %s", line, err.text);
  return status;
}

static void is_answered(ck_mcp_pool *pool, const char *line, const char *name) {
  ck_buffer answer = {0};
  ck_status status = ask(&answer, pool, line);
  ck_bytes said = ck_buffer_bytes(&answer);
  tap_ok(
      status == CK_OK && said.len == strlen(line) + 1 && memcmp(said.data, line, strlen(line)) == 0,
      "%s", name);
  ck_buffer_clear(&answer);
}

static void *ask_to_end(void *to) {
  static ck_status status;
  ck_buffer answer = {0};
  __real_pthread_mutex_lock(&gate.mutex);
  gate.held = pthread_self();
  gate.armed = true;
  pthread_mutex_unlock(&gate.mutex);
  status = ask(&answer, to, "end");
  ck_buffer_clear(&answer);
  return &status;
}

/* A process of the pool is this program once more (core/host/session/handover.h): it says again
 * what it is asked, and ends amid "end". */
static int answer(void) {
  char line[80];
  while (fgets(line, sizeof line, stdin) && strcmp(line, "end\n") != 0) {
    fputs(line, stdout);
    fflush(stdout);
  }
  return 0;
}

int main(int argc, char **given) {
  static const char *const argv[] = {"test_pool", "answer", NULL};
  ck_mcp_pool *pool;
  ck_error err = CK_ERROR_INIT;
  pthread_t thread;
  void *ended;
  if (argc > 1 && strcmp(given[1], argv[1]) == 0) return answer();
  tap_must(argc == 1 && !getenv("CKRUN_HANDOVER"), "it is not started by itself otherwise");
  tap_must(ck_mcp_pool_new(&pool, argv, &err) == CK_OK, "a pool: %s", err.text);
  is_answered(pool, "one", "a call is answered");
  tap_must(pthread_create(&thread, NULL, ask_to_end, pool) == 0, "a thread");
  __real_pthread_mutex_lock(&gate.mutex);
  while (!gate.inside) pthread_cond_wait(&gate.changed, &gate.mutex);
  pthread_mutex_unlock(&gate.mutex);
  is_answered(pool, "two", "beside one whose process has ended, and is not given back yet");
  __real_pthread_mutex_lock(&gate.mutex);
  gate.open = true;
  pthread_cond_broadcast(&gate.changed);
  pthread_mutex_unlock(&gate.mutex);
  pthread_join(thread, &ended);
  tap_ok(*(ck_status *)ended == CK_E_IO, "which fails");
  is_answered(pool, "three", "the next one is answered");
  ck_mcp_pool_free(pool);
  errno = 0;
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "all processes have ended with it");
  return tap_done();
}
