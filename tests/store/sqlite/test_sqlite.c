/* test_sqlite.c - what is opened and what is refused, what the files look like, and what a damaged
 * one is found to be. */
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/request.h"

static char url[500];

static const char *use(const char *name) {
  const char *path = tap_tmpfile(name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  return path;
}

static ck_status open_with(ck_store **out, bool create, bool read_only, ck_error *err) {
  return ck_store_open(out, url, &(ck_store_options){.create = create, .read_only = read_only},
                       err);
}

/* The whole of a file, NUL behind it. */
static ck_buffer content(const char *path) {
  ck_buffer bytes = {0};
  FILE *file = fopen(path, "r");
  if (!file) return bytes;
  for (int c; (c = getc(file)) != EOF;) ck_buffer_append_char(&bytes, (char)c);
  fclose(file);
  return bytes;
}

static void put_file(const char *path, const void *data, size_t len) {
  FILE *file = fopen(path, "w");
  tap_must(file && fwrite(data, 1, len, file) == len && fclose(file) == 0, "a file");
}

/* Files in a folder, without those two. */
static int entries(const char *folder) {
  DIR *dir = opendir(folder);
  int count = -2;
  while (dir && readdir(dir)) count++;
  if (dir) closedir(dir);
  return count;
}

/* Refused with and without `create`, read-only or not; not a byte changes, not a file comes. */
static void is_refused(const char *name, ck_status want, const char *part) {
  char folder[300];
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  const char *path = use(name);
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  int before = entries(folder);
  ck_buffer old = content(path);
  for (int i = 0; i < 3; i++) {
    tap_is_status(open_with(&store, i == 1, i == 2, &err), want, &err, "%s is refused", name);
    tap_ok(strstr(err.text, path) && strstr(err.text, part), "naming it and the cause: %s",
           err.text);
  }
  ck_buffer now = content(path);
  tap_is_bytes(ck_buffer_bytes(&now), ck_buffer_bytes(&old), "%s is as it was", name);
  tap_is_int(entries(folder), before, "%s: no file was made beside it", name);
  ck_buffer_clear(&old);
  ck_buffer_clear(&now);
}

static void run_sql(const char *path, const char *sql) {
  sqlite3 *db;
  tap_must(
      sqlite3_open(path, &db) == SQLITE_OK && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK,
      "SQL: %s", sql);
  sqlite3_close(db);
}

static void test_refusals(void) {
  mkdir(tap_tmpfile("r1"), 0700);
  put_file(tap_tmpfile("r1/garbage"),
           "this is not a database, whatever its name may say.......................", 70);
  is_refused("r1/garbage", CK_E_NOT_A_STORE, "not a database");
  char big[8192];
  memset(big, 'x', sizeof big);
  put_file(tap_tmpfile("r1/big"), big, sizeof big);
  is_refused("r1/big", CK_E_NOT_A_STORE, "not a database");
  put_file(tap_tmpfile("r1/short"), "SQLite format 3", 16);
  is_refused("r1/short", CK_E_NOT_A_STORE, "");
  run_sql(tap_tmpfile("r1/other.db"), "CREATE TABLE t (x); PRAGMA application_id=77");
  is_refused("r1/other.db", CK_E_NOT_A_STORE, "another application");
  run_sql(tap_tmpfile("r1/wal.db"), "PRAGMA journal_mode=WAL; CREATE TABLE t (x)");
  is_refused("r1/wal.db", CK_E_NOT_A_STORE, "another application");
  mkdir(tap_tmpfile("r1/folder"), 0700);
  is_refused("r1/folder", CK_E_NOT_A_STORE, "not a regular file");
  tap_must(mkfifo(tap_tmpfile("r1/pipe"), 0600) == 0, "a pipe");
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  use("r1/pipe");
  tap_is_status(open_with(&store, true, false, &err), CK_E_NOT_A_STORE, &err,
                "a pipe is refused, without waiting");
  use("r1/");
  tap_is_status(open_with(&store, true, false, &err), CK_E_USAGE, &err,
                "a path without a name is a mistake of usage");
}

static void refuse_schema(int schema) {
  char sql[80], numbers[80];
  snprintf(sql, sizeof sql, "PRAGMA user_version=%d; PRAGMA wal_checkpoint(TRUNCATE)", schema);
  run_sql(tap_tmpfile("r2/newer.db"), sql);
  snprintf(numbers, sizeof numbers, "schema %d; this ckrun knows schemas up to %d", schema,
           CK_STORE_SCHEMA);
  is_refused("r2/newer.db", CK_E_NEWER, numbers);
}

static void test_newer(void) {
  mkdir(tap_tmpfile("r2"), 0700);
  use("r2/newer.db");
  ck_store_close(fixture_open(url));
  refuse_schema(99);
  refuse_schema(CK_STORE_SCHEMA + 1);
}

static void test_absent(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  mkdir(tap_tmpfile("r3"), 0700);
  const char *path = use("r3/no.db");
  for (int i = 0; i < 2; i++) {
    tap_is_status(open_with(&store, i == 1, i == 1, &err), CK_E_NOT_FOUND, &err,
                  "an absent store is not found");
    tap_ok(strstr(err.text, path) != NULL, "and named: %s", err.text);
  }
  use("r3/not/here.db");
  tap_is_status(open_with(&store, false, false, &err), CK_E_NOT_FOUND, &err,
                "nor is one in an absent folder");
  tap_is_int(entries(tap_tmpfile("r3")), 0, "and nothing was made");
  put_file(tap_tmpfile("r3/empty.db"), "", 0);
  use("r3/empty.db");
  tap_is_status(open_with(&store, false, false, &err), CK_E_NOT_A_STORE, &err,
                "an empty file is no store");
  tap_is_status(open_with(&store, true, false, &err), CK_OK, &err, "but may become one");
  ck_store_close(store);
}

static int mode_of(const char *path) {
  struct stat file;
  return stat(path, &file) == 0 ? (int)(file.st_mode & 0777) : -1;
}

static void test_modes(void) {
  ck_error err = CK_ERROR_INIT;
  mode_t before = umask(0);
  use("m/a/store.db");
  fixture session;
  ck_store *store = fixture_open(url);
  umask(before);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
  static const char *const names[] = {"m/a/store.db", "m/a/store.db-wal", "m/a/store.db-shm",
                                      "m/a/store.db.lock", "m/a/store.db.sessions/s.lock"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    tap_is_int(mode_of(tap_tmpfile(names[i])), 0600, "%s is for its owner alone", names[i]);
  tap_is_int(mode_of(tap_tmpfile("m")), 0700, "so are folders that were made");
  tap_is_int(mode_of(tap_tmpfile("m/a/store.db.sessions")), 0700, "and that of the locks");
  ck_store_close(store);
}

static void test_links(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  use("l.db");
  ck_store_close(fixture_open(url));
  tap_must(symlink(tap_tmpfile("l.db"), tap_tmpfile("link.db")) == 0, "a symbolic link");
  use("link.db");
  tap_is_status(open_with(&store, true, false, &err), CK_E_NOT_A_STORE, &err,
                "a symbolic link is not followed");
  tap_must(symlink("/nowhere", tap_tmpfile("dangling.db")) == 0, "a symbolic link");
  use("dangling.db");
  tap_is_status(open_with(&store, true, false, &err), CK_E_NOT_A_STORE, &err, "nor a dangling one");
  mkdir(tap_tmpfile("real"), 0700);
  tap_must(symlink(tap_tmpfile("real"), tap_tmpfile("linked")) == 0, "a linked folder");
  use("linked/x%20?a#b.db");
  tap_is_status(open_with(&store, true, false, &err), CK_OK, &err,
                "a folder may be one, and a name have signs of URLs");
  ck_store_close(store);
  tap_ok(access(tap_tmpfile("real/x%20?a#b.db"), F_OK) == 0, "the store has just that name");
}

/* ---- without the right to write ---- */

/* Runs as somebody who is not root; the answer is what `body` exits with. -1: could not be anybody
 * else. */
static int as_nobody(int (*body)(void)) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(99);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 98;
  return code == 99 ? -1 : code;
}

static int open_to_write(void) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_status status = open_with(&store, true, false, &err);
  if (status == CK_OK) return 1;
  if (!strstr(err.text, url + strlen("sqlite:"))) return 2;
  return status == CK_E_READ_ONLY ? 0 : 3;
}

