/* secret_command.c - reads a secret from what a command prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/shortage.h"
#include "core/runtime/session/secret.h"
#include "core/runtime/session/secret_source.h"

enum { WAIT_S = 120 /* a person may have to type */ };
extern char **environ;

/* Its standard input is nothing: that of 'ckrun mcp' is a protocol. Its standard error is ours. */
static int spawn(pid_t *out, const char *command, int to) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t all, none;
  char *const argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                        (char *)(uintptr_t)command, NULL};
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&how);
  posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setsigmask(&how, &none);
  int code = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  if (code == 0) code = posix_spawn_file_actions_adddup2(&files, to, 1);
  if (code == 0) code = posix_spawn(out, "/bin/sh", &files, &how, argv, environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  return code;
}

static int left_ms(const struct timespec *end) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long ms = (end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000;
  return ms > 0 ? (int)ms : 0;
}

/* One byte more than a secret may have, so that more is noticed. -1: too late. */
static ssize_t read_all(int fd, char *to, size_t size) {
  struct timespec end;
  size_t len = 0;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += WAIT_S;
  while (len < size) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready = poll(&wait, 1, left_ms(&end));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return -1;
    ssize_t more = read(fd, to + len, size - len);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    len += (size_t)more;
  }
  return (ssize_t)len;
}

static int end(pid_t pid, bool late) {
  int how = 0;
  if (late) kill(pid, SIGKILL);
  while (waitpid(pid, &how, 0) < 0 && errno == EINTR) continue;
  return how;
}

static ck_status check_end(int how, ssize_t len, const char *command, ck_error *err) {
  if (len < 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "command '%s' was ended: no answer in %d s",
                        command, WAIT_S);
  if (len > CK_SECRET_MAX)
    return ck_error_set(err, CK_E_SECRET_MISSING, "command '%s' prints more than %d bytes", command,
                        CK_SECRET_MAX);
  if (WIFSIGNALED(how))
    return ck_error_set(err, CK_E_SECRET_MISSING, "command '%s' was ended by signal %d", command,
                        WTERMSIG(how));
  if (WEXITSTATUS(how) != 0)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "command '%s' failed with exit code %d: fix that, then try again", command,
                        WEXITSTATUS(how));
  return CK_OK;
}

ck_status ck_secret_read_command(ck_buffer *out, const ck_secret_asked *asked, ck_error *err) {
  const char *variable = getenv("CKRUN_KEY_COMMAND");
  const char *command = *asked->name ? asked->name : variable;
  size_t before = out->len;
  int pipes[2];
  pid_t pid;
  if (!command || !*command)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "command: needs a command behind it, or in $CKRUN_KEY_COMMAND");
  char *room = ck_buffer_extend(out, CK_SECRET_MAX + 1);
  if (!room) return ck_error_no_memory(err);
  out->len = before;
  if (pipe2(pipes, O_CLOEXEC) != 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "command '%s' cannot be started: %s", command,
                        ck_errno_text(errno));
  int code = spawn(&pid, command, pipes[1]);
  close(pipes[1]);
  ssize_t len = code == 0 ? read_all(pipes[0], room, CK_SECRET_MAX + 1) : 0;
  close(pipes[0]);
  if (code != 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "command '%s' cannot be started: %s", command,
                        ck_errno_text(code));
  ck_status status = check_end(end(pid, len < 0), len, command, err);
  if (status != CK_OK) return status;
  out->len = before + (size_t)len;
  return ck_secret_trim(out, before, asked, err);
}
