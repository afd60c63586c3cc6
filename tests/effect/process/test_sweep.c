/* test_sweep.c - processes that are marked or below this one are ended wherever they went, and no
 * others. */
#include "core/effect/process/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/effect/process/environment.h"
#include "core/effect/process/mark.h"
#include "tests/tap.h"

static char tool_path[1024];

/* Starts a process that waits for ever, with this environment; returns after its last exec. */
static pid_t spawn(const char *variable) {
  static int number;
  char name[32], *environment[] = {(char *)"A=1", (char *)variable, NULL};
  snprintf(name, sizeof name, "fifo-%d", number++);
  const char *fifo = tap_tmpfile(name);
  char *argv[] = {tool_path, (char *)"wait", (char *)fifo, NULL}, byte;
  pid_t pid = 0;
  tap_must(
      mkfifo(fifo, 0600) == 0 && posix_spawn(&pid, tool_path, NULL, NULL, argv, environment) == 0,
      "it starts");
  int fd = open(fifo, O_RDONLY | O_CLOEXEC);
  tap_must(fd >= 0 && read(fd, &byte, 1) == 1, "it is there");
  close(fd);
  return pid;
}

static bool lives(pid_t pid) { return waitpid(pid, NULL, WNOHANG) == 0; }

/* One that was sent SIGKILL has lost its memory, and its marks with it, a moment before it can be
 * collected. */
static bool dies(pid_t pid) {
  enum { HANG_MS = 10000 };
  for (int i = 0; i < HANG_MS && lives(pid); i++)
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  return kill(pid, 0) != 0;
}

static void end(pid_t pid) {
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

static void test_marks(void) {
  static const struct {
    const char *variable;
    bool ends;
  } cases[] = {{"CKRUN_RUN=run_b", true},       {"CKRUN_RUN=run_a:run_b", true},
               {"CKRUN_RUN=run_b:run_c", true}, {"CKRUN_RUN=run_bb", false},
               {"CKRUN_RUN=run_", false},       {"CKRUN_RUN=", false},
               {"XCKRUN_RUN=run_b", false},     {"CKRUN_RUNS=run_b", false},
               {"B=CKRUN_RUN=run_b", false},    {"CKRUN_RUN=run_a:run_c", false},
               {"CKRUN_RUN=run_d", true}};
  enum { COUNT = sizeof cases / sizeof *cases };
  static const char *const none[] = {NULL}, *const runs[] = {"run_b", "run_d", NULL};
  pid_t pids[COUNT];
  size_t ended = 9;
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < COUNT; i++) pids[i] = spawn(cases[i].variable);
  tap_is_status(ck_sweep_runs(&ended, none, &err), CK_OK, &err, "no run: nothing is ended");
  tap_is_int((int64_t)ended, 0, "not one");
  tap_is_status(ck_sweep_runs(&ended, runs, &err), CK_OK, &err, "what two runs left is ended");
  tap_is_int((int64_t)ended, 4, "all four of it");
  for (int i = 0; i < COUNT; i++) {
    bool there = cases[i].ends ? !dies(pids[i]) : lives(pids[i]);
    tap_ok(there == !cases[i].ends, "%s %s", cases[i].variable,
           cases[i].ends ? "is ended" : "is left alone");
    if (there) end(pids[i]);
  }
}

/* This process carries the mark of the run above it: a sweep of that run must not end the
 * sweeper. */
static int sweep_as_program(const char *none) {
  (void)none;
  static const char *const runs[] = {"run_above", NULL};
  size_t ended;
  ck_error err = CK_ERROR_INIT;
  return ck_sweep_runs(&ended, runs, &err) == CK_OK && ended == 0 ? 0 : 1;
}

static void test_self(void) {
  char *argv[] = {(char *)"/proc/self/exe", (char *)"program", NULL},
       *environment[] = {(char *)"CKRUN_RUN=run_above", NULL};
  pid_t pid = 0;
  int status = -1;
  tap_must(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environment) == 0 &&
               waitpid(pid, &status, 0) == pid,
           "a program");
  tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "who sweeps is not swept (%d)", status);
}