static int read_and_try_to_write(void) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  fixture session;
  if (open_with(&store, false, true, &err) != CK_OK) {
    tap_diag("%s", err.text);
    return 1;
  }
  if (ck_store_get_head(&head, store, "s", &err) != CK_OK || head.last_seq != 3 ||
      !head.has_checkpoint)
    return 2;
  ck_head_clear(&head);
  if (fixture_verify(store) != 0) return 3;
  if (fixture_create(&session, store, "t", &err) != CK_E_READ_ONLY) return 4;
  if (fixture_acquire(&session, store, "s", &err) != CK_E_READ_ONLY) return 5;
  if (ck_store_sync(store, &err) != CK_E_READ_ONLY) return 6;
  ck_store_close(store);
  return 0;
}

static void is_zero(int code, const char *name) {
  if (code < 0)
    tap_skip("cannot be another user: %s", name);
  else
    tap_is_int(code, 0, "%s", name);
}

static void fill_store(void) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session: %s", err.text);
  tap_must(fixture_commit(&session, &(fixture_step){.text = "t", .key = "memory.k", .value = "1"},
                          &err) == CK_OK,
           "a commit");
  ck_store_close(store);
}

static void test_read_only(void) {
  chmod(tap_tmpdir(), 0755);
  mkdir(tap_tmpfile("ro"), 0755);
  use("ro/store.db");
  fill_store();
  tap_is_int(read_and_try_to_write(), 0, "a store opened read-only is read, and never written");
  char command[900];
  snprintf(command, sizeof command, "chmod -R a+rX,a-w %s", tap_tmpfile("ro"));
  tap_must(system(command) == 0, "nobody may write");
  is_zero(as_nobody(open_to_write),
          "a store that may not be written is refused to writers, naming it");
  is_zero(as_nobody(read_and_try_to_write), "but can be read");
  snprintf(command, sizeof command,
           "cd %s && chmod u+w . && sqlite3 store.db 'pragma wal_checkpoint(truncate)' >/dev/null"
           " && rm -f store.db-wal store.db-shm && chmod a-w .",
           tap_tmpfile("ro"));
  if (system(command) == 0)
    is_zero(as_nobody(read_and_try_to_write), "also where its log cannot be made");
  else
    tap_skip("no sqlite3 to take the log away");
  use("ro/new.db");
  is_zero(as_nobody(open_to_write), "a folder that may not be written gets no store");
  snprintf(command, sizeof command, "chmod -R u+w %s", tap_tmpfile("ro"));
  tap_must(system(command) == 0, "until the end of the test");
}

