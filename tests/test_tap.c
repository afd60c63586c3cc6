/* test_tap.c - the checks of tap.h: true is ok, false is counted, the folder is there. */
#include "tests/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `body` in a child with its output in a file; gives the exit code. */
static int in_child(void (*body)(void), const char *output) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (!freopen(output, "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(99);
    body();
    int code = tap_done();
    fflush(stdout);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void fail_each(void) {
  tap_ok(false, "no # directive,\nno new line");
  tap_is_int(1, 2, "int");
  tap_is_text("a", NULL, "text");
  tap_is_bytes(ck_bytes_text("a"), ck_bytes_text("b"), "bytes");
  tap_is_status(CK_OK, CK_E_IO, NULL, "status");
}

static void read_back(ck_buffer *out, const char *path) {
  FILE *file = fopen(path, "r");
  tap_must(file != NULL, "the child's output can be read");
  for (int c; (c = getc(file)) != EOF;) ck_buffer_append_char(out, (char)c);
  fclose(file);
}

int main(void) {
  tap_ok(tap_is_int(INT64_MIN, INT64_MIN, "equal numbers hold"), "a check returns that it held");
  tap_is_text(NULL, NULL, "two NULL texts are equal");
  tap_is_bytes(ck_bytes_text(""), (ck_bytes){NULL, 0}, "no bytes are no bytes");
  tap_is_status(CK_E_IO, CK_E_IO, NULL, "equal statuses hold");
  tap_ok(access(tap_tmpdir(), W_OK) == 0, "the temporary folder is there");

  const char *path = tap_tmpfile("child");
  tap_is_int(in_child(fail_each, path), 1, "a failed check fails the program");
  ck_buffer text = {0};
  read_back(&text, path);
  char *all = ck_buffer_take(&text);
  size_t line = 0;
  while (all[line] && all[line] != '\n') line++;
  tap_is_bytes((ck_bytes){all, line}, ck_bytes_text("not ok 7 - no \\# directive, no new line"),
               "a name cannot become a directive or a second line");
  free(all);
  return tap_done();
}