/* A run that is a program of runs: its environment shows no mark, as of a process that may not be
 * read, and its limit is its own. */
static int run_nested(const char *above) {
  ck_error err = CK_ERROR_INIT;
  setenv("CKRUN_RUN", above, 1);
  if (ck_mark_set("s", "run_nested", &err) != CK_OK || write(STDOUT_FILENO, "x", 1) != 1) return 1;
  for (;;) pause();
}

static pid_t start_nested(const char *above) {
  int ends[2];
  char byte, *argv[] = {(char *)"/proc/self/exe", (char *)"nested", (char *)above, NULL},
             *environment[] = {NULL};
  pid_t pid = 0;
  tap_must(pipe2(ends, O_CLOEXEC) == 0, "there is a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  tap_must(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environment) == 0, "a run");
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  tap_must(read(ends[0], &byte, 1) == 1, "it has begun");
  close(ends[0]);
  return pid;
}

static void test_nested(void) {
  static const char *const others[] = {"run_othe", "run_other", "run_to", "nested", NULL};
  static const struct {
    const char *above, *run;
  } cases[] = {
      {"run_top", "run_top"}, {"run_top:run_mid", "run_top"}, {"run_top:run_mid", "run_mid"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *runs[] = {cases[i].run, NULL};
    size_t ended = 9;
    ck_error err = CK_ERROR_INIT;
    pid_t pid = start_nested(cases[i].above);
    tap_ok(ck_sweep_runs(&ended, others, &err) == CK_OK && ended == 0 && lives(pid),
           "a run below %s is none of others", cases[i].above);
    tap_is_status(ck_sweep_runs(&ended, runs, &err), CK_OK, &err, "%s is swept", cases[i].run);
    tap_is_int((int64_t)ended, 1, "the run below it is found");
    tap_ok(dies(pid), "and ended");
    end(pid);
  }
}

static void test_begin(void) {
  ck_error err = CK_ERROR_INIT;
  ck_environment environment;
  char all[1024] = "";
  setenv("CKRUN_RUN", "run_outer", 1);
  tap_is_status(ck_sweep_begin("s", "run_inner", &err), CK_OK, &err, "a run begins");
  tap_must(ck_environment_take(&environment, NULL, NULL) == CK_OK, "there is an environment");
  for (size_t i = 0; i < environment.count; i++) {
    if (strncmp(environment.list[i], "CKRUN_", 6) != 0) continue;
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", environment.list[i]);
  }
  ck_environment_clear(&environment);
  tap_ok(strstr(all, "CKRUN_RUN=run_outer:run_inner ") != NULL,
         "its programs carry its mark behind that of the run above");
  tap_ok(strstr(all, "CKRUN_SESSION=s ") != NULL, "and the session");
}

/* The daemon reports its pid through the pipe; its parent and grandparent end at once. */
static pid_t leave_daemon(const char *where) {
  int ends[2];
  char text[32] = "", *argv[] = {tool_path, (char *)"daemon", (char *)where, NULL},
       *environment[] = {NULL};
  pid_t pid = 0;
  tap_must(pipe2(ends, O_CLOEXEC) == 0, "there is a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  tap_must(posix_spawn(&pid, tool_path, &actions, NULL, argv, environment) == 0, "it starts");
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  waitpid(pid, NULL, 0);
  tap_must(read(ends[0], text, sizeof text - 1) > 0, "the daemon has a pid");
  close(ends[0]);
  return atoi(text);
}

/* After ck_sweep_begin: what is started without an environment bears the mark of this run all the
 * same. */
static void test_bare(void) {
  static const char *const others[] = {"run_outer", "run_inne", "run_inner2", NULL},
                           *const mine[] = {"run_inner", NULL};
  size_t ended = 9;
  ck_error err = CK_ERROR_INIT;
  pid_t daemon = leave_daemon("away");
  tap_ok(ck_sweep_runs(&ended, others, &err) == CK_OK && ended == 0,
         "another run's sweep leaves it alone");
  tap_ok(kill(daemon, 0) == 0, "a daemon that cleared its environment is there");
  tap_ok(ck_sweep_runs(&ended, mine, &err) == CK_OK && ended == 0,
         "as does a sweep of its own while the run lives");
  tap_must(ck_sweep_begin("s", "run_next", &err) == CK_OK, "the run is over");
  tap_ok(ck_sweep_runs(&ended, mine, &err) == CK_OK && ended == 1,
         "when it lives no more, it is found");
  waitpid(daemon, NULL, 0);
  tap_ok(kill(daemon, 0) != 0, "and ends it");
}

/* As another user: what the system does not say of the daemon's limit, /proc does. */
static int find_as_nobody(pid_t daemon) {
  enum { NOBODY = 65534 };
  static const char *const runs[] = {"run_left", NULL};
  ck_mark_list marks;
  struct rlimit limit;
  bool found = false;
  ck_error err = CK_ERROR_INIT;
  if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0) return 2;
  if (prlimit(daemon, RLIMIT_RSS, NULL, &limit) == 0) return 3;
  if (ck_mark_list_make(&marks, runs, &err) != CK_OK) return 4;
  ck_status status = ck_mark_find(&found, &marks, daemon, &err);
  ck_mark_list_clear(&marks);
  return status == CK_OK && found ? 0 : 1;
}

static void test_another_user(void) {
  ck_error err = CK_ERROR_INIT;
  int status = -1;
  if (geteuid() != 0) {
    tap_skip("only root can become another user");
    return;
  }
  tap_must(ck_sweep_begin("s", "run_left", &err) == CK_OK, "a run");
  pid_t daemon = leave_daemon("away");
  tap_must(ck_sweep_begin("s", "run_after", &err) == CK_OK, "it is over");
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) _exit(find_as_nobody(daemon));
  tap_must(pid > 0 && waitpid(pid, &status, 0) == pid, "another user's process");
  tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
         "a daemon of another user without an environment bears the mark (%d)", status);
  end(daemon);
}

