/* tool_terminal.c - runs a program on a terminal of a given width, and copies to standard output
 * what the terminal was sent: tool_terminal COLUMNS PROGRAM ARGUMENT… Input is at its end at once;
 * with $TERMINAL_INPUT that text is typed first. */
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS = 50, END_OF_INPUT = 4 };

static void run_child(char **argv) {
  execvp(argv[0], argv);
  perror(argv[0]);
  _exit(127);
}

/* Lines end as the program ends them, and nothing that is typed is shown. */
static void set_plain(struct termios *mode) {
  memset(mode, 0, sizeof *mode);
  mode->c_iflag = ICRNL;
  mode->c_cflag = CS8 | CREAD;
  mode->c_lflag = ICANON | ISIG;
  mode->c_cc[VEOF] = END_OF_INPUT;
  mode->c_cc[VINTR] = 3;
}

static void copy_output(int terminal) {
  char chunk[65536];
  ssize_t len;
  while ((len = read(terminal, chunk, sizeof chunk)) > 0)
    if (fwrite(chunk, 1, (size_t)len, stdout) != (size_t)len || fflush(stdout) != 0) exit(2);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  struct winsize size = {.ws_row = ROWS, .ws_col = (unsigned short)atoi(argv[1])};
  struct termios mode;
  int terminal;
  set_plain(&mode);
  pid_t child = forkpty(&terminal, NULL, &mode, &size);
  if (child < 0) {
    perror("forkpty");
    return 77;
  }
  if (child == 0) run_child(argv + 2);
  const char *typed = getenv("TERMINAL_INPUT"), end = END_OF_INPUT;
  if (typed && write(terminal, typed, strlen(typed)) < 0) return 2;
  if (write(terminal, &end, 1) < 0) return 2;
  copy_output(terminal);
  int how = 0;
  if (waitpid(child, &how, 0) < 0) return 2;
  /* What was written just before the other end was closed may come after the error of a read. */
  copy_output(terminal);
  return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}
