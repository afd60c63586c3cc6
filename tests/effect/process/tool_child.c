/* tool_child.c - a tool that can misbehave in many ways: `tool_child MODE [ARGUMENT]`. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int echo(const char *none) {
  (void)none;
  for (int c; (c = getchar()) != EOF;) putchar(c);
  return 0;
}

static int print(const char *text) {
  fputs(text, stdout);
  return 0;
}

static int print_bytes(const char *none) {
  (void)none;
  fwrite("a\0b\xff"
         "c\n",
         1, 6, stdout);
  return 0;
}

/* The descriptors as a JSON array. */
static int list_descriptors(const char *none) {
  (void)none;
  const char *comma = "";
  DIR *list = opendir("/proc/self/fd");
  if (!list) return 9;
  putchar('[');
  for (struct dirent *entry; (entry = readdir(list));) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == dirfd(list)) continue;
    printf("%s%s", comma, entry->d_name);
    comma = ",";
  }
  putchar(']');
  closedir(list);
  return 0;
}

static int list_environment(const char *none) {
  (void)none;
  for (char **variable = environ; *variable; variable++) puts(*variable);
  return 0;
}

static int show_signals(const char *none) {
  (void)none;
  sigset_t blocked;
  sigprocmask(SIG_SETMASK, NULL, &blocked);
  for (int number = 1; number < 32; number++) {
    struct sigaction action;
    if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &action)) continue;
    if (action.sa_handler == SIG_IGN) printf("%d ignored ", number);
    if (sigismember(&blocked, number)) printf("%d blocked ", number);
  }
  printf("leader %d", getsid(0) == getpid() && getpgid(0) == getpid());
  return 0;
}

static int fail(const char *code) {
  fputs("out\n", stdout);
  fputs("first line\nsecond line\n", stderr);
  return atoi(code);
}

static int die(const char *number) {
  fputs("about to die\n", stderr);
  signal(atoi(number), SIG_DFL);
  raise(atoi(number));
  return 0;
}

static int flood(const char *where) {
  static char block[1 << 16];
  memset(block, 'x', sizeof block);
  int fd = where[0] == 'e' ? STDERR_FILENO : STDOUT_FILENO;
  for (int i = 0; fd == STDOUT_FILENO || i < 64; i++) {
    if (write(fd, block, sizeof block) < 0) return 8;
  }
  fputs("the end", stderr);
  return 4;
}

/* Closes its outputs long before its end. */
static int close_early(const char *none) {
  (void)none;
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  char chunk[4096];
  while (read(STDIN_FILENO, chunk, sizeof chunk) > 0) continue;
  return 0;
}

/* A grandchild that keeps the outputs open for ever; "away": in a session of its own. Reports its
 * pid. */
static int leave_daemon(const char *where) {
  if (fork() == 0) {
    if (where[0] == 'a') setsid();
    pid_t daemon = fork();
    if (daemon == 0) {
      for (;;) pause();
    }
    printf("%d", (int)daemon);
    fflush(stdout);
    _exit(0);
  }
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  return 0;
}

/* Ignores SIGTERM; reports through the fifo when it does. */
static int stay(const char *fifo) {
  signal(SIGTERM, SIG_IGN);
  int fd = open(fifo, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, "x", 1) != 1) return 9;
  close(fd);
  for (;;) pause();
}

/* The same with its outputs closed. */
static int mute(const char *fifo) {
  close(STDOUT_FILENO);
  close(STDERR_FILENO);
  return stay(fifo);
}

/* Waits for SIGTERM; reports through the fifo that it runs. */
static int wait_for_end(const char *fifo) {
  int fd = open(fifo, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || write(fd, "x", 1) != 1) return 9;
  close(fd);
  for (;;) pause();
}

static void say_done(void) {
  fputs("{\"done\":true}", stdout);
  fflush(stdout);
}

/* On SIGTERM it completes its work, reports that and exits. */
static void end_well(int number) {
  (void)number;
  say_done();
  _exit(0);
}

/* The same, but it reports that it could not. */
static void end_badly(int number) {
  (void)number;
  fputs("half of it\n", stderr);
  _exit(3);
}

/* The exit status by which shells report a signal. */
static void end_like_a_shell(int number) { _exit(128 + number); }

static int finish(const char *fifo) {
  return signal(SIGTERM, end_well) == SIG_ERR ? 9 : wait_for_end(fifo);
}
static int regret(const char *fifo) {
  return signal(SIGTERM, end_badly) == SIG_ERR ? 9 : wait_for_end(fifo);
}
static int pass_on(const char *fifo) {
  return signal(SIGTERM, end_like_a_shell) == SIG_ERR ? 9 : wait_for_end(fifo);
}

static const struct {
  const char *name;
  int (*run)(const char *argument);
} modes[] = {{"echo", echo},
             {"print", print},
             {"bytes", print_bytes},
             {"descriptors", list_descriptors},
             {"environment", list_environment},
             {"signals", show_signals},
             {"fail", fail},
             {"die", die},
             {"flood", flood},
             {"close", close_early},
             {"daemon", leave_daemon},
             {"stay", stay},
             {"mute", mute},
             {"wait", wait_for_end},
             {"finish", finish},
             {"regret", regret},
             {"pass-on", pass_on}};

int main(int argc, char **argv) {
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(modes[i].name, argv[1]) == 0) return modes[i].run(argc > 2 ? argv[2] : "");
  }
  return 64;
}
