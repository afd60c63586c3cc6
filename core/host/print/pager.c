/* pager.c - starts the pager, and puts a pipe to it in the place of the terminal. */
#include "core/host/print/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buffer.h"

extern char **environ;

/* The first word of `command` is a program that can be run. */
static bool is_there(const char *command) {
  size_t len = strcspn(command, " \t");
  const char *folders = getenv("PATH");
  bool found = false;
  if (memchr(command, '/', len)) folders = "";
  while (folders && !found) {
    size_t folder = strcspn(folders, ":");
    ck_buffer path = {0};
    ck_buffer_append_format(&path, "%.*s%s%.*s", (int)folder, folders, folder ? "/" : "", (int)len,
                            command);
    ck_buffer_append_char(&path, '\0');
    found = !path.failed && access(path.data, X_OK) == 0;
    ck_buffer_clear(&path);
    folders = folders[folder] ? folders + folder + 1 : NULL;
  }
  return found;
}

static const char *find(const ck_output *output) {
  const char *own = getenv("CKRUN_PAGER"), *usual = getenv("PAGER"), *term = getenv("TERM");
  const char *command = own ? own : usual ? usual : "less";
  bool dumb = !term || !*term || strcmp(term, "dumb") == 0;
  if (output->json || !output->terminal || output->no_pager || output->pager || dumb) return NULL;
  if (!*command || strcmp(command, "cat") == 0) return NULL;
  return is_there(command) ? command : NULL;
}

static bool start(pid_t *pid, const char *command, int from) {
  char shell[] = "sh", option[] = "-c",
       *words[] = {shell, option, (char *)(uintptr_t)command, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  sigaddset(&usual, SIGXFSZ);
  if (posix_spawn_file_actions_init(&files) != 0) return false;
  if (posix_spawnattr_init(&how) != 0) {
    posix_spawn_file_actions_destroy(&files);
    return false;
  }
  bool started = posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO) == 0 &&
                 posix_spawnattr_setsigdefault(&how, &usual) == 0 &&
                 posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF) == 0 &&
                 posix_spawn(pid, "/bin/sh", &files, &how, words, environ) == 0;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&how);
  return started;
}

/* less: leave at once what fits, show colours, and leave what was shown on the screen. */
static bool start_without_key(pid_t *pid, const char *command, int from) {
  const char *set = getenv("CKRUN_KEY");
  char *key = set ? strdup(set) : NULL;
  if (set && !key) return false;
  unsetenv("CKRUN_KEY");
  setenv("LESS", "FRX", 0);
  bool started = start(pid, command, from);
  if (key) setenv("CKRUN_KEY", key, 1);
  free(key);
  return started;
}

void ck_pager_begin(ck_output *output) {
  const char *command = find(output);
  int ends[2];
  pid_t pid;
  if (!command || fflush(stdout) != 0 || pipe2(ends, O_CLOEXEC) != 0) return;
  if (start_without_key(&pid, command, ends[0])) {
    output->pager = pid;
    bool shares = output->notice_terminal;
    signal(SIGINT, SIG_IGN); /* the person's, to the pager */
    if (dup2(ends[1], STDOUT_FILENO) >= 0 && shares) dup2(ends[1], STDERR_FILENO);
  }
  close(ends[0]);
  close(ends[1]);
}

void ck_pager_end(ck_output *output) {
  if (!output->pager) return;
  fflush(stdout);
  fflush(stderr);
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    if (output->notice_terminal) dup2(nowhere, STDERR_FILENO);
    close(nowhere);
  }
  while (waitpid(output->pager, NULL, 0) < 0 && errno == EINTR) continue;
  output->pager = 0;
}
