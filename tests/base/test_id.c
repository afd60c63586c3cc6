/* test_id.c - ids are unique, also over threads and forks; a hostile id is named and refused. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/id.h"
#include "tests/tap.h"

enum { THREADS = 4, EACH = 25000 };

static char ids[THREADS * EACH][CK_ID_SIZE];

static void *make_ids(void *from) {
  char(*mine)[CK_ID_SIZE] = from;
  for (int i = 0; i < EACH; i++) ck_id_make_session(mine[i], 0);
  return NULL;
}

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static void test_unique(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    tap_must(pthread_create(&threads[i], NULL, make_ids, ids[i * EACH]) == 0, "thread");
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  qsort(ids, THREADS * EACH, sizeof *ids, compare);
  int doubles = 0;
  for (int i = 1; i < THREADS * EACH; i++) doubles += strcmp(ids[i - 1], ids[i]) == 0;
  tap_is_int(doubles, 0, "100,000 ids of one millisecond from four threads are unique");
}

static void test_fork(void) {
  char mine[CK_ID_SIZE], theirs[CK_ID_SIZE] = "";
  int ends[2];
  tap_must(pipe(ends) == 0, "pipe");
  pid_t child = fork();
  if (child == 0) {
    ck_id_make_session(theirs, 0);
    _exit(write(ends[1], theirs, sizeof theirs) == sizeof theirs ? 0 : 1);
  }
  ck_id_make_session(mine, 0);
  tap_must(read(ends[0], theirs, sizeof theirs) == sizeof theirs, "the child tells its id");
  waitpid(child, NULL, 0);
  tap_ok(strcmp(mine, theirs) != 0, "a forked child does not count on from its parent's number");
  close(ends[0]);
  close(ends[1]);
}

static void test_form(void) {
  char id[CK_ID_SIZE];
  ck_error err = CK_ERROR_INIT;
  ck_id_make_session(id, 1769903999123);
  tap_ok(strncmp(id, "session_20260131_235959_", 24) == 0 && strlen(id) == 32, "session id: %s",
         id);
  ck_id_make_checkpoint(id, -62167219200000);
  tap_ok(strncmp(id, "checkpoint_00000101_000000_", 27) == 0 && strlen(id) == 35,
         "checkpoint id: %s", id);
  tap_is_status(ck_id_check("checkpoint", id, &err), CK_OK, &err, "a made id passes the check");
  ck_id_make_run(id);
  tap_ok(strncmp(id, "run_", 4) == 0 && strlen(id) == 40 && id[18] == '4',
         "run id is a random uuid: %s", id);
  tap_is_status(ck_id_check("run", id, &err), CK_OK, &err, "a run's id passes the check");
}

static void test_attacks(void) {
  static const char *const attacks[] = {"",
                                        ".",
                                        "..",
                                        "../../etc/passwd",
                                        "a/b",
                                        "/",
                                        "a b",
                                        "a\nb",
                                        "a\tb",
                                        "a\x1b[2J",
                                        "%2e%2e",
                                        "a;b",
                                        "a'b",
                                        "a\"b",
                                        "\xe2\x88\x95x",
                                        "a:b",
                                        "a.b",
                                        "a\\b",
                                        "~",
                                        "\xff",
                                        "$(true)",
                                        "`true`",
                                        "session*",
                                        "caf\xc3\xa9",
                                        "\xff\xfe",
                                        "a|b",
                                        "a&b",
                                        "a%00b",
                                        "\x7f",
                                        "a\r"};
  ck_error err;
  for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
    ck_status status = ck_id_check("session", attacks[i], &err);
    tap_ok(status == CK_E_USAGE && strstr(err.text, "session"), "refused and named: attack %zu", i);
    tap_ok(!strpbrk(err.text, "\n\t\x1b"), "attack %zu cannot drive a terminal", i);
  }
  char id[400];
  memset(id, 'a', sizeof id);
  id[64] = '\0';
  tap_is_status(ck_id_check("session", id, &err), CK_OK, &err, "64 characters pass");
  id[64] = 'a', id[65] = '\0';
  tap_is_status(ck_id_check("session", id, &err), CK_E_USAGE, &err, "65 do not");
  id[65] = 'a', id[300] = '\0';
  tap_is_status(ck_id_check("session", id, &err), CK_E_USAGE, &err, "300 do not");
  tap_ok(strlen(err.text) < 200, "a long id is shown cut");
  tap_is_status(ck_id_check("session", NULL, &err), CK_E_USAGE, &err, "no id is refused");
  tap_is_status(ck_id_check("session", "-rf", &err), CK_OK, &err,
                "a leading dash is allowed by the pattern");
}

int main(void) {
  test_unique();
  test_fork();
  test_form();
  test_attacks();
  return tap_done();
}