/* ---- what lasts ---- */

static void test_reopening(void) {
  ck_error err = CK_ERROR_INIT;
  use("reopened.db");
  fill_store();
  ck_store *store = fixture_open(url), *other = fixture_open(url);
  tap_ok(!ck_store_fingerprint_key(store) && !ck_store_fingerprint_key(other),
         "a store without a key has none for fingerprints");
  tap_is_status(ck_store_check_owner(store, "s", &err), CK_OK, &err,
                "closing gave the session back");
  fixture session, seen;
  tap_is_status(fixture_acquire(&session, store, "s", &err), CK_OK, &err, "it can be taken again");
  tap_is_status(fixture_acquire(&seen, other, "s", &err), CK_E_OWNED, &err,
                "by one store of the process");
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t"}, &err), CK_OK, &err,
                "which writes");
  tap_is_int(fixture_count_events(other, session.lease.session), session.seq,
             "and the other reads it at once");
  ck_store_close(other);
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t"}, &err), CK_OK, &err,
                "closing one leaves the other alone");
  ck_store_close(store);
}

/* What was deleted is not left behind in the database. */
static void test_deletion(void) {
  ck_error err = CK_ERROR_INIT;
  const char *path = use("deleted.db");
  fixture session;
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session");
  char kind[] = "CANARY-5917";
  ck_request request = {.session = session.lease.session, .kind = kind}, got;
  bool found = false;
  tap_must(ck_store_put_request(store, &request, &err) == CK_OK &&
               ck_store_recover(store, &err) == CK_OK,
           "a request");
  ck_buffer bytes = content(path);
  tap_ok(memmem(bytes.data, bytes.len, kind, strlen(kind)) != NULL, "a request is in the file");
  ck_buffer_clear(&bytes);
  tap_must(ck_store_get_request(&got, &found, store, session.lease, 0, &err) == CK_OK && found,
           "it is there");
  tap_is_status(ck_store_drop_request(store, session.lease, got.no, &err), CK_OK, &err,
                "it is taken out");
  ck_request_clear(&got);
  tap_must(ck_store_recover(store, &err) == CK_OK, "and checkpointed");
  bytes = content(path);
  tap_ok(memmem(bytes.data, bytes.len, kind, strlen(kind)) == NULL,
         "then it is not, nor in a free page");
  ck_buffer_clear(&bytes);
  ck_store_close(store);
}

