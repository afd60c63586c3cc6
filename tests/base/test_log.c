/* test_log.c - no stored text can drive a terminal; a log line is one line. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"
#include "tests/tap.h"

enum { THREADS = 4, LINES = 200 };

static void escapes_to(ck_bytes text, const char *want, const char *name) {
  ck_buffer out = {0};
  ck_escape_append(&out, text);
  tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(want), "escape: %s", name);
  ck_buffer_clear(&out);
}

static void test_escape(void) {
  escapes_to(ck_bytes_text("plain caf\xc3\xa9 \xf0\x9f\x98\x80"),
             "plain caf\xc3\xa9 \xf0\x9f\x98\x80", "text stays");
  escapes_to(ck_bytes_text("a\nb\tc\rd"), "a\\nb\\tc\\x0dd", "newline, tab, return");
  escapes_to(ck_bytes_text("\x1b]0;x\x07"), "\\x1b]0;x\\x07", "escape sequences");
  escapes_to((ck_bytes){"a\0b", 3}, "a\\x00b", "NUL");
  escapes_to(ck_bytes_text("\x7f\xc2\x9b"), "\\x7f\\xc2\\x9b", "delete and the one-character CSI");
  escapes_to(ck_bytes_text("\xff\xc3(\xed\xa0\x80"), "\\xff\\xc3(\\xed\\xa0\\x80",
             "bytes that are not UTF-8");
  escapes_to(ck_bytes_text("x\xe2\x80\xaetxt.exe"), "x\\xe2\\x80\\xaetxt.exe",
             "turning the reading direction");
  escapes_to(ck_bytes_text("a\xe2\x80\x8b\xe2\x80\x8d\xe2\x81\xa0\xef\xbb\xbf"),
             "a\\xe2\\x80\\x8b\\xe2\\x80\\x8d\\xe2\\x81\\xa0\\xef\\xbb\\xbf",
             "zero-width characters");
  escapes_to(ck_bytes_text("a\xc2\xad"), "a\\xc2\\xad", "a soft hyphen");
  escapes_to(ck_bytes_text("\xef\xbf\xb9\xef\xbf\xbb"), "\\xef\\xbf\\xb9\\xef\\xbf\\xbb",
             "interlinear annotation");
  escapes_to(ck_bytes_text("\xf3\xa0\x80\x80\xf3\xa0\x81\xbf"),
             "\\xf3\\xa0\\x80\\x80\\xf3\\xa0\\x81\\xbf", "tags");
  escapes_to(ck_bytes_text("\xf0\x9f\x98"), "\\xf0\\x9f\\x98", "a cut character");
  escapes_to((ck_bytes){NULL, 0}, "", "nothing");
}

/* Wherever among plain text, and however many. */
static void test_escape_places(void) {
  static const char filler[] = "plain text ~ from a space to a tilde";
  static const char *const odd[][2] = {
      {"\x7f", "\\x7f"},        {"\x1f", "\\x1f"},          {"\n", "\\n"},
      {"\xc3\xa9", "\xc3\xa9"}, {"\xc2\x9b", "\\xc2\\x9b"}, {"\xff", "\\xff"}};
  int wrong = 0;
  for (size_t kind = 0; kind < sizeof odd / sizeof *odd; kind++) {
    for (int at = 0; at < (int)sizeof filler; at++) {
      ck_buffer given = {0}, want = {0}, out = {0};
      ck_buffer_append_format(&given, "%.*s%s%s%s", at, filler, odd[kind][0], odd[kind][0],
                              filler + at);
      ck_buffer_append_format(&want, "%.*s%s%s%s", at, filler, odd[kind][1], odd[kind][1],
                              filler + at);
      ck_escape_append(&out, ck_buffer_bytes(&given));
      wrong += !ck_bytes_equal(ck_buffer_bytes(&out), ck_buffer_bytes(&want));
      ck_buffer_clear(&given);
      ck_buffer_clear(&want);
      ck_buffer_clear(&out);
    }
  }
  tap_is_int(wrong, 0, "escape: nothing that acts gets through, wherever it stands");
}

/* Everything that is logged until `release`, read back. */
static int capture(const char *path) {
  int saved = dup(STDERR_FILENO), file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
  dup2(file, STDERR_FILENO);
  close(file);
  return saved;
}

static char *release(int saved, const char *path) {
  dup2(saved, STDERR_FILENO);
  close(saved);
  ck_buffer text = {0};
  FILE *file = fopen(path, "r");
  for (int c; file && (c = getc(file)) != EOF;) ck_buffer_append_char(&text, (char)c);
  if (file) fclose(file);
  return ck_buffer_take(&text);
}

static void test_levels(void) {
  const char *path = tap_tmpfile("levels");
  int saved = capture(path);
  ck_log_line(CK_LOG_INFO, "hidden");
  ck_log_line(CK_LOG_WARN, "two\nlines %d\x1b", 1);
  setenv("CKRUN_LOG", "debug", 1);
  ck_log_init();
  ck_log_line(CK_LOG_DEBUG, "shown");
  setenv("CKRUN_LOG", "error", 1);
  ck_log_init();
  ck_log_line(CK_LOG_WARN, "hidden");
  ck_log_line(CK_LOG_ERROR, "shown too");
  char *text = release(saved, path);
  tap_is_text(text, "ckrun: two\\nlines 1\\x1b\nckrun: shown\nckrun: shown too\n",
              "levels are kept, a line is one line");
  free(text);
}

static void *log_lines(void *name) {
  const char *c = name;
  for (int i = 0; i < LINES; i++) ck_log_line(CK_LOG_ERROR, "%s%s%s%s", c, c, c, c);
  return NULL;
}

static void test_threads(void) {
  static char names[THREADS][2] = {"a", "b", "c", "d"};
  const char *path = tap_tmpfile("threads");
  pthread_t threads[THREADS];
  int saved = capture(path), lines = 0, whole = 0;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, log_lines, names[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  char *text = release(saved, path), *rest = text;
  for (char *line; (line = strsep(&rest, "\n")) && *line; lines++) {
    whole += strlen(line) == 11 && line[7] == line[8] && line[7] == line[9] && line[7] == line[10];
  }
  tap_is_int(lines, THREADS * LINES, "no line of any thread is lost");
  tap_is_int(whole, lines, "lines of threads do not mix");
  free(text);
}

static void mask(ck_buffer *out, ck_bytes text, void *self) {
  const char *found = memmem(text.data, text.len, self, strlen(self));
  ck_buffer_append(out, text.data, found ? (size_t)(found - text.data) : text.len);
  if (found) ck_buffer_append_text(out, "[masked]\n");
}

static void test_filter(void) {
  static char secret[] = "hunter\n22";
  const char *path = tap_tmpfile("filter");
  int saved = capture(path);
  ck_log_set_filter(mask, secret);
  ck_log_line(CK_LOG_ERROR, "it is %s", secret);
  ck_log_set_filter(NULL, NULL);
  ck_log_line(CK_LOG_ERROR, "it is %s", "plain");
  char *text = release(saved, path);
  tap_is_text(text, "ckrun: it is [masked]\\n\nckrun: it is plain\n",
              "a line passes the filter before it is escaped");
  free(text);
}

int main(void) {
  test_escape();
  test_escape_places();
  test_levels();
  test_threads();
  test_filter();
  return tap_done();
}
