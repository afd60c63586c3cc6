/* bench_command.c - a command of the program: the CPU that it takes, and the most memory that it
 * holds at once.
 *
 * The kernel counts towards a process's peak what its memory was before it executed its program,
 * and a process that is spawned is in its parent's memory until then. So the command is started by
 * a process that is small: this program again, which measures nothing else. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/bench.h"

enum { WORDS_MAX = 24 };

static double ms_of(struct timeval time) {
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void become_quiet(char **argv) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0 && dup2(nowhere, 1) >= 0 && dup2(nowhere, 2) >= 0) execv(argv[0], argv);
  _exit(127);
}

int bench_measure_command(int fd, char **argv) {
  bench_cost cost = {0};
  struct rusage of;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  double begun = bench_now_us();
  pid_t child = fork();
  if (child == 0) become_quiet(argv);
  if (child < 0 || wait4(child, &cost.status, 0, &of) < 0) return 1;
  cost.wall_ms = (bench_now_us() - begun) / 1e3;
  cost.cpu_ms = ms_of(of.ru_utime) + ms_of(of.ru_stime);
  cost.memory_mb = (double)of.ru_maxrss / 1024;
  return write(fd, &cost, sizeof cost) == sizeof cost ? 0 : 1;
}

bench_cost bench_command_cost(char *const *argv, int ends_with) {
  extern char **environ;
  char number[16], *words[WORDS_MAX + 4] = {(char *)"bench", (char *)"--measure", number};
  bench_cost cost;
  int fds[2], status;
  pid_t child;
  if (pipe(fds) != 0) bench_die("pipe");
  snprintf(number, sizeof number, "%d", fds[1]);
  for (int i = 0; argv[i]; i++) {
    if (i == WORDS_MAX) bench_die("%s has too many words", argv[0]);
    words[3 + i] = argv[i];
  }
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ) != 0)
    bench_die("cannot run the measuring process");
  close(fds[1]);
  if (read(fds[0], &cost, sizeof cost) != sizeof cost || waitpid(child, &status, 0) < 0 ||
      status != 0)
    bench_die("cannot measure %s", argv[0]);
  close(fds[0]);
  if (!WIFEXITED(cost.status) || WEXITSTATUS(cost.status) != ends_with)
    bench_die("%s %s exited with %d", argv[0], argv[1], WEXITSTATUS(cost.status));
  return cost;
}