static void test_children(void) {
  size_t ended = 9;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_sweep_children(&ended, &err), CK_OK, &err, "nobody is below");
  tap_is_int((int64_t)ended, 0, "so nobody is ended");
  pid_t away = leave_daemon("away"), here = leave_daemon("here");
  tap_ok(kill(away, 0) == 0 && kill(here, 0) == 0, "daemons without an environment are there");
  tap_is_status(ck_sweep_children(&ended, &err), CK_OK, &err, "they are found below");
  tap_ok(ended >= 2, "and ended");
  tap_ok(kill(away, 0) != 0 && errno == ESRCH && kill(here, 0) != 0 && errno == ESRCH,
         "and collected");
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "nobody is left");
}

static void *stop(void *to) {
  ck_sweep_stop();
  return to;
}

/* What a thread ends is left to who waits for it. */
static void test_stop(void) {
  ck_error err = CK_ERROR_INIT;
  pthread_t thread;
  int status = 0;
  tap_must(ck_sweep_begin("s", "run_stopped", &err) == CK_OK, "a run");
  pid_t pid = spawn(NULL);
  tap_must(pthread_create(&thread, NULL, stop, NULL) == 0 && pthread_join(thread, NULL) == 0,
           "a thread");
  bool is_left = waitpid(pid, &status, WNOHANG) == pid;
  tap_ok(is_left && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
         "another thread ends what runs below, and leaves it to be collected (%d)", status);
  if (!is_left) end(pid);
}

int main(int argc, char **argv) {
  if (argc > 2) return run_nested(argv[2]);
  if (argc > 1) return sweep_as_program(argv[1]);
  const char *build = getenv("CKRUN_BUILD");
  snprintf(tool_path, sizeof tool_path, "%s/tests/effect/process/tool_child",
           build ? build : "build/release");
  if (access(tool_path, X_OK)) tap_skip_all("%s is not built", tool_path);
  test_marks();
  test_self();
  test_nested();
  test_begin();
  test_bare();
  test_another_user();
  test_children();
  test_stop();
  return tap_done();
}