static void test_damage(void) {
  ck_error err = CK_ERROR_INIT;
  const char *path = use("damaged.db");
  fixture session;
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session");
  for (int i = 0; i < 40; i++)
    tap_must(fixture_commit(&session, &(fixture_step){.text = "t", .key = "memory.k", .value = "1"},
                            &err) == CK_OK,
             "a commit");
  tap_must(ck_store_recover(store, &err) == CK_OK, "all in the database");
  ck_store_close(store);
  run_sql(path,
          "DROP INDEX event_seq; DELETE FROM event WHERE seq = 7; UPDATE checkpoint SET session = "
          "9 WHERE seq = 5;"
          "CREATE UNIQUE INDEX event_seq ON event (session, seq, kind); PRAGMA "
          "wal_checkpoint(TRUNCATE)");
  store = fixture_open(url);
  tap_ok(fixture_count_problems(store) >= 2,
         "a row that is gone and one that belongs to no session are found");
  ck_store_close(store);
  struct stat file;
  tap_must(stat(path, &file) == 0, "a size");
  int fd = open(path, O_WRONLY | O_CLOEXEC), written = 0;
  for (off_t at = 4096 * 3 + 8; at < file.st_size; at += 4096)
    written += pwrite(fd, "\xff\xff\xff\xff", 4, at) == 4;
  close(fd);
  tap_ok(written > 0, "pages are overwritten");
  ck_status status = open_with(&store, false, false, &err);
  if (status == CK_OK) {
    tap_ok(fixture_count_problems(store) != 0, "overwritten pages are found");
    ck_store_close(store);
  } else {
    tap_ok(status == CK_E_CORRUPT || status == CK_E_NOT_A_STORE,
           "overwritten pages are refused: %s", err.text);
  }
}

/* The largest number there is, wherever one stands: found, and added to nowhere. */
static void test_extremes(void) {
  static const char *const places[] = {
      "UPDATE event SET seq = 9223372036854775807 WHERE seq = 9",
      "UPDATE event SET timeline = 9223372036854775807 WHERE seq = 9",
      "UPDATE checkpoint SET seq = 9223372036854775807 WHERE seq = 9",
      "UPDATE checkpoint SET parent = -9223372036854775808 WHERE seq = 9",
      "UPDATE checkpoint SET parent = 9223372036854775807 WHERE seq = 9",
      "UPDATE checkpoint SET keyframe = -9223372036854775808, covers = 9223372036854775807 WHERE "
      "seq = 9",
      "UPDATE timeline SET \"begin\" = 9223372036854775807",
      "UPDATE timeline SET no = 9223372036854775807, cut = -9223372036854775808",
      "UPDATE session SET origin = -5, cut = 9223372036854775807",
      "UPDATE session SET origin = 1, cut = 9223372036854775807"};
  ck_error err = CK_ERROR_INIT;
  int64_t found = 0;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    char name[32];
    snprintf(name, sizeof name, "extreme%zu.db", i);
    const char *path = use(name);
    fixture session;
    ck_head head;
    ck_store *store = fixture_open(url);
    tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "a session");
    for (int n = 0; n < 4; n++)
      tap_must(
          fixture_commit(&session, &(fixture_step){.text = "t", .key = "memory.k", .value = "1"},
                         &err) == CK_OK,
          "a commit");
    tap_must(ck_store_recover(store, &err) == CK_OK, "all in the database");
    ck_store_close(store);
    run_sql(path, places[i]);
    store = fixture_open(url);
    found += fixture_count_problems(store) != 0;
    if (ck_store_get_head(&head, store, "s", &err) == CK_OK) ck_head_clear(&head);
    ck_store_close(store);
  }
  tap_is_int(found, sizeof places / sizeof *places,
             "a number that is too large is found, wherever it stands");
}

int main(void) {
  test_extremes();
  test_refusals();
  test_newer();
  test_absent();
  test_modes();
  test_links();
  test_read_only();
  test_reopening();
  test_deletion();
  test_damage();
  return tap_done();
}
