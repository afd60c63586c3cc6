/* tool_count.c - a tool that leaves one mark per call, and knows whether it did; what it is called
 * as says what it does:
 *   count        appends its key to count.log with one write, and answers "counted N"; before that,
 *                where there is a FIFO "waiting" it opens that and writes its pid, where there is a
 *                FIFO "go" it takes one byte out of that, and where there is a file "hold" it waits
 *                for its lock
 *   count_probe  exit 0 and the same answer when the key is in count.log, else exit 1
 *   count_kill   like count, but kills who called it instead of answering; once, while there is a
 *                file "kill" */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { KEY_MAX = 255, CANNOT = 9 };

/* The FIFO stays open: its reader sees the end of the process. */
static void wait_while_held(void) {
  int told = open("waiting", O_WRONLY | O_CLOEXEC);
  if (told >= 0) dprintf(told, "%d\n", (int)getpid());
  char byte;
  int fd = open("go", O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && read(fd, &byte, 1) >= 0) close(fd);
  fd = open("hold", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)flock(fd, LOCK_SH);
  close(fd);
}

static bool append_key(const char *key) {
  char line[KEY_MAX + 2];
  int length = snprintf(line, sizeof line, "%s\n", key);
  int fd = open("count.log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  bool written = fd >= 0 && write(fd, line, (size_t)length) == length;
  return fd >= 0 && close(fd) == 0 && written;
}

static bool has_key(const char *key) {
  char line[KEY_MAX + 2];
  bool found = false;
  FILE *log = fopen("count.log", "re");
  while (log && !found && fgets(line, sizeof line, log)) {
    line[strcspn(line, "\n")] = '\0';
    found = strcmp(line, key) == 0;
  }
  if (log) fclose(log);
  return found;
}

/* The arguments are {"n": N}. */
static int answer(void) {
  char line[PIPE_BUF];
  const char *n = fgets(line, sizeof line, stdin) ? strstr(line, "\"n\":") : NULL;
  if (!n) return CANNOT;
  printf("counted %ld\n", strtol(n + strlen("\"n\":"), NULL, 10));
  return 0;
}

int main(int argc, char **argv) {
  const char *key = getenv("CKRUN_EFFECT_KEY"), *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
  const char *name = slash ? slash + 1 : "";
  if (!key || strlen(key) > KEY_MAX) return CANNOT;
  if (strcmp(name, "count_probe") == 0) return has_key(key) ? answer() : 1;
  wait_while_held();
  if (!append_key(key)) return CANNOT;
  if (strcmp(name, "count_kill") == 0 && unlink("kill") == 0) {
    pid_t caller = getppid();
    kill(caller, SIGKILL);
    while (getppid() == caller) sched_yield();
  }
  return answer();
}
