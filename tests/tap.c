/* tap.c - prints TAP version 13 and cleans up. */
#include "tests/tap.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TIME_LIMIT_S = 900, SHOWN_MAX = 400, FILES_MAX = 512 };

static int checks, failures;

/* Seconds until a test counts as hung; the campaign, whose loops are longer, says more. */
static unsigned time_limit(void) {
  const char *text = getenv("CKRUN_TEST_SECONDS");
  return text ? (unsigned)strtoul(text, NULL, 10) : TIME_LIMIT_S;
}

static void begin(void) {
  if (checks++ > 0) return;
  setvbuf(stdout, NULL, _IOLBF, 0); /* a child that is forked must not inherit unwritten lines */
  alarm(time_limit());
  puts("TAP version 13");
}

/* A '#' would begin a directive and a newline a line of its own. */
static void print_name(const char *format, va_list args) {
  char name[512];
  vsnprintf(name, sizeof name, format, args);
  for (const char *c = name; *c; c++) {
    if (*c == '#') putchar('\\');
    putchar(*c == '\n' ? ' ' : *c);
  }
}

static bool report(const char *file, int line, bool condition, const char *format, va_list args) {
  begin();
  printf("%sok %d - ", condition ? "" : "not ", checks);
  print_name(format, args);
  putchar('\n');
  if (!condition) {
    failures++;
    fprintf(stderr, "# failed at %s:%d\n", file, line);
  }
  return condition;
}

#define REPORT(condition)                                  \
  va_list args;                                            \
  va_start(args, format);                                  \
  bool held = report(file, line, condition, format, args); \
  va_end(args)

bool tap_ok_at(const char *file, int line, bool condition, const char *format, ...) {
  REPORT(condition);
  return held;
}

void tap_must_at(const char *file, int line, bool condition, const char *format, ...) {
  if (condition) return;
  REPORT(condition);
  (void)held;
  tap_diag("the rest cannot run without this");
  exit(tap_done());
}

bool tap_is_int_at(const char *file, int line, int64_t got, int64_t want, const char *format, ...) {
  REPORT(got == want);
  if (!held) tap_diag("got %" PRId64 ", want %" PRId64, got, want);
  return held;
}

bool tap_is_text_at(const char *file, int line, const char *got, const char *want,
                    const char *format, ...) {
  REPORT(got == want || (got && want && strcmp(got, want) == 0));
  if (!held) tap_diag("got  '%s'", got ? got : "(null)");
  if (!held) tap_diag("want '%s'", want ? want : "(null)");
  return held;
}

static void show_bytes(const char *label, ck_bytes bytes) {
  fprintf(stderr, "# %s (%zu) '", label, bytes.len);
  for (size_t i = 0; i < bytes.len && i < SHOWN_MAX; i++) {
    unsigned char c = (unsigned char)bytes.data[i];
    fprintf(stderr, c < 0x20 || c > 0x7e ? "\\x%02x" : "%c", c);
  }
  fprintf(stderr, "'%s\n", bytes.len > SHOWN_MAX ? "…" : "");
}

bool tap_is_bytes_at(const char *file, int line, ck_bytes got, ck_bytes want, const char *format,
                     ...) {
  REPORT(got.len == want.len && (got.len == 0 || memcmp(got.data, want.data, got.len) == 0));
  if (!held) show_bytes("got ", got);
  if (!held) show_bytes("want", want);
  return held;
}

bool tap_is_status_at(const char *file, int line, ck_status got, ck_status want,
                      const ck_error *err, const char *format, ...) {
  REPORT(got == want);
  if (!held)
    tap_diag("got %s, want %s: %s", ck_status_name(got), ck_status_name(want),
             err ? err->text : "(no text)");
  return held;
}

void tap_diag(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("# ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
}

void tap_skip(const char *format, ...) {
  begin();
  va_list args;
  va_start(args, format);
  printf("ok %d # SKIP ", checks);
  print_name(format, args);
  putchar('\n');
  va_end(args);
}

void tap_skip_all(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("TAP version 13\n1..0 # SKIP ", stdout);
  print_name(format, args);
  putchar('\n');
  va_end(args);
  exit(0);
}

int tap_done(void) {
  if (checks == 0) puts("TAP version 13");
  printf("1..%d\n", checks);
  if (failures) tap_diag("%d of %d failed", failures, checks);
  return failures ? 1 : 0;
}

static char tmpdir[512];
static pid_t tmpdir_owner;
static char *files[FILES_MAX];
static int file_count;

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
  (void)info, (void)kind, (void)where;
  return remove(path), 0;
}

static void clean_up(void) {
  for (int i = 0; i < file_count; i++) free(files[i]);
  file_count = 0;
  if (getpid() == tmpdir_owner) nftw(tmpdir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tap_tmpdir(void) {
  if (tmpdir[0]) return tmpdir;
  const char *base = getenv("TMPDIR");
  snprintf(tmpdir, sizeof tmpdir, "%s/ckrun-test-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(tmpdir)) {
    perror(tmpdir);
    exit(1);
  }
  tmpdir_owner = getpid();
  atexit(clean_up);
  return tmpdir;
}

const char *tap_tmpfile(const char *name) {
  char *path = NULL;
  if (file_count == FILES_MAX || asprintf(&path, "%s/%s", tap_tmpdir(), name) < 0) {
    tap_diag("no room for another file name");
    exit(1);
  }
  return files[file_count++] = path;
}

const char *tap_data_dir(void) {
  const char *dir = getenv("CKRUN_DATA");
  if (!dir) dir = "../shared/data";
  return access(dir, R_OK | X_OK) == 0 ? dir : NULL;
}
